/** Accounts that nobody can be served as: each its own, whose app is wanted from the moment on that it is broken. */
import { type Site } from '../site.ts';
import type { Group, Truth, World } from '../world.ts';

const on = (site: Site, script: string): Promise<unknown> => site.server('sirius').sh(script);

/** `script`, `mend`: on the server, with the name of the account as $1 … `mend`: null runs what the fix names. */
function account(name: string, account: string, script: string, truth: Truth, mend: string | null, over: Partial<World> = {}): World {
  const filled = (text: string): string => text.replaceAll('@', account);
  return {
    name,
    break: async (site) => {
      await on(site, filled(script));
      await site.write(
        account,
        `kind: Backend\nmetadata: { name: ${account}-notas }\nspec: { app: notas, pessoa: ${account}, estado: ligado }`,
      );
      await site.svc('apply');
    },
    truth: {
      [`Supervisor/${account}`]: truth,
      [`Backend/${account}/notas`]: { reason: truth.reason, ...(truth.says === undefined ? {} : { says: truth.says }), fix: truth.fix },
    },
    doctor: { supervisors: new RegExp(String.raw`\b${account}\b`) },
    mend: (site, [all = '', line = all]) => on(site, mend === null ? line : filled(mend)),
    healed: { [`Backend/${account}/notas`]: 'running' },
    ...over,
  };
}

const closed = (script: string, says: RegExp, fix: RegExp) => ({ script, truth: { reason: 'AccountClosed', says, fix } });
const locked = closed('usermod -L @', /locked/, /(usermod -U c9)/);
const expired = closed('chage -E 0 @', /expired/, /(chage -E -1 c10)/);
const shell = (says: RegExp): Truth => ({ reason: 'ShellRefused', says, fix: /(usermod -s \/bin\/bash c\d+)/ });
const unreadable = (says: RegExp, fix: RegExp): Truth => ({ reason: 'FilesUnreadable', says, fix });
const noRoom = (says: RegExp, fix: RegExp): Truth => ({ reason: 'DiskFull', says, fix });
const failed = (says: RegExp): Truth => ({ reason: 'SupervisorFailed', says, fix: /mend on the server what the message says/ });
const small = (options: string): string => `mount -t tmpfs -o uid=$(id -u @),mode=700,${options} tmpfs /home/@`;
/** A closed account is reported by its Person, and nothing of it is tried. */
const ofPerson = (account: string, truth: Truth): Partial<World> => ({
  truth: { [`Person/${account}`]: truth },
  doctor: {},
});

