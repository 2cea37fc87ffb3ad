/** Inputs of executors, and how each of them fails. */
import type { StartedWith } from '../desired/restart.ts';
import type { Action, ActionOf, ServerAction } from '../../reconcilers/actions.ts';
import type { AuditAction, AuditEntry } from '../../schema/audit.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
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

/** The audit line of an action. */
export interface Recorded<Kind extends Action['kind']> {
  readonly action: AuditAction;
  readonly of: (action: ActionOf<Kind>) => Pick<AuditEntry, 'object' | 'person' | 'reason' | 'details'>;
  /**
   * Absent: it has ended when the executor returns. `beside`: it goes on beside the loop, and the line is written when it has ended. `unseen`: it
   * is only asked for, and its end has no line here.
   */
  readonly ends?: 'beside' | 'unseen';
}

/** All of an action in one row: how it is carried out, told in a plan, and recorded. */
export interface Act<Kind extends Action['kind']> {
  readonly run: (options: ExecutorOptions, action: ActionOf<Kind>) => Promise<void>;
  readonly change: (action: ActionOf<Kind>) => Omit<PlanAnswer['changes'][number], 'action'>;
  readonly audit: Recorded<Kind> | { readonly none: string };
}
export type Acts<Kind extends Action['kind']> = { readonly [K in Kind]: Act<K> };

/** Returns one column of the rows. */
export function columnOf<Kind extends Action['kind'], Name extends keyof Act<Kind>>(
  acts: Acts<Kind>,
  name: Name,
): { readonly [K in Kind]: Act<K>[Name] } {
  const cells = Object.keys(acts).map((kind) => [kind, acts[kind as Kind][name]]);
  return Object.fromEntries(cells) as { readonly [K in Kind]: Act<K>[Name] };
}

export function executorsOf<Kind extends Action['kind']>(acts: Acts<Kind>, options: ExecutorOptions): Pick<Executors, Kind> {
  const bound = Object.keys(acts).map((kind) => [kind, (action: ActionOf<Kind>) => acts[kind as Kind].run(options, action)]);
  return Object.fromEntries(bound) as Pick<Executors, Kind>;
}

export type Executors = { readonly [Kind in Action['kind']]: (action: ActionOf<Kind>) => Promise<void> };

export interface ExecutorOptions {
  readonly entries: Entries;
  readonly store: Pick<
    Store,
    | 'deleteSessionsOf'
    | 'deletePasskeysOf'
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
  /** Takes a person out of the writers of documents. */
  readonly forgetWriter: (person: string) => Promise<void>;
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
