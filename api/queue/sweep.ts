/** Removes from the disk what the store says is left over: files of jobs that were dropped, inputs that nobody used for a day. */
import type { Clock } from '../../schema/clock.ts';
import type { JobStore } from '../../store/jobs.ts';
import type { QueueFiles } from './files.ts';
import { limits } from './limits.ts';

export interface Sweep {
  now(): Promise<void>;
  stop(): void;
}

export function sweepQueue(deps: {
  readonly jobs: JobStore;
  readonly files: QueueFiles;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): Sweep {
  const { jobs, files, clock, onError } = deps;
  const now = async (): Promise<void> => {
    await jobs.expireInputs(clock.nowMs() - limits.jobInputKeptMs, limits.queueSweepRows);
    for (const leftover of await jobs.leftovers(limits.queueSweepRows)) {
      // Put again since then: it is in use.
      const [usuario = '', app = '', sha = ''] = leftover.name.split('/');
      if (leftover.kind === 'job' || (await jobs.input(usuario, app, sha)) === null) await files.remove(leftover);
      await jobs.forgetLeftover(leftover);
    }
  };
  let cancel = (): void => {};
  let stopped = false;
  const arm = (): void => {
    if (stopped) return;
    cancel = clock.at(clock.monotonicMs() + limits.queueSweepMs, () => void now().catch(onError).finally(arm));
  };
  arm();
  return {
    now,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
