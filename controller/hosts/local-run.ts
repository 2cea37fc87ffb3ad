/** A program on this machine: its standard input from a text, its standard output as bounded lines, its end. As another account when the portal is root. */
import { spawn } from 'node:child_process';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { HostRun, HostRunEnd } from './host.ts';
import { limits } from './limits.ts';
import type { Account } from '../../schema/account-lookup.ts';

export interface LocalRun extends HostRun {
  readonly home: string;
  /** Account that runs it; absent: the account of the portal. */
  readonly become?: Account;
  readonly clock: Clock;
}

/** Words before a program that another account runs. */
export function becoming({ uid, gid }: Account): readonly string[] {
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--'];
}

export async function runProgram({ argv, stdin, onLine, signal, msMax, home, become, clock }: LocalRun): Promise<HostRunEnd> {
  if (signal.aborted) throw new SvcError('CANCELLED', `${argv[0]} was cancelled`);
  const [program = '', ...words] = [...(become === undefined ? [] : becoming(become)), ...argv];
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  // detached: setsid, so that the account can't type into the portal's terminal, and what it started can be ended with it.
  const env = { ...Object.fromEntries(kept), HOME: home, ...(become && { USER: become.name, LOGNAME: become.name }) };
  const child = spawn(program, words, { cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'pipe'], env });
  let refusal: SvcError | null = null;
  const end = (error: SvcError): void => {
    refusal ??= error;
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    // Processes that it left behind may hold the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-4_096);
  });
  let rest = '';
  let total = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    total += text.length;
    if (rest.length > limits.remoteLineBytesMax || total > limits.remoteOutputBytesMax) {
      end(new SvcError('TOO_LARGE', 'a command on the server printed more than the limit'));
      return;
    }
    for (const line of lines) onLine(line);
  });
  // It may end before it read everything: how it ended says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const cancelled = (): void => end(new SvcError('CANCELLED', `${argv[0]} was cancelled`));
  signal.addEventListener('abort', cancelled, { once: true });
  const deadline = clock.at(clock.monotonicMs() + msMax, () =>
    end(new SvcError('TIMEOUT', `${argv[0]} did not end within ${msMax / 1_000} s`)),
  );
  const ended = await new Promise<Pick<HostRunEnd, 'code' | 'signal'>>((resolve) => {
    child.once('error', (error) => {
      refusal ??= new SvcError('SERVER_UNREACHABLE', `${argv[0]} does not run: ${error.message}`);
      resolve({ code: null, signal: null });
    });
    child.once('close', (code, name) => resolve({ code, signal: name }));
  });
  deadline();
  signal.removeEventListener('abort', cancelled);
  if (refusal !== null) throw refusal as SvcError;
  if (rest !== '') onLine(rest);
  return { ...ended, said: said.trim() };
}
