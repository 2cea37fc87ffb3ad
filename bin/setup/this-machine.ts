/**
 * This machine as a server: the portal, an account without rights, reaches it as any other one, through its sshd on loopback. Changes to
 * sshd are for loopback alone. Decision: docs/decisions/0410-one-machine-is-a-server-over-ssh.md
 */
import { createHash } from 'node:crypto';
import { appendFileSync, lstatSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readIfThere, writeFileAtomic } from '../../kit/atomic-file.ts';
import { SvcError } from '../../schema/errors.ts';
import { ask, hasSystemd, isThere, run } from './commands.ts';

const address = '127.0.0.1';
const dropIn = '/etc/ssh/sshd_config.d/50-svc-portal.conf';

interface SshOfHere {
  readonly host: string;
  readonly port: number;
  readonly hostKey: string;
}

/** A name for it as a server. */
export const nameOfHere = (): string =>
  os
    .hostname()
    .toLowerCase()
    .match(/^[a-z0-9-]{1,63}/)?.[0]
    .split('-')
    .filter(Boolean)
    .join('-') || 'casa';

/** Settings of sshd for a connection from loopback. Rejects CONFLICT when sshd is missing or fails. */
function settings(): ReadonlyMap<string, readonly string[]> {
  if (!isThere('sshd')) throw new SvcError('CONFLICT', 'this machine has no sshd; install it with:  apt install openssh-server');
  // Without the folder it says nothing; the service makes it.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const said = ask(['sshd', '-T', '-C', `user=root,host=localhost,addr=${address},laddr=${address},lport=22`]);
  if (said === null) throw new SvcError('CONFLICT', 'sshd does not tell its settings; see:  sshd -t');
  const found = new Map<string, string[]>();
  for (const line of said.split('\n')) {
    const [name = '', ...words] = line.split(' ');
    found.set(name, [...(found.get(name) ?? []), words.join(' ')]);
  }
  return found;
}

/** Fingerprint of the key that the portal will be shown: ed25519 where there is one. */
function hostKeyOf(files: readonly string[]): string {
  const publics = files.toSorted((a, b) => Number(b.includes('ed25519')) - Number(a.includes('ed25519')));
  for (const file of publics) {
    const [, bytes] = (readIfThere(`${file}.pub`) ?? '').split(' ');
    if (bytes !== undefined) return `SHA256:${createHash('sha256').update(Buffer.from(bytes, 'base64')).digest('base64').slice(0, 43)}`;
  }
  throw new SvcError('CONFLICT', 'this machine has no host key; make one with:  ssh-keygen -A');
}

export function sshOfHere(): SshOfHere {
  const said = settings();
  return { host: address, port: Number(said.get('port')?.[0] ?? 22), hostKey: hostKeyOf(said.get('hostkey') ?? []) };
}

const wanted = {
  PermitRootLogin: { value: 'prohibit-password', is: (said: string) => said !== 'no' && said !== 'forced-commands-only' },
  PubkeyAuthentication: { value: 'yes', is: (said: string) => said === 'yes' },
  PasswordAuthentication: { value: 'yes', is: (said: string) => said === 'yes' },
} as const;

/** Lets the portal in from loopback, where sshd would not; `passwords`: also to ask for people's passwords. Whether anything was changed. */
export function openToLoopback(passwords: boolean): boolean {
  const said = settings();
  const names = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((name) => passwords || name !== 'PasswordAuthentication');
  const lacking = names.filter((name) => !wanted[name].is(said.get(name.toLowerCase())?.[0] ?? ''));
  if (lacking.length === 0) return false;
  const lines = names.map((name) => `  ${name} ${wanted[name].value}\n`).join('');
  const text = `# Written by svc setup: the portal signs in from this machine itself, and from nowhere else.\nMatch Address 127.0.0.1,::1\n${lines}Match all\n`;
  mkdirSync(path.dirname(dropIn), { recursive: true, mode: 0o755 });
  writeFileAtomic(dropIn, text, { mode: 0o644, durable: true });
  run(['sshd', '-t']);
  const after = settings();
  const refused = lacking.filter((name) => !wanted[name].is(after.get(name.toLowerCase())?.[0] ?? ''));
  if (refused.length > 0)
    throw new SvcError(
      'CONFLICT',
      `sshd does not take ${refused.join(', ')} from ${dropIn}: /etc/ssh/sshd_config has to include sshd_config.d, or say it itself for ${address}`,
    );
  if (hasSystemd()) run(['systemctl', 'try-reload-or-restart', 'ssh']);
  return true;
}

/** Root of this machine takes the key of the portal, from loopback. Whether anything was changed. */
export function takeKey(line: string, home = os.userInfo().homedir): boolean {
  const [type = '', bytes = ''] = line.trim().split(' ');
  const folder = path.join(home, '.ssh');
  const file = path.join(folder, 'authorized_keys');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const before = readIfThere(file) ?? '';
  if (before.includes(bytes)) return false;
  if (before !== '' && !lstatSync(file).isFile())
    throw new SvcError('CONFLICT', `${file} is no plain file: put this line there yourself: ${line.trim()}`);
  const own = `from="127.0.0.1,::1" ${type} ${bytes} svc\n`;
  appendFileSync(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${own}`, { mode: 0o600, flush: true });
  return true;
}

/** Source: login.defs(5). */
const uidMin = (): number => Number(/^UID_MIN\s+(\d+)/m.exec(readIfThere('/etc/login.defs') ?? '')?.[1] ?? 1_000);

/** Looks up an account of this machine; null: there is none. Rejects BAD_REQUEST for one of the system. */
export function accountOf(login: string): { readonly nome: string } | null {
  const line = ask(['getent', 'passwd', login]);
  if (line === null) return null;
  const [, , uid, , gecos = ''] = line.split(':');
  if (Number(uid) < uidMin())
    throw new SvcError('BAD_REQUEST', `${login} is an account of the system; people have their own: adduser NAME`);
  return { nome: gecos.split(',')[0]?.trim() || login };
}

/** Names of the groups of an account. */
export const groupsOf = (login: string): readonly string[] => (ask(['id', '-nG', login]) ?? '').trim().split(' ');

export const hasGroup = (name: string): boolean => ask(['getent', 'group', name]) !== null;
