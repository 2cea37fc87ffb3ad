/**
 * A client of SFTP version 3 on a stream: requests by number, as many under way as the caller likes. A line that breaks, answers nonsense or is
 * silent for too long ends, and everything that waits with it.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { FileFault } from '../file-fault.ts';
import { limits } from '../limits.ts';
import { createDescriptors, type Descriptors } from './descriptors.ts';
import { badPacket, createPacketReader, Fields, head, statuses, types, u32, u8, worded } from './packets.ts';

/** The answer to a request: a DATA as it came, anything else as its type and fields. */
export type Reply =
  | { readonly kind: 'data'; readonly pieces: readonly Buffer[] }
  | { readonly kind: 'packet'; readonly type: number; readonly fields: Fields }
  | { readonly kind: 'end' };

export interface SftpClient {
  /** OpenSSH's extensions by name. */
  readonly extensions: ReadonlyMap<string, string>;
  readonly pieceBytes: number;
  readonly descriptors: Descriptors;
  /** Rejects a FileFault for every status but OK and EOF (`end`). `payload`: behind the fields, with its length. */
  ask(type: number, fields: readonly Buffer[], payload?: readonly Uint8Array[]): Promise<Reply>;
  extended(name: string, fields: readonly Buffer[]): Promise<Reply>;
  isUp(): boolean;
  /** Requests without an answer. */
  waiting(): number;
  close(): void;
}

interface Waiting {
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  readonly atMs: number;
  /** The packet of a CLOSE, with its length. */
  readonly closes: Buffer | null;
}

const errnos: ReadonlyMap<number, string> = new Map([
  [statuses.missing, 'ENOENT'],
  [statuses.denied, 'EACCES'],
  [statuses.badMessage, 'EINVAL'],
  [statuses.unsupported, 'ENOSYS'],
]);

/**
 * The error of a `status`. Our own server puts the kernel's name into the message; OpenSSH has few statuses (sftp-server.c,
 * errno_to_portable).
 */
function faultOf(fields: Fields): FileFault | null {
  const code = fields.u32();
  if (code === statuses.ok || code === statuses.eof) return null;
  const message = fields.isDone() ? '' : fields.text();
  if (/^E[A-Z0-9]{2,15}$/.test(message)) return new FileFault(message);
  return new FileFault(errnos.get(code) ?? 'EFAIL');
}

const nothing = (): void => undefined;

const brokeOff = (): SvcError => new SvcError('SERVER_UNREACHABLE', 'the connection for files broke off');

interface Calls {
  readonly ask: SftpClient['ask'];
  /** The answer to one; throws when nobody asked. */
  readonly answer: (id: number) => Pick<Waiting, 'resolve' | 'reject' | 'closes'>;
  readonly isUp: () => boolean;
  readonly count: () => number;
  /** Rejects everything that waits. */
  readonly end: (error: Error) => void;
}

