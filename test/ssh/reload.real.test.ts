/**
 * Settings that the scripts of the kit make sshd read (kit/server: reload.sh, accounts.sh, remove.sh, facts.sh), with a real sshd on a
 * machine without systemd: mounts and processes are of a namespace of their own, so that nothing of this machine is touched.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'vitest';
import { freePort, repository } from '../support/portal.ts';

/** Runs the lines in there; `here SCRIPT WORD…` runs a script beside sshd, `over SCRIPT WORD…` by ssh as the portal does, `opens` asks for its key; DIR is its folder. Answers what was said between `--` and `--`. */
async function onServer(lines: string): Promise<readonly string[]> {
  const dir = mkdtempSync(path.join(tmpdir(), 'svcr-'));
  const port = await freePort();
  for (const name of ['own', 'reload', 'accounts', 'remove', 'facts'])
    copyFileSync(path.join(repository, `kit/server/${name}.sh`), `${dir}/${name}.sh`);
  for (const name of ['host', 'admin', 'portal']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', `${dir}/${name}`]);
  mkdirSync(`${dir}/keys`);
  copyFileSync(`${dir}/admin.pub`, `${dir}/keys/root`);
  writeFileSync(
    `${dir}/config`,
    [
      'Include /etc/ssh/sshd_config.d/*.conf',
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${dir}/host`,
      'PidFile /run/svc-test.pid',
      `AuthorizedKeysFile ${dir}/keys/%u`,
      'PermitRootLogin prohibit-password',
      'AllowUsers root',
      'UsePAM no',
      'StrictModes no',
      'LogLevel VERBOSE',
      // The effects of root's own `~/.bashrc` here are not part of the test.
      'SetEnv SHLVL=2',
    ].join('\n'),
  );
  const text = `set -eu
cd ${dir}
# Others on this machine make accounts meanwhile: their lock files go while it is copied.
cp -a /etc etc 2>copied || ! grep -v '/etc/[a-z]*\\(\\.lock\\|[+-]\\|\\.[0-9]*\\). *: No such file' copied >&2
mount --bind etc /etc
mkdir -p /root/.cache
for at in /run /opt /usr/local /root/.cache; do mount -t tmpfs none $at; done
mkdir -p /run/sshd /usr/local/sbin /usr/local/bin /opt/svc
for name in systemctl loginctl; do printf '#!/bin/sh\\nexit 1\\n' >/usr/local/sbin/$name; chmod 755 /usr/local/sbin/$name; done
rm -rf /etc/svc /etc/svc-kit /etc/ssh/sshd_config.d; mkdir /etc/ssh/sshd_config.d; cp config /etc/ssh/sshd_config
/usr/sbin/sshd -E ${dir}/log
n=0; until [ -s /run/svc-test.pid ] || [ $n -ge 600 ]; do sleep 0.05; n=$((n + 1)); done
rm /run/svc-test.pid
full() { cat own.sh reload.sh $1.sh; }
here() { s=$1; shift; full $s | sh -s -- / "$@" || echo "ended with $?"; }
client() { k=$1; shift; ssh -F none -i $k -p ${port} -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR root@127.0.0.1 "$@"; }
over() { s=$1; shift; full $s | client admin sh -s -- / "$@" || echo "ended with $?"; }
opens() { n=0; until client portal true </dev/null 2>/dev/null; do n=$((n + 1)); if [ $n -ge $1 ]; then echo closed; return; fi; sleep 0.1; done; echo open; }
words="path $(cut -d' ' -f1,2 portal.pub) - - root"
key() { here facts root | grep -o ' key=[a-z]*'; }
hups() { grep -c 'Received SIGHUP' log || true; }
${lines.replaceAll('DIR', dir)}`;
  const child = spawn('unshare', ['-m', '-p', '-f', '--kill-child', '--mount-proc', 'sh', '-s']);
  child.stdin.end(text);
  const [[code], out, said] = await Promise.all([once(child, 'exit'), textOf(child.stdout), textOf(child.stderr)]);
  rmSync(dir, { recursive: true, force: true });
  if (code !== 0 || said !== '') throw new Error(`ended with ${String(code)}: ${said}`);
  return out
    .replaceAll(dir, 'DIR')
    .split('--\n')
    .map((part) =>
      part
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !/^(no-linger|no-manager) /.test(line)),
    )
    .map((part) => part.join(', '));
}

describe.concurrent('a machine of its own', () => {
  test('a reload that failed is told, seen and made up by the next run, once', async ({ expect }) => {
    expect(
      await onServer(`
here accounts $words; opens 1; key; echo --
: >/run/svc-test.pid; here accounts $words; opens 1; echo --
echo 1 >/run/svc-test.pid; here accounts $words; hups; echo --
over accounts $words; opens 50; key; hups; echo --
over accounts $words; sleep 0.3; hups; echo --
rm /etc/svc-kit/sshd-reads; key; over accounts $words; opens 50; key; hups`),
    ).toEqual(['no-reload, closed, key=no', 'no-reload, closed', 'no-reload, 0', 'open, key=yes, 1', '1', 'key=no, open, key=yes, 2']);
  });

  test('the pid file names the sshd where the script came in by another way', async ({ expect }) => {
    expect(await onServer(`pidof sshd >/run/svc-test.pid; here accounts $words; opens 50; hups`)).toEqual(['open, 1']);
  });

  test('a reload that fails does not stop the removal, and is told', async ({ expect }) => {
    const lines = await onServer(`
over accounts $words; opens 50; rm -f /run/svc-test.pid
here remove yes; ls -d /opt/svc /etc/svc-kit /etc/ssh/sshd_config.d/* 2>/dev/null || echo nothing
over accounts $words; opens 50`);
    expect(lines).toEqual(['open, step end, step key, no-reload, step files, step done, nothing, open']);
  });

  test('the folder of an older kit is read until sshd reads the new one; what others have beside it, and in the folder of drop-ins, stays', async ({
    expect,
  }) => {
    const lines = await onServer(`
mkdir -p /etc/svc/authorized_keys /etc/svc/lingered; echo x >/etc/svc/casa.yaml; echo '# of others' >/etc/ssh/sshd_config.d/50-mine.conf
printf '# By svc: the key of the portal.\\nAuthorizedKeysFile DIR/keys/%%u /etc/svc/authorized_keys/%%u\\n' >/etc/ssh/sshd_config.d/00-svc.conf
printf 'restrict,port-forwarding,pty %s svc-portal\\n' "$(cut -d' ' -f1,2 portal.pub)" >/etc/svc/authorized_keys/root
client admin 'kill -HUP $(pgrep -o -f DIR/log)'; opens 50; rm /run/svc-test.pid; echo --
here accounts $words; opens 1; ls /etc/svc; echo --
over accounts $words; opens 50; key; ls /etc/svc; sed -n 2p /etc/ssh/sshd_config.d/00-svc.conf; rm /run/svc-test.pid; echo --
here remove yes; ls -d /etc/svc/* /etc/svc-kit /etc/ssh/sshd_config.d/* 2>/dev/null || true; echo --
echo '# of others' >/etc/ssh/sshd_config.d/00-svc.conf; here accounts $words; cat /etc/ssh/sshd_config.d/00-svc.conf; here remove yes; cat /etc/ssh/sshd_config.d/00-svc.conf`);
    expect(lines).toEqual([
      'open',
      'no-reload, open, authorized_keys, casa.yaml, lingered',
      'open, key=yes, casa.yaml, AuthorizedKeysFile DIR/keys/%u /etc/svc-kit/authorized_keys/%u',
      'step end, step key, no-reload, step files, step done, /etc/ssh/sshd_config.d/50-mine.conf, /etc/svc/casa.yaml',
      "error /etc/ssh/sshd_config.d/00-svc.conf is not svc's: give it another name, ended with 14, # of others, step end, step key, step files, step done, # of others",
    ]);
  });
});
