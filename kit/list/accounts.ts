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
export async function listOwn(
  accounts: Iterable<Account>,
  prefix: string,
  emit: (line: ListLine) => void,
  bytesMax: number = limits.ownListsBytesMax,
): Promise<void> {
  const left = [...accounts];
  let bytesLeft = bytesMax;
  const next = async (): Promise<void> => {
    for (let account = left.shift(); account !== undefined; account = left.shift()) {
      const own = account;
      const told = await listAs(own, prefix);
      const lines =
        told instanceof Error
          ? []
          : told
              .toString('utf8')
              .split('\n')
              .flatMap((line) => ownLine(own.name, line));
      // As the portal counts them: what a line costs beside its bytes, and numbers that are longer when they are written again.
      const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)) + limits.listLineCostBytes, 0);
      if (told instanceof Error) emit(unread(own, prefix, told.message));
      else if (bytes > limits.accountListBytesMax) emit(unread(own, prefix, tooManyOf(own.name)));
      else if (bytes > bytesLeft)
        emit(unread(own, prefix, 'the packages that other people put into their own folders are all that one list holds'));
      else for (const line of lines) emit(line);
      bytesLeft -= Math.min(bytes > limits.accountListBytesMax ? 0 : bytes, bytesLeft);
    }
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

/** Its lines, or why there are none. */
function listAs({ name, uid, gid, home }: Account, prefix: string): Promise<Buffer | Error> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', process.argv[1] ?? '', '--own'], {
    cwd: '/',
    uid,
    gid,
    env: { HOME: home, SVC_PREFIX: prefix, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const end = (told: Buffer | Error): void => {
      clearTimeout(deadline);
      child.removeAllListeners().on('error', () => undefined);
      resolve(told);
    };
    // Not waited for: what waits for a network home may outlive SIGKILL.
    const giveUp = (why: string): void => {
      child.kill('SIGKILL');
      child.unref();
      child.stdout.destroy();
      end(new Error(why));
    };
    const deadline = setTimeout(
      () => giveUp(`svc-app-list as ${name} did not end within ${sharedLimits.accountObserveMsMax / 1_000} s`),
      sharedLimits.accountObserveMsMax,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > limits.accountListBytesMax) giveUp(tooManyOf(name));
    });
    child.once('error', end);
    child.once('close', (code, signal) =>
      end(code === 0 ? Buffer.concat(chunks) : new Error(`svc-app-list as ${name} ended with ${signal ?? code}`)),
    );
  });
}

/** The person may have had a hand in these lines: whose packages they are is said by us. */
function ownLine(account: string, text: string): readonly ListLine[] {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return [];
  }
  if (typeof line !== 'object' || line === null || !('event' in line)) return [];
  return line.event === 'package' || line.event === 'bad' ? [{ ...line, account } as ListLine] : [];
}

const tooManyOf = (name: string): string =>
  `the packages in the own folder of ${name} have more than ${limits.accountListBytesMax} bytes of manifests`;
