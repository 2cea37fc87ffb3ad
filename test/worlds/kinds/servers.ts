/** Servers that can't be had, one after the other on vega; those that the document has wrong beside them on polar. */
import { until } from '../../journeys/until.ts';
import { folder, startSshd, state, stopSshd, type Site } from '../site.ts';
import type { Group, Truth, World } from '../world.ts';
import { serverDocument } from '../worlds.ts';

const on =
  (script: string) =>
  (site: Site): Promise<unknown> =>
    site.server('vega').sh(script);
const reload = 'kill -HUP "$(cat /run/sshd.pid)"';
/** Whoever is connected is cut off: what is said then is of those that come. */
const cut = 'pkill -KILL -f "^sshd: .*(root|eva)" || true';

function server(
  name: string,
  breaks: (site: Site) => Promise<unknown>,
  truth: Truth,
  mend: World['mend'],
  over: Partial<World> = {},
): World {
  return {
    name,
    lane: 'vega',
    break: breaks,
    truth: { 'Server/vega': truth },
    mend,
    healed: { 'Server/vega': 'ready', 'Backend/eva/notas': 'running' },
    ...over,
  };
}

const write = async (site: Site, name: string, over = '', change: (text: string) => string = (text) => text): Promise<void> => {
  await site.write(name, change(await serverDocument(site, name, over)));
  await site.svc('apply');
};

/** A document of polar that is wrong, and the right one again. */
function written(name: string, over: string, change: (text: string) => string, truth: Truth, more: Partial<World> = {}): World {
  return {
    name,
    lane: 'polar',
    break: (site) => write(site, 'polar', over, change),
    truth: { 'Server/polar': truth },
    mend: (site) => write(site, 'polar'),
    healed: { 'Server/polar': 'ready', 'Backend/rui/notas': 'running' },
    ...more,
  };
}

const unreachable = (says: RegExp, fix: RegExp): Truth => ({ reason: 'ServerUnreachable', says, fix });
const moved =
  (host: string) =>
  (text: string): string =>
    text.replace(/host: [0-9.]+/, `host: ${host}`);

