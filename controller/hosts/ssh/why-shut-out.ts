/**
 * Why an account does not come in, or its supervisor does not start, asked of the server as its administrator: sshd says the same of a closed
 * account as of a key that it does not know, and a shell that lets nobody in just ends.
 */
import { SvcError, type ErrorCode } from '../../../schema/errors.ts';
import type { AccountClosed } from '../../../schema/list-lines.ts';
import type { Words } from '../../../schema/texts/reasons.ts';
import { same } from '../../../schema/texts/doctor.ts';
import { openAccount } from '../../../schema/texts/open-account.ts';
import { limits } from '../../limits.ts';
import type { RemoteResult, RemoteRun } from './remote-run.ts';

export interface ShutOutOptions {
  readonly server: string;
  readonly account: string;
  /** As the administrator of the server. */
  readonly run: (command: RemoteRun) => Promise<RemoteResult>;
  readonly closed: () => Promise<AccountClosed | null>;
}

/** The error with its cause and what mends it, where the server tells one; otherwise the error as it is. Never rejects. */
export async function whyShutOut(error: unknown, options: ShutOutOptions): Promise<unknown> {
  if (!(error instanceof SvcError) || !isDoubtful(error)) return error;
  try {
    return (await found(error, options)) ?? error;
  } catch {
    return error;
  }
}

/** sshd closes the connection of an account that PAM refuses after it took the key. */
const isDoubtful = ({ code, message }: SvcError): boolean =>
  ['SSH_REFUSED', 'SSH_SATURATED', 'SUPERVISOR_FAILED', 'FILES_UNREADABLE'].includes(code) ||
  (code === 'SERVER_UNREACHABLE' && /closed the connection/.test(message));

const shutOut = (error: SvcError, code: ErrorCode, message: string, fix: Words): SvcError =>
  new SvcError(code, `${message} (${error.message})`, { fix }, { cause: error });

async function found(error: SvcError, options: ShutOutOptions): Promise<SvcError | null> {
  const { server, account } = options;
  const told = (code: ErrorCode, message: string, fix: Words): SvcError => shutOut(error, code, message, fix);
  const closed = await options.closed();
  if (closed !== null)
    return told('ACCOUNT_CLOSED', `the account ${account} on ${server} is ${closed}`, same(openAccount(account, closed)));
  const [, , uid = '', , , home = '', shell = ''] = (await lineOf(options, 'getent', 'passwd', account)).split(':');
  const newShell = same(`usermod -s /bin/bash ${account}`);
  if (/\/(?:nologin|false)$/.test(shell))
    return told('SHELL_REFUSED', `the shell of ${account} on ${server} is ${shell}, which lets nobody in`, newShell);
  if (shell !== '' && (await isAbsent(options, shell)))
    return told('SHELL_REFUSED', `the shell of ${account} on ${server}, ${shell}, is not there: sshd lets nobody in`, newShell);
  if (error.code === 'SSH_SATURATED') return noSession(error, options);
  if (error.code === 'SSH_REFUSED' || error.code === 'SERVER_UNREACHABLE')
    return (await onlyRoot(error, options)) ?? (error.code === 'SSH_REFUSED' ? await keptOut(error, options) : null);
  if (await isAbsent(options, home)) {
    // Where a link leads to nothing, that place is made.
    const place = (await lineOf(options, 'readlink', '-m', '--', home)) || home;
    const to = place === home ? '' : ` (it leads to ${place})`;
    return told('HOME_MISSING', `the home of ${account} on ${server}, ${home}${to}, does not exist`, {
      pt: `${make(account, place)}; contas novas a recebem no primeiro login com pam_mkhomedir`,
      en: `${make(account, place)}; new accounts get theirs at their first login with pam_mkhomedir`,
    });
  }
  return await inHome(error, options, home, uid);
}

const make = (account: string, home: string): string => `install -d -m 700 -o ${account} -g $(id -g ${account}) ${home}`;

/** By the raw mode, in hexadecimal. */
const isFolder = (mode: string): boolean => mode.startsWith('4') && mode.length === 4;

/** Whether the account may work in its home, and in its folder of apps. */
async function inHome(error: SvcError, options: ShutOutOptions, home: string, uid: string): Promise<SvcError | null> {
  const { server, account } = options;
  const told = (message: string, fix: string): SvcError => shutOut(error, 'FILES_UNREADABLE', message, same(fix));
  const at = `the home of ${account} on ${server}, ${home},`;
  const [owner, mode = '', type = ''] = (await lineOf(options, 'stat', '-L', '-c', '%u,%a,%f', '--', home)).split(',');
  // On some network homes an administrator may see nothing.
  if (type === '') return null;
  if (!isFolder(type))
    return shutOut(error, 'HOME_MISSING', `${at} is no folder`, same(`mv ${home} ${home}.before; ${make(account, home)}`));
  if (owner !== uid) return told(`${at} belongs to the uid ${owner}`, `chown ${account} ${home}`);
  if (!/7..$/.test(mode)) return told(`${at} has the mode ${mode}: its account may not work in it`, `chmod u+rwx ${home}`);
  const apps = `${home}/.svc-apps`;
  const [ownerOfApps = '', kind = ''] = (await lineOf(options, 'stat', '-L', '-c', '%u,%f', '--', apps)).split(',');
  // The supervisor itself tells what is no folder.
  if (isFolder(kind) && ownerOfApps !== uid)
    return told(`${apps} on ${server} belongs to the uid ${ownerOfApps}`, `chown -R ${account} ${apps}`);
  if (/Read-only file system/.test(error.message))
    return told(`${at} is on a read-only file system`, `mount -o remount,rw $(findmnt -n -o TARGET --target ${home})`);
  return null;
}

