/** A login shell on this machine, as the account of the portal or, when that is root, as one of its people. The pty is pty.py's. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { SvcError } from '../../schema/errors.ts';
import type { RemoteShell, ShellEnd, TerminalSize } from '../../schema/terminals.ts';
import { limits } from './limits.ts';
import { putAfterPortal } from './priority.ts';
import type { Account } from '../../schema/account-lookup.ts';

const program = path.join(import.meta.dirname, 'pty.py');

export interface LocalShell {
  readonly home: string;
  /** Account that runs it; absent: the account of the portal. */
  readonly become?: Account;
  readonly size: TerminalSize;
  /** Where it begins; null: in the home. */
  readonly folder: Uint8Array | null;
}

/** Rejects SERVER_UNREACHABLE when python3 does not start. */
export async function startLocalShell({ home, become, size, folder }: LocalShell): Promise<RemoteShell> {
  const kept = ['LANG', 'LC_ALL', 'TZ'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(kept) };
  const account = become === undefined ? null : { name: become.name, uid: become.uid, gid: become.gid };
  const first = folder === null ? null : Buffer.from(folder).toString('base64');
  const order = { become: account, home, folder: first, columns: size.columns, rows: size.rows, environment };
  // detached: setsid, so that it is in no session of the portal's terminal. -I: nothing of the account's or the environment's is imported.
  const child = spawn('python3', ['-I', program, JSON.stringify(order)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
  putAfterPortal(child);
  const [input, output, , control] = child.stdio as unknown as readonly [Writable, Readable, null, Duplex];
  let end = '';
  control.setEncoding('utf8').on('data', (text: string) => {
    end = (end + text).slice(-limits.shellEndCharsMax);
  });
  for (const stream of [input, output, control]) stream.on('error', () => undefined);
  const ended = new Promise<ShellEnd>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('close', (code, signal) => resolve(endOf(end) ?? { code: signal === null ? code : null, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new SvcError('SERVER_UNREACHABLE', `python3 does not run: ${error.message}`)));
  });
  return {
    output,
    input,
    resize: ({ columns, rows }) => {
      if (control.writable) control.write(`${columns} ${rows}\n`);
    },
    end: () => {
      input.destroy();
      control.destroy();
      // Nobody reads any more: it must not wait for that.
      output.resume();
    },
    ended,
  };
}

/** Null: it said nothing, so it was killed. */
function endOf(line: string): ShellEnd | null {
  try {
    const { code, signal } = JSON.parse(line) as ShellEnd;
    return { code: typeof code === 'number' ? code : null, signal: typeof signal === 'string' ? signal : null };
  } catch {
    return null;
  }
}
