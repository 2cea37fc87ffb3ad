/**
 * Each line of the record to the log of the system as well: util-linux's `logger` takes them on its standard input and writes datagrams of
 * RFC 3164 to /dev/log, which Node can't. Decision: docs/decisions/0402-the-record-in-syslog.md
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';

export interface Syslog {
  /** `isWanted`: as the Portal document says now. */
  send(lines: readonly string[], isWanted: boolean): void;
  /** Why they don't get there; null: they do, as far as `logger` says. */
  trouble(): string | null;
  close(): void;
}

/** `command`: another one in tests. */
export function createSyslog(clock: Clock, command: readonly string[] = loggerCommand()): Syslog {
  let child: ChildProcess | null = null;
  let trouble: string | null = null;
  let againAtMs = 0;
  const start = (): ChildProcess | null => {
    if (clock.monotonicMs() < againAtMs) return null;
    const [program = '', ...args] = command;
    const made = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    const gone = (why: string) => (): void => {
      if (child !== made) return;
      child = null;
      trouble = why;
      againAtMs = clock.monotonicMs() + limits.syslogAgainMs;
    };
    made.on('error', gone(`${program} can't be started: install bsdutils`));
    made.on('exit', gone(`${program} ended: /dev/log takes nothing`));
    made.stdin?.on('error', () => undefined);
    made.unref();
    return made;
  };
  const end = (): void => {
    const ended = child;
    child = null;
    trouble = null;
    ended?.stdin?.end();
  };
  return {
    send: (lines, isWanted) => {
      if (!isWanted) return end();
      child ??= start();
      const input = child?.stdin;
      if (!input) return;
      if (input.writableLength > limits.syslogWaitingBytesMax) {
        trouble = 'logger does not keep up: lines are left out there';
        return;
      }
      trouble = null;
      input.write(`${lines.join('\n')}\n`);
    },
    trouble: () => trouble,
    close: end,
  };
}

/** `socket`: instead of /dev/log. */
export function loggerCommand(socket?: string): readonly string[] {
  const to = socket === undefined ? [] : ['--socket', socket];
  return [
    'logger',
    '--tag',
    'svc-audit',
    '--priority',
    'authpriv.notice',
    '--size',
    String(limits.lineBytesMax),
    '--socket-errors=on',
    ...to,
  ];
}