const onVega: readonly World[] = [
  server(
    'sshd is stopped',
    (site) => stopSshd(site.server('vega')),
    unreachable(/takes no new connection|does not answer/, /nothing listens on port 22 of \S+: start sshd there/),
    (site) => startSshd(site.server('vega')),
    {
      doctor: { servers: /vega/, 'vega:ssh': /ECONNREFUSED.*(systemctl start|sshd)/ },
    },
  ),
  server(
    'its host key is another one',
    on(`rm /etc/ssh/ssh_host_ed25519_key*; ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key; ${reload}; ${cut}`),
    { reason: 'HostKeyChanged', says: /another host key/, fix: new RegExp(`svc server trust vega ${folder} shows`) },
    async (site) => {
      const { out } = await site.svc('server', 'trust', 'vega', folder);
      const key = /SHA256:[A-Za-z0-9+/]{43}/.exec(out)?.[0] ?? '';
      const console = await site.server('vega').sh('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
      if (!console.out.includes(key)) throw new Error(`svc server trust says ${out}, the console ${console.out}`);
      await write(site, 'vega');
    },
    { doctor: { servers: /vega/ } },
  ),
  server(
    "root's key is taken away",
    on(`mv /root/.ssh/authorized_keys /root/.ssh/antes; ${cut}`),
    { reason: 'KeyRefused', says: /does not let the portal in/, fix: /put this line into ~root\/\.ssh\/authorized_keys: ([^;]+);/ },
    (site, [, line = '']) => site.server('vega').sh('cat >>/root/.ssh/authorized_keys', { input: `${line}\n` }),
    { doctor: { servers: /vega/ } },
  ),
  server(
    'root may not sign in',
    on(`echo "PermitRootLogin no" >/etc/ssh/sshd_config.d/01-root.conf; ${reload}; ${cut}`),
    { reason: 'KeyRefused', says: /does not let the portal in/, fix: /PermitRootLogin/ },
    on(`rm /etc/ssh/sshd_config.d/01-root.conf; ${reload}`),
  ),
  server(
    'the kit is deleted',
    on('rm -rf /opt/svc'),
    { reason: /KitMissing|NotInstalled|Installing|LingerBroken/, fix: /svc server add vega|systemd/ },
    async () => undefined,
  ),
  server(
    'the kit lost a file',
    on('rm -f /opt/svc/current/*/svc-app-list* /opt/svc/current/bin/svc-app-list'),
    { reason: /KitMissing|NotInstalled|Installing|LingerBroken/, fix: /svc server add vega|systemd/ },
    async (site) => await site.svc('server', 'add', 'vega'),
  ),
  server(
    '/opt is full',
    on('rm -rf /opt/svc; mkdir -p /opt; mount -t tmpfs -o size=20m,mode=755 tmpfs /opt'),
    { reason: 'DiskFull', says: /disk is full/, fix: /make room below \/opt on vega/ },
    on('mount -o remount,size=2g /opt'),
    { doctor: { 'vega:disk': /\/opt/ }, plan: /DiskFull|No space|full/ },
  ),
  server(
    'tar is not there',
    on('mv /usr/bin/tar /root/; rm -rf /opt/svc'),
    { reason: 'InstallFailed', says: /vega lacks tar/, fix: /(apt-get install -y util-linux coreutils tar gzip)/ },
    on('mv /root/tar /usr/bin/tar'),
    { doctor: { 'vega:system': /tar.*apt-get install/ } },
  ),
  server(
    'its clock is an hour off',
    on('printf \'#!/bin/sh\\nexec /usr/bin/date -d "+1 hour" "$@"\\n\' >/usr/local/bin/date; chmod 755 /usr/local/bin/date'),
    { reason: 'ClockOff', says: /clock/, fix: /date -u on both says which is wrong; there: timedatectl set-ntp true/ },
    on('rm /usr/local/bin/date'),
    { doctor: { 'vega:clock': /3[56]\d\d s|hour|h/ } },
  ),
  server(
    "root's .bashrc ends the shell",
    on(`echo 'exit 0' >/root/.bashrc; ${cut}`),
    {
      reason: 'LoginShell',
      says: /the login shell of root ends before it runs a command \(~\/\.bashrc/,
      fix: /take exit and exec out of ~\/\.bashrc/,
    },
    on("sed -i '/^exit/d' /root/.bashrc"),
    { after: on('rm -f /root/.bashrc') },
  ),
  server(
    'sshd forwards to no sockets',
    on(`echo "AllowStreamLocalForwarding no" >/etc/ssh/sshd_config.d/02-forward.conf; ${reload}; ${cut}`),
    { reason: /./ },
    async (site) => {
      const row = (await site.doctor('vega')).find(({ name }) => name === 'ssh');
      const line = /^(printf .*) && systemctl reload ssh/.exec(row?.fix ?? '')?.[1];
      if (line === undefined) throw new Error(`doctor --server vega: ${row?.detail}; ${row?.fix}`);
      await site.server('vega').sh(`${line}; ${reload}; ${cut}`);
      const after = (await site.doctor('vega')).find(({ name }) => name === 'ssh');
      if (after?.ok !== true) throw new Error(`doctor --server vega goes on: ${after?.detail}`);
    },
    { doctor: { 'vega:ssh': /AllowStreamLocalForwarding/ }, after: on('rm -f /etc/ssh/sshd_config.d/0[02]-*.conf') },
  ),
  server(
    'only root may log in, by /etc/nologin',
    on(`echo manutencao >/etc/nologin; ${cut}`),
    { reason: 'Reachable' },
    on('rm /etc/nologin'),
    { truth: { 'Supervisor/eva': { reason: 'KeyRefused', says: /\/etc\/nologin/, fix: /(rm \/etc\/nologin)/ } } },
  ),
  server(
    'sshd lets only root in',
    on(`echo "AllowUsers root" >/etc/ssh/sshd_config.d/03-allow.conf; ${reload}; ${cut}`),
    { reason: 'Reachable' },
    on(`rm /etc/ssh/sshd_config.d/03-allow.conf; ${reload}`),
    {
      truth: {
        'Supervisor/eva': {
          reason: 'KeyRefused',
          says: /AllowUsers of the sshd on vega keeps eva out/,
          fix: /change AllowUsers in the sshd_config of vega/,
        },
      },
    },
  ),
  server(
    'sshd does not read where the key is',
    on(`rm -f $(grep -l svc-kit /etc/ssh/sshd_config.d/*); ${reload}; ${cut}`),
    { reason: 'Reachable' },
    async (site) => await site.svc('server', 'add', 'vega'),
    {
      truth: {
        'Supervisor/eva': { reason: 'KeyRefused', says: /does not read \/etc\/svc-kit\/authorized_keys/, fix: /svc server add vega/ },
      },
      doctor: { 'vega:accounts': /does not read the key of the portal for: eva/ },
    },
  ),
  server(
    'its cable is out',
    on('ip link set net down'),
    unreachable(
      /EHOSTUNREACH|no answer within|broke off/,
      /look whether the machine \S+ is up|svc doctor --server vega says at which step/,
    ),
    on('ip link set net up'),
    {
      doctor: { servers: /vega/, 'vega:ssh': /look whether (?:the machine \S+ is up|sshd answers)/ },
    },
  ),
  server(
    'its sshd hangs',
    on(`kill -STOP "$(cat /run/sshd.pid)"; ${cut}`),
    unreachable(/no answer within|broke off/, /look whether the machine \S+ is up|svc doctor --server vega says at which step/),
    on('kill -CONT "$(cat /run/sshd.pid)"'),
    { doctor: { servers: /vega/, 'vega:ssh': /no answer within \d+ s; look whether the machine|broke off; look whether sshd/ } },
  ),
  server(
    "something else is at the place of the kit's link",
    on('rm /opt/svc/current; mkdir /opt/svc/current'),
    {
      reason: 'InstallFailed',
      says: /\/opt\/svc\/current on vega is not the server kit's, which needs that name: move it to another place/,
      fix: /mend what the message names/,
    },
    on('mv /opt/svc/current /root/'),
  ),
  server(
    'its node is no program any more',
    on('f=$(readlink -f /opt/svc/current/node/bin/node); rm "$f"; echo kaputt >"$f"; chmod 755 "$f"'),
    { reason: /KitMissing|NotInstalled|Installing|LingerBroken/, fix: /svc server add vega|systemd/ },
    async () => undefined,
  ),
  server(
    'its account is gone while its app runs',
    on('sed -i /^eva:/d /etc/passwd /etc/shadow /etc/group /etc/gshadow; pkill -KILL -u eva || true'),
    { reason: 'Reachable' },
    async (site, [, line = '']) => {
      await site.server('vega').sh(line);
      // The folders are those of the account of before: each is reported with its fix.
      for (let step = 0; step < 3; step += 1) {
        const next = await until(
          'what comes next',
          async () => {
            const { sentence, fix } = await site.why('Supervisor/eva');
            return sentence.includes(' is up ') ? 'true' : /^chown (?:-R )?eva \S+$/.exec(fix ?? '')?.[0];
          },
          60_000,
        );
        await site.server('vega').sh(next);
      }
    },
    {
      truth: {
        'Person/eva': { reason: 'AccountMissing', says: /vega has no account/, fix: /(useradd --create-home --shell \/bin\/bash eva)/ },
      },
    },
  ),
];

const onPolar: readonly World[] = [
  written(
    'its name is in no DNS',
    '',
    moved('polar.invalid'),
    unreachable(/polar\.invalid/, /polar\.invalid does not resolve: correct host in the Server document/),
    { doctor: { servers: /polar/ } },
  ),
  written(
    'nobody is at its address',
    '',
    moved('198.51.100.250'),
    unreachable(/EHOSTUNREACH/, /look whether the machine 198\.51\.100\.250 is up/),
  ),
  written(
    'nobody listens at its port',
    ', port: 2299',
    (text) => text,
    unreachable(/ECONNREFUSED/, /nothing listens on port 2299 of \S+: .*correct port in the Server document/),
  ),
  {
    ...written(
      'what listens at its port is no sshd',
      ', port: 2298',
      (text) => text,
      unreachable(/./, /(svc doctor --server polar) says at which step/),
    ),
    doctor: { 'polar:ssh': /ssh/ },
    break: async (site) => {
      site.server('polar').start(['/usr/bin/python3', '-m', 'http.server', '2298']).stderr?.resume();
      await write(site, 'polar', ', port: 2298');
    },
  },
  written('the key of the portal is not there', ', key: { file: /etc/svc-portal/nada }', (text) => text, {
    reason: 'KeyUnreadable',
    says: /nada/,
    fix: /mend what the message names, or ssh\.key/,
  }),
  {
    ...written('its administrator has no sudo', ', admin: rui', (text) => text, {
      reason: 'AdminRefused',
      says: /rui does not become root/,
      fix: /(apt-get install -y sudo && echo 'rui ALL=.*sudoers\.d\/svc)/,
    }),
    break: async (site) => {
      const { out: key } = await site.portal.run(['cat', `${state}/ssh/id_ed25519.pub`]);
      await site
        .server('polar')
        .sh(
          'install -d -m 700 -o rui -g rui /home/rui/.ssh; cat >/home/rui/.ssh/authorized_keys; chown rui /home/rui/.ssh/authorized_keys',
          { input: key },
        );
      await write(site, 'polar', ', admin: rui');
    },
    // The machine has no network to get it from: an administrator who takes the second way.
    mend: (site) => write(site, 'polar'),
  },
];

/** The reports where the file system of polar's packages is full. */
const full: World = {
  name: 'no room for packages',
  lane: 'polar',
  break: async (site) => {
    await site
      .server('polar')
      .sh(
        'mkdir -p /mnt/apps; mount -t tmpfs -o size=3m tmpfs /mnt/apps; cp -a /opt/svc-apps/. /mnt/apps; mount --move /mnt/apps /opt/svc-apps',
      );
    await site.app('grande', {}, { dados: 'x'.repeat(4_000_000) });
    await site.write('grande', 'kind: Package\nmetadata: { name: grande }\nspec: { app: grande, versao: 1.0.0, server: polar }');
    await site.svc('apply');
  },
  truth: { 'Package/grande': { reason: 'DiskFull', says: /no space left/, fix: /free space there/ } },
  mend: (site) => site.server('polar').sh('mount -o remount,size=64m /opt/svc-apps'),
  healed: { 'Package/grande': 'installed' },
};
const readOnly: World = {
  name: 'the folder of packages is read-only',
  lane: 'polar',
  break: async (site) => {
    await site.server('polar').sh('mount --bind /opt/svc-apps /opt/svc-apps; mount -o remount,bind,ro /opt/svc-apps');
    await site.app('lido');
    await site.write('lido', 'kind: Package\nmetadata: { name: lido }\nspec: { app: lido, versao: 1.0.0, server: polar }');
    await site.svc('apply');
  },
  truth: { 'Package/lido': { reason: 'InstallFailed', says: /read-only|EROFS/i, fix: /mend what the message names/ } },
  mend: (site) => site.server('polar').sh('mount -o remount,bind,rw /opt/svc-apps'),
  healed: { 'Package/lido': 'installed' },
};
/** A second portal with documents for the same server. */
const two: World = {
  name: 'another portal has the same server',
  isLong: true,
  lane: 'polar',
  break: async (site) => {
    const document = await serverDocument(site, 'polar');
    await site.portal.sh(`mkdir -p /etc/dois /srv/dois; chown svc /srv/dois; cat >/etc/dois/all.yaml`, {
      input: `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: dois }\nspec: {}\n---\napiVersion: svc/v1\n${document}\n---\napiVersion: svc/v1\nkind: Person\nmetadata: { name: rui }\nspec: { nome: Rui, login: rui, server: polar }\n`,
    });
    const child = site.portal.start(['svc', 'up', '/etc/dois', '--state', '/srv/dois', '--listen', '127.0.0.1:8797', '--no-link'], {
      as: 'svc',
    });
    for (const stream of [child.stdout, child.stderr]) stream?.resume();
    await until(
      'its key',
      async () => (await site.portal.run(['test', '-s', '/srv/dois/ssh/id_ed25519.pub'], { codes: [0, 1] })).code === 0,
    );
    const { out: key } = await site.portal.run(['cat', '/srv/dois/ssh/id_ed25519.pub']);
    await site.server('polar').sh('cat >>/root/.ssh/authorized_keys', { input: key });
    await site.svc('server', 'add', 'polar', '--state', '/srv/dois');
  },
  truth: { 'Server/polar': { reason: 'OtherPortal', says: /another portal orders this server/, fix: /end the other portal/ } },
  doctor: { servers: /polar/ },
  mend: async (site) => {
    await site.portal.sh('kill "$(cat /srv/dois/pid)"');
    await site.server('polar').sh('sed -i 2d /root/.ssh/authorized_keys');
  },
  healed: { 'Server/polar': 'ready', 'Backend/rui/notas': 'running' },
  // It is reported for ten minutes after it was seen last.
  healMsMax: 720_000,
};

export const serverGroup: Group = {
  name: 'servers',
  servers: ['vega', 'polar'],
  share: 1,
  worlds: [...onVega, ...onPolar, full, readOnly, two],
};
