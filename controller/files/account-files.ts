/**
 * Files of this machine, opened by a process of their own (account-files-main.ts). Under a portal that is root it becomes the account of the person,
 * so that no path is ever opened with the portal's rights; else it is what hangs when a file system does, and is ended then, and not the portal.
 * Decisions: docs/decisions/0151-people-of-a-local-server.md, docs/decisions/0234-a-file-system-that-hangs.md
 */
import { spawn } from 'node:child_process';
import type net from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Account } from '../../schema/account-lookup.ts';
import type { FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { createSftpFileSystem } from './sftp/file-system.ts';

const program = path.join(import.meta.dirname, 'account-files-main.ts');

/** `account`: null for that of the portal. */
export function createAccountFileSystem(account: Account | null, clock: Clock): FileSystem {
  let startedAtMs = -Infinity;
  const open = async (): Promise<Duplex> => {
    if (clock.monotonicMs() - startedAtMs < limits.accountFilesRestartMsMin) {
      throw ended(account, 'a moment ago');
    }
    startedAtMs = clock.monotonicMs();
    return start(account);
  };
  return createSftpFileSystem({ open, clock });
}

/** As a door is started (hosts/account-door.ts): without another exec, so that the account can't trace it; with a session of its own. */
function start(account: Account | null): Duplex {
  const flags = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1', '--max-semi-space-size=1', '--v8-pool-size=1'];
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(account)], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...(Object.fromEntries(kept) as Record<string, string>), UV_THREADPOOL_SIZE: String(limits.accountFilesThreads) },
  });
  const line = child.stdio[3] as net.Socket;
  let said = '';
  const fail = (why: string): void => {
    line.destroy(ended(account, why));
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-1_000);
  });
  child.on('error', (error) => fail(error.message));
  child.once('exit', (code, signal) => {
    fail([signal ?? `exit code ${code}`, said.trim()].filter(Boolean).join(': '));
  });
  line.once('close', () => child.kill('SIGKILL'));
  return line;
}

const ended = (account: Account | null, why: string): SvcError =>
  new SvcError('SERVER_UNREACHABLE', `the portal's process for the files of ${account?.name ?? 'its own account'} ended (${why})`);
