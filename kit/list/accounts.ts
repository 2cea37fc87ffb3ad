/**
 * Homes of accounts and people's own packages. Root reads nothing below a home: a child process that became the person does, so a link or
 * pipe there leads nowhere the person may not go.
 */
import { spawn } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Account } from '../../schema/account-lookup.ts';
import type { ListLine } from '../../schema/list-lines.ts';
import { accountPaths } from '../../schema/server-paths.ts';

const childrenAtOnce = 4;

/** The own packages of each account, in any order. */
export async function listOwn(accounts: Iterable<Account>, prefix: string, emit: (line: ListLine) => void): Promise<void> {
  const left = [...accounts];
  const next = async (): Promise<void> => {
    for (let account = left.shift(); account !== undefined; account = left.shift()) await listAs(account, prefix, emit);
  };
  await Promise.all(Array.from({ length: childrenAtOnce }, next));
}

/** Most people installed nothing: they cost nothing. */
export function hasOwn({ home }: Pick<Account, 'home'>): boolean {
  try {
    return lstatSync(accountPaths({ home, prefix: '' }).personApps, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Root may have no rights on a network home: the listing as the person decides.
    return true;
  }
}

/** Reports a home that could not be read: its packages may be unchanged. */
export function unread({ name, home }: Account, prefix: string, message: string): ListLine {
  return { event: 'bad', account: name, folder: accountPaths({ home, prefix }).personApps, message, unread: 'all' };
}

function listAs(account: Account, prefix: string, emit: (line: ListLine) => void): Promise<void> {
  const { name, uid, gid, home } = account;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', process.argv[1] ?? '', '--own'], {
    cwd: '/',
    uid,
    gid,
    env: { HOME: home, SVC_PREFIX: prefix, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.accountListBytesMax) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  return new Promise((resolve) => {
    const end = (why: string): void => {
      clearTimeout(deadline);
      child.removeAllListeners().on('error', () => undefined);
      if (why === '') for (const line of Buffer.concat(chunks).toString('utf8').split('\n')) emitOwn(name, line, emit);
      else emit(unread(account, prefix, why));
      resolve();
    };
    // Not waited for: what waits for a network home may outlive SIGKILL.
    const deadline = setTimeout(() => {
      child.kill('SIGKILL');
      child.unref();
      child.stdout.destroy();
      end(`svc-app-list as ${name} did not end within ${sharedLimits.accountObserveMsMax / 1_000} s`);
    }, sharedLimits.accountObserveMsMax);
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code === 0 ? '' : `svc-app-list as ${name} ended with ${signal ?? code}`));
  });
}

/** The person may have had a hand in these lines: whose packages they are is said by us. */
function emitOwn(account: string, text: string, emit: (line: ListLine) => void): void {
  let line: ListLine;
  try {
    line = JSON.parse(text) as ListLine;
  } catch {
    return;
  }
  if (typeof line === 'object' && line !== null && (line.event === 'package' || line.event === 'bad')) emit({ ...line, account });
}
