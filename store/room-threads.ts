/** The portal's side of the threads of a room log: questions with a number, and what becomes of them when a thread dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';
import type { CompactRequest } from './room-compact-thread.ts';
import type { Answered, Asked } from './room-thread-answers.ts';

export interface Thread<Request> {
  readonly opened: Promise<void>;
  died(): boolean;
  /** Processor time that it took so far; infinite once it is gone. */
  busyMs(): Promise<number>;
  ask(request: Request, transfer?: readonly ArrayBuffer[]): Promise<unknown>;
  end(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: SvcError) => void;
}

/** Creates a thread. A thread that dies (out of memory, a bug) refuses every query, also the waiting ones. */
export function createThread<Request>(
  script: URL,
  file: string | null,
  resourceLimits: NonNullable<Worker['resourceLimits']>,
): Thread<Request> {
  const worker = new Worker(script, { workerData: { file }, resourceLimits, stdin: false });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let dead: SvcError | null = null;
  const wait = (id: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // A thread keeps the process alive only while a caller waits for it.
      if (waiting.size === 0) worker.ref();
      waiting.set(id, { resolve, reject });
    });
  const opened = wait(0) as Promise<void>;
  worker.on('message', (answer: Answered) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if (answer.ok) asked?.resolve(answer.value);
    else asked?.reject(failed(file, answer.message, answer.code));
  });
  const die = (why: string): void => {
    dead ??= failed(file, why, null);
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  };
  worker.on('error', (error) => die(error instanceof Error ? error.message : String(error)));
  worker.on('exit', (code) => die(`its thread ended (${code})`));
  return {
    opened,
    died: () => dead !== null,
    busyMs: () =>
      worker.cpuUsage().then(
        ({ user, system }) => (user + system) / 1_000,
        () => Infinity,
      ),
    ask: (request, transfer = []) => {
      if (dead) return Promise.reject(dead);
      last += 1;
      const answer = wait(last);
      worker.postMessage({ id: last, request } satisfies Asked<Request>, [...transfer]);
      return answer;
    },
    end: async () => {
      await worker.terminate();
    },
  };
}

function failed(file: string | null, why: string, code: string | null): SvcError {
  if (code === 'STORE_NEWER' || code === 'TOO_LARGE') return new SvcError(code, why);
  return new SvcError('STORE_FAILED', `${file === null ? 'a room' : 'the room log'} can't be read or written: ${why}`);
}

export interface Compactor extends Pick<Thread<CompactRequest>, 'ask' | 'end'> {
  /** Makes the query when its turn comes: documents that wait to be worked on take no memory. */
  readonly askInTurn: (make: () => Promise<CompactRequest>) => Promise<unknown>;
  readonly warm: () => void;
}

export interface CompactorOptions {
  readonly deadlineMs?: number;
  /** How long a thread stays without a query. */
  readonly idleMs?: number;
}

/**
 * Runs a single query at a time; keeps a thread while there are any, and a little longer. `file` null: documents come with the queries. A
 * document that takes longer than `deadlineMs`, or more memory than the thread has, is refused with STORE_FAILED, and its thread ended: the
 * next query gets another one. What counts is the time of a processor, which a busy machine gives it less of; but it may take `roomCompactBusyMax`
 * times as long at most. `warm` begins a thread for a query that is likely to come.
 */
export function createCompactor(
  file: string | null,
  { deadlineMs = limits.roomCompactMsMax, idleMs = limits.roomCompactIdleMs }: CompactorOptions = {},
): Compactor {
  let thread: Thread<CompactRequest> | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  const run = async (request: CompactRequest, transfer: readonly ArrayBuffer[]): Promise<unknown> => {
    clearTimeout(idle);
    thread ??= createThread<CompactRequest>(new URL('./room-compact-thread.ts', import.meta.url), file, {
      maxYoungGenerationSizeMb: 16,
      maxOldGenerationSizeMb: limits.roomCompactHeapMiBMax,
    });
    try {
      await thread.opened;
      return await within(deadlineMs, file, thread, request, transfer);
    } catch (error) {
      // It may be gone; the next one starts afresh.
      await thread.end();
      thread = null;
      throw error;
    } finally {
      idle = setTimeout(() => {
        void thread?.end();
        thread = null;
      }, idleMs).unref();
    }
  };
  const inTurn = (act: () => Promise<unknown>): Promise<unknown> => {
    const answer = queue.then(act);
    queue = answer.catch(() => null);
    return answer;
  };
  const ask: Thread<CompactRequest>['ask'] = (request, transfer = []) => inTurn(() => run(request, transfer));
  return {
    ask,
    askInTurn: (make) => inTurn(async () => await run(await make(), [])),
    // Its failure is that of the next query.
    warm: () => void ask({ kind: 'nothing' }).catch(() => null),
    end: async () => {
      await queue;
      clearTimeout(idle);
      await thread?.end();
    },
  };
}

async function within(
  deadlineMs: number,
  file: string | null,
  thread: Thread<CompactRequest>,
  ...question: Parameters<Thread<CompactRequest>['ask']>
): Promise<unknown> {
  const over = new AbortController();
  const startMs = performance.now();
  const answer = thread.ask(...question);
  const late = async (): Promise<never> => {
    const busyBeforeMs = await thread.busyMs();
    for (let leftMs = deadlineMs; leftMs > 0; leftMs = deadlineMs - ((await thread.busyMs()) - busyBeforeMs)) {
      await sleep(Math.max(leftMs, limits.roomCompactLookMs), undefined, { signal: over.signal });
      if (performance.now() - startMs >= deadlineMs * limits.roomCompactBusyMax) break;
    }
    throw failed(file, `building its document takes longer than ${deadlineMs} ms`, null);
  };
  try {
    return await Promise.race([answer, late()]);
  } finally {
    over.abort();
    // A thread that is ended then rejects what nobody waits for any more.
    answer.catch(() => {});
  }
}
