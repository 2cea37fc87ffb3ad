/** Inputs of executors, and how each of them fails. */
import type { StartedWith } from '../desired/restart.ts';
import type { Action, ActionOf, ServerAction } from '../../reconcilers/actions.ts';
import type { Clock } from '../../schema/clock.ts';
import type { SvcError } from '../../schema/errors.ts';
import type { Bus } from '../../store/bus.ts';
import type { RoomStore } from '../../store/rooms.ts';
import type { Store } from '../../store/store.ts';
import type { Figures } from '../figures.ts';
import type { Log } from '../work/record.ts';
import type { PackageEntry, PackageTask, Entries } from '../entries.ts';
import type { JobActOptions } from './job-act-options.ts';
import { codedError, reportOutcome } from './outcome.ts';
import type { PortalCredentials } from './portal-credentials.ts';

export type Executors = { readonly [Kind in Action['kind']]: (action: ActionOf<Kind>) => Promise<void> };

export interface ExecutorOptions {
  readonly entries: Entries;
  readonly store: Pick<
    Store,
    | 'deleteSessionsOf'
    | 'deletePreferences'
    | 'deleteAppErrorsOf'
    | 'keepConsents'
    | 'installWish'
    | 'putInstallWish'
    | 'deleteInstallWish'
    | 'rollbacks'
    | 'deleteRollback'
    | 'value'
    | 'putValue'
    | 'endPersonal'
  >;
  readonly rooms: RoomStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly credentials: PortalCredentials;
  readonly queue: JobActOptions;
  readonly figures: Figures;
  readonly startedWith: (() => StartedWith | null) | undefined;
  /** Folder of the YAML files: a repository is relative to it. */
  readonly dir: string;
  /** Fires when the loop ends. */
  readonly ending: AbortSignal;
  /** Something that a key depends on changed. */
  readonly onChange: (key: string) => void;
  /** The packages of a server changed: observes them. */
  readonly onPackages: (server: string) => Promise<void>;
  /** Begins an act of the administrator on a server; it goes on beside the loop. */
  readonly onServer: (action: ServerAction) => void;
  /** Drops an object once everything that its removed document owned is gone. */
  readonly onForgotten: (key: string) => Promise<void>;
  /** Orders or held rollbacks were written: reads them again. */
  readonly onInstalls: () => Promise<void>;
  /** An installation goes on. */
  readonly onProgress: (entry: PackageEntry, task: PackageTask) => void;
}

/** Infrastructure may fail at any time: the error is logged and the next resync retries. Null when it failed. */
export async function guarded<Result>(options: ExecutorOptions, key: string, act: () => Promise<Result>): Promise<SvcError | null> {
  try {
    await act();
    reportOutcome(null);
    return null;
  } catch (error) {
    const coded = codedError(error);
    options.log.warn({ key, code: coded.code, error: coded.message, ...(coded.code === 'INTERNAL' ? { err: error } : {}) }, 'act failed');
    reportOutcome(coded);
    return coded;
  }
}
