/**
 * Works on changes in turn. Changes that come meanwhile wait and are done as one; one that makes a pending start pointless (the
 * backend or the manifest changed again) ends the wait at once, so that the next try is not held up by a backend that never answers.
 */
import { merged, type Change } from './changes.ts';

export interface Turns {
  push(change: Change): void;
  /** Gives up the pending waits, and begins nothing more. */
  stop(): void;
  /** Resolves when nothing is done and nothing waits. */
  idle(): Promise<void>;
}

/** `work` never rejects. Its signal fires when a newer change makes it pointless. */
export function createTurns(work: (change: Change, overtaken: AbortSignal) => Promise<void>): Turns {
  let waiting: Change | null = null;
  let current: { readonly abort: AbortController; readonly change: Change } | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  const run = async (): Promise<void> => {
    for (let next = waiting; next !== null; next = waiting) {
      // Built first, and alone: what else changed neither ends nor repeats it, and goes on without it when it fails.
      const isMixed = next.source && (next.manifest || next.backend || next.page !== 'no');
      waiting = isMixed ? { ...next, source: false } : null;
      if (isMixed) next = { ...next, manifest: false, backend: false, page: 'no' };
      const abort = new AbortController();
      current = { abort, change: next };
      await work(next, abort.signal);
      current = null;
    }
  };
  return {
    stop: () => {
      stopped = true;
      waiting = null;
      current?.abort.abort();
    },
    push: (change) => {
      if (stopped) return;
      const overtakes =
        current !== null && (change.source || change.backend || change.manifest) && (current.change.backend || current.change.manifest);
      // Work that the overtaken change had still to do is not lost.
      const left = overtakes && current !== null && !current.abort.signal.aborted ? merged(current.change, change) : change;
      waiting = merged(waiting, overtakes ? { ...left, files: change.files, sinceMs: change.sinceMs } : change);
      if (overtakes) current?.abort.abort();
      if (current === null) running = run();
    },
    idle: async () => {
      for (let seen: Promise<void> | null = null; seen !== running;) {
        seen = running;
        await seen;
      }
    },
  };
}