/** PAM lets nobody but root in while one of these is there: an administrator made it, or systemd until it has booted. */
async function onlyRoot(error: SvcError, options: ShutOutOptions): Promise<SvcError | null> {
  for (const file of ['/etc/nologin', '/run/nologin']) {
    if (!(await isThere(options, file))) continue;
    const fix = same(`rm ${file}`);
    return shutOut(error, 'SSH_REFUSED', `${options.server} lets only root in as long as ${file} is there`, fix);
  }
  return null;
}

/** sshd could not begin a process for the account, or may not. */
function noSession(error: SvcError, { server, account }: ShutOutOptions): SvcError {
  return shutOut(
    error,
    'SUPERVISOR_FAILED',
    `sshd on ${server} begins nothing for ${account}: the account has as many processes as it may, or MaxSessions is 0`,
    {
      pt: `termine processos de ${account} (ps -u ${account}) ou aumente nproc dele em /etc/security/limits.d; senão MaxSessions no sshd_config`,
      en: `end processes of ${account} (ps -u ${account}) or raise its nproc in /etc/security/limits.d; otherwise MaxSessions in sshd_config`,
    },
  );
}

/** By the lists of sshd_config. Null: not by these. */
async function keptOut(error: SvcError, options: ShutOutOptions): Promise<SvcError | null> {
  const { server, account } = options;
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const settings = await linesOf(options, 'env', path, 'sshd', '-T', '-C', `user=${account},host=portal,addr=127.0.0.1`);
  const listed = (setting: string): readonly string[] =>
    settings.flatMap((line) => (line.startsWith(`${setting} `) ? line.split(' ').slice(1) : []));
  const names = { users: [account], groups: (await lineOf(options, 'id', '-nG', account)).split(' ') };
  const isIn = (patterns: readonly string[], of: readonly string[]): boolean =>
    patterns.some((pattern) => of.some((name) => matches(pattern, name)));
  for (const kind of ['users', 'groups'] as const) {
    const [allowed, denied] = [listed(`allow${kind}`), listed(`deny${kind}`)];
    const isLeftOut = allowed.length > 0 && !isIn(allowed, names[kind]);
    if (!isLeftOut && !isIn(denied, names[kind])) continue;
    const setting = `${isLeftOut ? 'Allow' : 'Deny'}${kind === 'users' ? 'Users' : 'Groups'}`;
    return new SvcError(
      'SSH_REFUSED',
      `${setting} of the sshd on ${server} keeps ${account} out (${error.message})`,
      {
        fix: {
          pt: `mude ${setting} no sshd_config de ${server} para que ${account} entre; systemctl reload ssh`,
          en: `change ${setting} in the sshd_config of ${server} so that it lets ${account} in; systemctl reload ssh`,
        },
      },
      { cause: error },
    );
  }
  // The kit puts the keys of accounts there: kit/server/accounts.sh.
  const folder = '/etc/svc-kit/authorized_keys';
  const reads = listed('authorizedkeysfile').some((place) => place.startsWith(`${folder}/`));
  if (!reads && settings.length > 0 && (await isThere(options, `${folder}/${account}`)))
    return shutOut(
      error,
      'SSH_REFUSED',
      `the sshd on ${server} does not read ${folder}, where svc puts the key`,
      same(`svc server add ${server}`),
    );
  return null;
}

/**
 * As sshd_config(5) has patterns; what stands behind an @ is the host that somebody comes from. Letter by letter, since a server may say any pattern:
 * as a regular expression one with many stars takes for ever.
 */
export function matches(pattern: string, name: string): boolean {
  const [wanted = ''] = pattern.split('@', 1);
  let [at, taken, star, from] = [0, 0, -1, 0];
  while (taken < name.length) {
    if (wanted[at] === '*') [star, from, at] = [at, taken, at + 1];
    else if (wanted[at] === '?' || wanted[at] === name[taken]) [at, taken] = [at + 1, taken + 1];
    else if (star === -1) return false;
    else [at, taken, from] = [star + 1, from + 1, from + 1];
  }
  return /^\**$/.test(wanted.slice(at));
}

async function linesOf({ run }: ShutOutOptions, ...argv: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  await run({ argv, onLine: (line) => void lines.push(line), msMax: limits.serverProbeMsMax });
  return lines;
}

/** '' for none. */
const lineOf = async (options: ShutOutOptions, ...argv: readonly string[]): Promise<string> => (await linesOf(options, ...argv))[0] ?? '';

/** False also where the administrator may not see it, as on some network homes. */
async function isAbsent({ run }: ShutOutOptions, path: string): Promise<boolean> {
  const { code, said } = await run({ argv: ['env', 'LC_ALL=C', 'stat', '-L', '--', path], msMax: limits.serverProbeMsMax });
  return code !== 0 && said.includes('No such file or directory');
}

const isThere = async ({ run }: ShutOutOptions, path: string): Promise<boolean> =>
  (await run({ argv: ['test', '-e', path], msMax: limits.serverProbeMsMax })).code === 0;
