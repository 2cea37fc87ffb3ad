/** Runs a command on a server: its standard input from a stream, its standard output as bounded lines, its end. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../limits.ts';
import { brokenOff } from './channel-stream.ts';
import { shellError } from './login-shell.ts';

export interface RemoteRun {
  /** Words as remote-command.ts takes them. */
  readonly argv: readonly string[];
  /** Written as the server takes it; standard input is closed behind it unless `cancelLine` is given. */
  readonly stdin?: AsyncIterable<Uint8Array> | null;
  /**
   * Keeps standard input open, and is written to it behind `stdin` when `signal` fires: the command ends itself in order. While `stdin` is being
   * written it would be taken for a part of it: the channel is closed then, and the command must end at half of what it was to read.
   */
  readonly cancelLine?: string;
  readonly signal?: AbortSignal;
  /** Receives the lines of the command; output of the login shell before it is left out. */
  readonly onLine?: (line: string) => void;
  readonly msMax: number;
}

export interface RemoteResult {
  readonly code: number | null;
  /** SIGKILL, …; null when it exited. */
  readonly signal: string | null;
  /** The end of standard error; of a command that never began, behind what the login shell printed in its place. */
  readonly said: string;
  /** The login shell ended by itself: by an error of its own, or because it lets nobody in. */
  readonly neverBegan?: true;
}

/**
 * Rejects SERVER_UNREACHABLE when the connection broke off, TIMEOUT, CANCELLED, TOO_LARGE, LOGIN_SHELL when the login shell of `account` keeps the
 * command from beginning, or what `stdin` failed with. The channel is closed then.
 */
export async function runOnChannel(
  channel: ClientChannel,
  { mark, exit, account, clock, isLost }: ChannelOf,
  run: RemoteRun,
): Promise<RemoteResult> {
  const refusal: { error: Error | null } = { error: null };
  let over = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    over = resolve;
  });
  const end = (error: Error): void => {
    refusal.error ??= error;
    channel.close();
    // Not awaited: a server that hangs never confirms it.
    over();
  };
  let said = '';
  channel.on('error', end);
  const start = markOf({ mark, account, clock, msMax: Math.min(limits.shellBeginMsMax, run.msMax) }, end);
  let errorBytes = 0;
  channel.stderr.on('data', (chunk: Buffer) => {
    errorBytes += chunk.length;
    if (errorBytes > limits.remoteOutputBytesMax) return end(printedTooMuch());
    said = (said + chunk.toString('utf8')).slice(-4_096);
    start.refuseFlood(errorBytes, said);
  });
  const mayGoOn = (total: number): boolean => {
    start.refuseFlood(total);
    return refusal.error === null && total <= limits.remoteOutputBytesMax;
  };
  readLines(channel, { onLine: (line) => start.take(line, run.onLine), mayGoOn, end });
  channel.once('close', over);
  let isFed = false;
  const wasTold = (): boolean => {
    if (run.cancelLine === undefined || !isFed) return false;
    channel.write(run.cancelLine);
    return true;
  };
  const cancelDeadline = clock.at(clock.monotonicMs() + run.msMax, () => {
    wasTold();
    end(new SvcError('TIMEOUT', `${run.argv[0]} did not end within ${run.msMax / 1_000} s`));
  });
  const cancel = (): void => {
    if (!wasTold()) end(new SvcError('CANCELLED', `${run.argv[0]} was cancelled`));
  };
  run.signal?.addEventListener('abort', cancel);
  // A signal that fired before tells nobody any more.
  if (run.signal?.aborted ?? false) cancel();
  const isOver = (): boolean => refusal.error !== null;
  try {
    const feeding = async (): Promise<void> => {
      // A shell that waits for what nobody sends goes on by itself.
      if ((run.stdin ?? null) === null && run.cancelLine === undefined) channel.end();
      else await start.begun;
      await feed(channel, run, isOver);
      isFed = true;
    };
    feeding().catch(end);
    await closed;
  } finally {
    start.stop();
    run.signal?.removeEventListener('abort', cancel);
    cancelDeadline();
  }
  if (refusal.error) throw refusal.error;
  const { code, signal } = exit;
  if (isLost() || code === undefined) throw brokenOff();
  const printed = start.printed();
  if (printed === null) return { code, signal, said: said.trim() };
  if (code === 0) throw shellError(account, { kind: 'ends', text: printed });
  return { code, signal, said: `${printed}${said}`.trim(), neverBegan: true };
}