/** `onEnd`: once. */
function createCalls(line: Duplex, clock: Clock, onEnd: (error: Error) => void): Calls {
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  let gone: Error | null = null;
  let stopWatch = (): void => undefined;
  const end = (error: Error): void => {
    if (gone !== null) return;
    gone = error;
    stopWatch();
    line.destroy();
    onEnd(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const watch = (): void => {
    stopWatch = clock.at(clock.monotonicMs() + limits.sftpAnswerMsMax / 4, () => {
      const oldest = waiting.values().next().value;
      if (oldest !== undefined && clock.monotonicMs() - oldest.atMs > limits.sftpAnswerMsMax) {
        end(new SvcError('TIMEOUT', 'the server did not answer a question about a file in time'));
      } else watch();
    });
  };
  watch();
  return {
    ask: (type, fields, payload) => {
      if (gone !== null) return Promise.reject(gone);
      if (waiting.size >= limits.sftpRequestsMax)
        return Promise.reject(new SvcError('RATE_LIMITED', 'too many questions about files at once'));
      ids = (ids + 1) >>> 0;
      const id = ids;
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      waiting.set(id, { resolve, reject, atMs: clock.monotonicMs(), closes: type === types.close ? (fields[0] ?? null) : null });
      if (payload === undefined) line.write(head(type, id, fields));
      else {
        const bytes = payload.reduce((sum, piece) => sum + piece.length, 0);
        line.write(head(type, id, [...fields, u32(bytes)], bytes));
        for (const piece of payload) line.write(piece);
      }
      return promise;
    },
    answer: (id) => {
      const one = waiting.get(id);
      if (one === undefined) throw badPacket('an answer that nobody asked for');
      waiting.delete(id);
      const { resolve, reject, closes } = one;
      // Tables that a Map has grown out of keep what was in them until V8 marks its heap: not the bytes of this one.
      one.resolve = one.reject = nothing;
      return { resolve, reject, closes };
    },
    isUp: () => gone === null,
    count: () => waiting.size,
    end,
  };
}

interface Greeting {
  readonly calls: Calls;
  readonly descriptors: Descriptors;
  readonly said: Promise<Fields>;
  /** Text that came in place of the first packet, '' where it is no text; null: nothing, or that packet. */
  readonly text: () => string | null;
}

/** Resolves with what the other side says first. */
function greet(line: Duplex, clock: Clock): Greeting {
  const { promise: said, resolve, reject } = Promise.withResolvers<Fields>();
  const descriptors = createDescriptors();
  let isGreeted = false;
  let first = Buffer.alloc(0);
  const calls = createCalls(line, clock, (cause) => {
    stopWaiting();
    const isLate = cause instanceof SvcError && cause.code === 'TIMEOUT';
    const off = (): SvcError => new SvcError('SFTP_OFF', 'the server offers no SFTP: its sshd needs a Subsystem sftp', {}, { cause });
    reject(isGreeted || isLate ? cause : off());
  });
  const stopWaiting = clock.at(clock.monotonicMs() + limits.sftpGreetMsMax, () => {
    calls.end(new SvcError('TIMEOUT', `the server's SFTP said nothing within ${limits.sftpGreetMsMax / 1_000} s`));
  });
  const onPacket = (type: number, fields: Fields): void => {
    if (!isGreeted) {
      if (type !== types.version || fields.u32() < 3) throw badPacket('no version 3');
      isGreeted = true;
      stopWaiting();
      return resolve(fields);
    }
    const one = calls.answer(fields.u32());
    try {
      if (type === types.handle) descriptors.opened(fields.copy().bytes());
      if (type !== types.status) return one.resolve({ kind: 'packet', type, fields });
      const fault = faultOf(fields);
      if (fault === null && one.closes !== null) descriptors.closed(one.closes.subarray(4));
      if (fault === null) one.resolve({ kind: 'end' });
      else one.reject(fault);
    } catch (error) {
      // It waits no longer with the others, which are rejected at the end of the line.
      one.reject(error as Error);
      throw error;
    }
  };
  const reader = createPacketReader(onPacket, (id, pieces) => calls.answer(id).resolve({ kind: 'data', pieces }));
  line.on('data', (chunk: Buffer) => {
    if (!isGreeted && first.length < 1_024) first = Buffer.concat([first, chunk.subarray(0, 1_024)]);
    try {
      if (calls.isUp()) reader.take(chunk);
    } catch (error) {
      calls.end(error as Error);
    }
  });
  line.on('error', (error) => calls.end(error instanceof SvcError ? error : brokeOff()));
  line.on('end', () => calls.end(brokeOff()));
  line.on('close', () => calls.end(brokeOff()));
  line.write(Buffer.concat([u32(5), u8(types.init), u32(3)]));
  // A packet begins with its length, which is less than 16 MB.
  const text = (): string | null => {
    if (first[0] !== 0) return first.length === 0 ? null : first.toString('utf8');
    return first[4] === types.version ? null : '';
  };
  return { calls, descriptors, said, text };
}

/** Why no SFTP answered on a line, which began with that text (null: with none); null where nobody knows. */
export type WhyNoSftp = (text: string | null) => Promise<Error | null>;

/** Rejects SERVER_UNREACHABLE, FILE_FAILED, TIMEOUT, SFTP_OFF when the other side ends before it said a word, or what `why` says then. */
export async function openSftp(line: Duplex, clock: Clock, why: WhyNoSftp): Promise<SftpClient> {
  const { calls, descriptors, said, text } = greet(line, clock);
  const fields = await said.catch(async (error: unknown) => {
    throw (await why(text())) ?? error;
  });
  const extended: SftpClient['extended'] = (name, more) => calls.ask(types.extended, [worded(name), ...more]);
  try {
    const extensions = extensionsIn(fields);
    return {
      extensions,
      pieceBytes: await pieceBytesOf(extensions, extended),
      descriptors,
      ask: calls.ask,
      extended,
      isUp: calls.isUp,
      waiting: calls.count,
      close: () => calls.end(new SvcError('CANCELLED', 'the line for files was closed')),
    };
  } catch (error) {
    // Nobody else has it to close.
    calls.end(error as Error);
    throw error;
  }
}

function extensionsIn(fields: Fields): ReadonlyMap<string, string> {
  const extensions = new Map<string, string>();
  while (!fields.isDone() && extensions.size < 64) extensions.set(fields.text(), fields.text());
  return extensions;
}

async function pieceBytesOf(extensions: ReadonlyMap<string, string>, extended: SftpClient['extended']): Promise<number> {
  if (!extensions.has('limits@openssh.com')) return limits.filePieceBytesDefault;
  const reply = await extended('limits@openssh.com', []);
  if (reply.kind !== 'packet') return limits.filePieceBytesDefault;
  const [, read, write] = [reply.fields.u64(), reply.fields.u64(), reply.fields.u64()];
  const least = Math.min(read === 0 ? Infinity : (read ?? 0), write === 0 ? Infinity : (write ?? 0), limits.filePieceBytesMax);
  return Math.max(4_096, least);
}
