/**
 * A call of `apps.pedir` between the page of an app and the shell: the request carries one end of a MessageChannel (`porta`), and everything that
 * follows goes over it. A side sends a chunk only while it has credit; each message of credit lets the other send so many more.
 *
 *   page  -> shell : { mais } credit for the answer · { corpo } a chunk of a body that is a stream · { fim } its end · { cancela }
 *   shell -> page  : { mais } credit for the body · { cabeca } once, of a small answer with its whole { corpo } and nothing after ·
 *                    { corpo } a chunk of the answer · { fim } its end · { erro } instead of either
 *
 * Chunks are ArrayBuffers, transferred. A message that keeps no rule ends the call. Decision: docs/decisions/0200-capability-calls.md
 */
import { limits } from './limits.ts';

export interface CallHead {
  readonly status: number;
  readonly texto: string;
  readonly cabecalhos: readonly (readonly [name: string, value: string])[];
  /** False: an answer without a body, such as 204. */
  readonly temCorpo: boolean;
}

export interface CallError {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

export interface ToPage {
  readonly mais?: number;
  readonly cabeca?: CallHead;
  readonly corpo?: ArrayBuffer;
  readonly fim?: true;
  readonly erro?: CallError;
}

export interface ToShell {
  readonly mais?: number;
  readonly corpo?: ArrayBuffer;
  readonly fim?: true;
  readonly cancela?: true;
}

export const isChunk = (value: unknown): value is ArrayBuffer =>
  value instanceof ArrayBuffer && value.byteLength <= limits.callChunkBytesMax;

export interface Credit {
  /** False: no number of chunks, or more than were ever taken. */
  add(more: unknown): boolean;
  /** Resolves when one more chunk may be sent. Rejects when the call has ended. */
  take(): Promise<void>;
}

export function createCredit(signal: AbortSignal): Credit {
  let left: number = limits.callChunksMax;
  let wake: PromiseWithResolvers<void> | null = null;
  signal.addEventListener('abort', () => wake?.resolve(), { once: true });
  return {
    add: (more) => {
      if (typeof more !== 'number' || !Number.isInteger(more) || more < 1) return false;
      left += more;
      wake?.resolve();
      return left <= limits.callChunksMax;
    },
    take: async () => {
      if (left === 0 && !signal.aborted) {
        wake = Promise.withResolvers();
        await wake.promise;
      }
      signal.throwIfAborted();
      left -= 1;
    },
  };
}