/** The channel that a command runs on. */
export interface ChannelOf {
  readonly mark: string;
  readonly exit: RemoteExit;
  readonly account: string;
  readonly clock: Clock;
  readonly isLost: () => boolean;
}

interface Start {
  readonly begun: Promise<void>;
  /** A line of the shell, or of the command once that began. */
  readonly take: (line: string, onLine?: (line: string) => void) => void;
  /** Called with the bytes so far, and `text` of standard error. */
  readonly refuseFlood: (bytes: number, text?: string) => void;
  /** Output of the shell; null once the command began. */
  readonly printed: () => string | null;
  readonly stop: () => void;
}

interface Marked extends Pick<ChannelOf, 'mark' | 'account' | 'clock'> {
  readonly msMax: number;
}

function markOf({ mark, account, clock, msMax }: Marked, end: (error: Error) => void): Start {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let printed: string | null = '';
  const stop = clock.at(clock.monotonicMs() + msMax, () => end(shellError(account, { kind: 'hangs', seconds: msMax / 1_000 })));
  return {
    begun,
    take: (line, onLine) => {
      if (printed === null) return onLine?.(line);
      if (!line.endsWith(mark)) return void (printed = `${printed}${line}\n`.slice(0, 4_096));
      printed = null;
      stop();
      resolve();
    },
    refuseFlood: (bytes, text = printed ?? '') => {
      if (printed !== null && bytes > limits.shellPrintedBytesMax) end(shellError(account, { kind: 'prints', text }));
    },
    printed: () => printed,
    stop,
  };
}

/** How a command ended; `code` is undefined until it did. */
export interface RemoteExit {
  code: number | null | undefined;
  signal: string | null;
}

export function watchExit(channel: ClientChannel): RemoteExit {
  const exit: RemoteExit = { code: undefined, signal: null };
  channel.on('exit', (status: number | null, name?: string) => {
    exit.code = status;
    exit.signal = name ?? null;
  });
  return exit;
}

async function feed(channel: ClientChannel, { stdin, cancelLine }: RemoteRun, isOver: () => boolean): Promise<void> {
  for await (const chunk of stdin ?? []) {
    // Before the next piece, not behind the last one: nothing is waited for once all was written.
    if (channel.writableNeedDrain) await Promise.race([once(channel, 'drain'), once(channel, 'close')]);
    if (!channel.writable || isOver()) return;
    channel.write(chunk);
  }
  if (cancelLine === undefined) channel.end();
}

const printedTooMuch = (): SvcError => new SvcError('TOO_LARGE', 'a command on the server printed more than the limit');

interface Lines {
  readonly onLine: (line: string) => void;
  /** False: what came and comes is not read. */
  readonly mayGoOn: (total: number) => boolean;
  readonly end: (error: SvcError) => void;
}

function readLines(stream: Readable, { onLine, mayGoOn, end }: Lines): void {
  let parts: Buffer[] = [];
  let held = 0;
  let total = 0;
  const flush = (tail: Buffer): void => {
    parts.push(tail);
    const line = Buffer.concat(parts).toString('utf8');
    parts = [];
    held = 0;
    if (line !== '') onLine(line);
  };
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk;
    total += chunk.length;
    // A window of the channel comes in one piece when nothing was read for a while: none of a flood is read on.
    for (let at = rest.indexOf(10); at >= 0 && mayGoOn(total); at = rest.indexOf(10)) {
      flush(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      total += limits.remoteLineCostBytes;
    }
    held += rest.length;
    if (held > limits.remoteLineBytesMax || total > limits.remoteOutputBytesMax) end(printedTooMuch());
    else if (mayGoOn(total) && rest.length > 0) parts.push(rest);
  });
  stream.on('end', () => {
    if (held > 0) flush(Buffer.alloc(0));
  });
}
