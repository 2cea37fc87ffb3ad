/**
 * Reads a running process over V8's inspector, which SIGUSR1 opens: it was started with the flags and the environment that it ships with,
 * but for the port. Gives its living memory, and a CPU profile of its main thread.
 */
import type { ChildProcess } from 'node:child_process';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from './flame.ts';

/** Environment of a process that is to be inspected: any free port, so that two of them do not meet. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' } as const;

const openMsMax = 10_000;
const lookMs = 10;
/** The profiler costs as much as it samples often. */
const profileUs = 1_000;

export interface Inspected {
  /** Living bytes after a collection, JavaScript and buffers together. */
  heapBytes(): Promise<number>;
  beginProfile(): Promise<void>;
  endProfile(): Promise<Profile>;
  /** An inspected process waits with its end for this. */
  close(): void;
}

interface Heap {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** `child` was started with `inspectable`, and its stderr is a pipe. */
export async function inspect({ stderr, pid }: ChildProcess): Promise<Inspected> {
  let text = '';
  const take = (chunk: Buffer): void => void (text += chunk.toString());
  stderr!.on('data', take);
  try {
    return await inspectPid(pid!, () => text);
  } finally {
    stderr!.off('data', take);
  }
}

/** That process was started with `inspectable`; `said` is what it wrote to its stderr so far. */
export async function inspectPid(pid: number, said: () => string): Promise<Inspected> {
  const socket = new WebSocket(await addressOf(pid, said));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector let nobody in')), { once: true });
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: { message: string } };
    const asked = id === undefined ? undefined : waiting.get(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspected process ended'));
  });
  const ask = async <Answer>(method: string, params = {}): Promise<Answer> => {
    const id = (last += 1);
    const asked = Promise.withResolvers<unknown>();
    waiting.set(id, asked);
    socket.send(JSON.stringify({ id, method, params }));
    return (await asked.promise.finally(() => waiting.delete(id))) as Answer;
  };
  return { ...lookingBy(ask), close: () => socket.close() };
}

type Ask = <Answer>(method: string, params?: object) => Promise<Answer>;

/** Inspects this process itself, for an area that loads no other. */
export function inspectSelf(): Inspected {
  const session = new Session();
  session.connect();
  const ask = async <Answer>(method: string, params = {}): Promise<Answer> => (await session.post(method, params)) as Answer;
  return { ...lookingBy(ask), close: () => session.disconnect() };
}

function lookingBy(ask: Ask): Omit<Inspected, 'close'> {
  return {
    heapBytes: async () => {
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await ask<Heap>('Runtime.getHeapUsage');
      return usedSize + backingStorageSize;
    },
    beginProfile: async () => {
      await ask('Profiler.enable');
      await ask('Profiler.setSamplingInterval', { interval: profileUs });
      await ask('Profiler.start');
    },
    endProfile: async () => (await ask<{ readonly profile: Profile }>('Profiler.stop')).profile,
  };
}

async function addressOf(pid: number, said: () => string): Promise<string> {
  process.kill(pid, 'SIGUSR1');
  const endMs = performance.now() + openMsMax;
  for (;;) {
    const address = /^Debugger listening on (ws:\/\/\S+)/m.exec(said())?.[1];
    if (address !== undefined) return address;
    if (performance.now() > endMs) throw new Error(`no inspector of ${pid} within ${openMsMax} ms`);
    await sleep(lookMs);
  }
}