export const accountGroup: Group = {
  name: 'accounts',
  servers: ['sirius'],
  share: 4,
  worlds: [
    account('its shell is nologin', 'c0', 'usermod -s /usr/sbin/nologin @', shell(/nologin, which lets nobody in/), null),
    account('its shell is false', 'c1', 'usermod -s /bin/false @', shell(/\/bin\/false, which lets nobody in/), null),
    account('its shell is not there', 'c2', 'usermod -s /opt/nada/zsh @', shell(/\/opt\/nada\/zsh, is not there/), null),
    account(
      'its home is missing',
      'c3',
      'rm -rf /home/@',
      { reason: 'HomeMissing', says: /\/home\/c3, does not exist/, fix: /(install -d -m 700 -o c3 -g \$\(id -g c3\) \/home\/c3)/ },
      null,
    ),
    account("its home is root's", 'c4', 'chown root /home/@', unreadable(/belongs to the uid 0/, /(chown c4 \/home\/c4)/), null),
    account('its home has no mode', 'c5', 'chmod 000 /home/@', unreadable(/has the mode 0/, /(chmod u\+rwx \/home\/c5)/), null),
    account(
      'its home is read-only',
      'c6',
      small('ro'),
      unreadable(/read-only file system/, /(mount -o remount,rw \S+ -n -o TARGET --target \/home\/c6\))/),
      null,
    ),
    account(
      'its home is full',
      'c7',
      `${small('size=64k')}; head -c 60k /dev/zero >/home/@/cheio`,
      noRoom(/No space left|ENOSPC|full/, /make room in the home/),
      'rm /home/@/cheio; mount -o remount,size=64m /home/@',
      { doctor: { homes: /\bc7\b/ } },
    ),
    account(
      'its home takes no more files',
      'c8',
      `${small('nr_inodes=4')}; touch /home/@/a /home/@/b /home/@/c`,
      noRoom(/No space left|ENOSPC|files/, /make room in the home.*df -i/),
      'rm /home/@/[abc]; mount -o remount,nr_inodes=10000 /home/@',
    ),
    account('it is locked', 'c9', locked.script, locked.truth, null, ofPerson('c9', locked.truth)),
    account('it expired', 'c10', expired.script, expired.truth, null, ofPerson('c10', expired.truth)),
    account(
      'it is deleted',
      'c11',
      'userdel -f -r @',
      { reason: 'AccountMissing', says: /no account/, fix: /(useradd --create-home --shell \/bin\/bash c11)/ },
      null,
      {
        truth: {
          'Person/c11': { reason: 'AccountMissing', says: /sirius has no account/, fix: /(useradd --create-home --shell \/bin\/bash c11)/ },
        },
        doctor: {},
      },
    ),
    account(
      'its folder of apps is a file',
      'c13',
      'rm -rf /home/@/.svc-apps; touch /home/@/.svc-apps',
      failed(/\.svc-apps is no folder: move it away/),
      'mv /home/@/.svc-apps /home/@/antes',
    ),
    account(
      'its log is a folder',
      'c14',
      'install -d -o @ /home/@/.svc-apps /home/@/.svc-apps/supervisor.log',
      failed(/supervisor\.log is no plain file: move it away/),
      'mv /home/@/.svc-apps/supervisor.log /home/@/antes',
    ),
    account(
      'its home is another one, which is not there',
      'c12',
      'sed -i "s#:/home/@:#:/srv/longe/@:#" /etc/passwd',
      {
        reason: 'HomeMissing',
        says: /\/srv\/longe\/c12, does not exist/,
        fix: /(install -d -m 700 -o c12 -g \$\(id -g c12\) \/srv\/longe\/c12)/,
      },
      null,
    ),
    account(
      'its home is a link that leads nowhere',
      'c17',
      'rm -rf /home/@; ln -s /srv/nada/@ /home/@',
      {
        reason: 'HomeMissing',
        says: /\/home\/c17 \(it leads to \/srv\/nada\/c17\), does not exist/,
        fix: /(install -d -m 700 -o c17 \S+ \$\(id -g c17\) \/srv\/nada\/c17)/,
      },
      null,
    ),
    account(
      'its home is a file',
      'c19',
      'rm -rf /home/@; install -o @ -m 700 /dev/null /home/@',
      { reason: 'HomeMissing', says: /\/home\/c19, is no folder/, fix: /(mv \/home\/c19 \/home\/c19\.before; install -d .*\/home\/c19)/ },
      null,
    ),
    account(
      'its folder of apps is a link that leads nowhere',
      'c21',
      'rm -rf /home/@/.svc-apps; ln -s /srv/nada/apps /home/@/.svc-apps; chown -h @ /home/@/.svc-apps',
      failed(/cannot create directory '\/home\/c21\/\.svc-apps': File exists/),
      'rm /home/@/.svc-apps',
    ),
    account(
      'its .bashrc sleeps',
      'c23',
      'echo "sleep 1000" >/home/@/.bashrc; chown @ /home/@/.bashrc',
      {
        reason: 'LoginShell',
        says: /ran no command within/,
        fix: /write as the first line of ~\/\.bashrc: \[\[ \$- == \*i\* \]\] \|\| return/,
      },
      "sed -i '1i [[ $- == *i* ]] || return' /home/@/.bashrc",
    ),
    account(
      'it may begin no more processes',
      'c24',
      'printf "@ hard nproc 1\\n" >/etc/security/limits.d/@.conf',
      { reason: 'SupervisorFailed', says: /as many processes as it may/, fix: /raise its nproc in \/etc\/security\/limits\.d/ },
      'rm /etc/security/limits.d/@.conf',
    ),
    account(
      'its log belongs to another account',
      'c26',
      'install -d -o @ /home/@/.svc-apps; install -m 600 /dev/null /home/@/.svc-apps/supervisor.log',
      unreadable(/cannot create \/home\/c26\/\.svc-apps\/supervisor\.log: Permission denied/, /mend what the message names \(mode, owner/),
      'chown @ /home/@/.svc-apps/supervisor.log',
    ),
    account(
      'sshd keeps it out',
      'c15',
      'echo "DenyUsers @" >/etc/ssh/sshd_config.d/90-deny.conf; kill -HUP $(cat /run/sshd.pid)',
      { reason: 'KeyRefused', says: /DenyUsers of the sshd on sirius keeps c15 out/, fix: /change DenyUsers in the sshd_config of sirius/ },
      'rm /etc/ssh/sshd_config.d/90-deny.conf; kill -HUP $(cat /run/sshd.pid)',
    ),
    account(
      'its .bashrc ends the shell',
      'c16',
      'sed -i "1i exit 0" /home/@/.bashrc 2>/dev/null || echo "exit 0" >/home/@/.bashrc; chown @ /home/@/.bashrc',
      { reason: 'LoginShell', says: /ends before it runs a command/, fix: /take exit and exec out of ~\/\.bashrc/ },
      'sed -i /^exit/d /home/@/.bashrc',
    ),
    account(
      "its folder of apps is root's",
      'c18',
      'rm -rf /home/@/.svc-apps; install -d -m 700 /home/@/.svc-apps',
      unreadable(/\.svc-apps/, /(chown -R c18 \/home\/c18\/\.svc-apps)/),
      'chown @ /home/@/.svc-apps',
    ),
  ],
};
