/**
 * controller/kinds/: one file for each kind of object that the loop keeps as it is wanted. A kind is a record; the loop
 * (controller/loop/) knows none of them by name. Adding one: its documents in schema/desired, its `decide` in reconcilers, one file here
 * with a row in all.ts, and an executor for each new action.
 *
 * For who knows Kubernetes: `entries` and `lane` are the controller's `For` and its work queue, `onEdge` and `refresh` its watches,
 * `lastInputs` its predicate, `observe` … `decide` its Reconcile with a pure middle.
 */
import type { Decision } from '../../reconcilers/decision.ts';
import type { MemoryShape } from '../../reconcilers/memory.ts';
import type { Context } from '../context.ts';
import type { Paces } from '../work/tries.ts';
import type { Change } from '../work/record.ts';
import type { Entries } from '../entries.ts';
import type { Inputs, Kept } from '../work/inputs.ts';

/** The decision of one pass, and its inputs. */
export interface Round<Desired, Observed, Made> extends Inputs<Desired, Observed> {
  readonly decision: Made;
}

export interface Report {
  /** Generation of the document; 0 where there is none. */
  readonly generation: number;
  /** For `svc describe`, stored with the status. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The result of a pass, for status and events. */
export interface News<Made> {
  /** Decision of the pass before this one; null for the first that this portal makes. */
  readonly before: Made | null;
  /** Change of the status; null: it is the same. */
  readonly change: Change | null;
  /** Name of the pass, for events. */
  readonly round: string;
}

export interface Kind<
  Entry = unknown,
  Desired = unknown,
  Observed = unknown,
  Memory = unknown,
  Made extends Decision<Memory> = Decision<Memory>,
> {
  /** Beginning of its keys. */
  readonly name: string;
  entries(entries: Entries): Iterable<Entry>;
  /** `name` is what the key says after the kind. */
  find(entries: Entries, name: string, key: string): Entry | undefined;
  keyOf(entry: Entry): string;
  /** Keys of one lane share its workers: mostly the name of a server. */
  lane(entry: Entry): string;

  /**
   * Observes what `observed` is made of, where that is not pushed, and writes it into the entry. Returns whether there is still something
   * to decide; undefined: nothing had to be awaited, and the pass goes on synchronously.
   */
  observe?(context: Context, entry: Entry): Promise<boolean> | undefined;
  /** Named values, replaced and never changed in place: equal fields are an equal decision. No I/O. */
  desired(context: Context, entry: Entry): Desired;
  observed(context: Context, entry: Entry): Observed;
  decide(desired: Desired, observed: Observed, memory: Memory | null, nowMs: number): Made;
  /** How the memory of an earlier run is read back. */
  readonly memory: MemoryShape<Memory>;
  /** Keeps what was decided where views and other kinds find it. Answers the decision that counts. */
  keep?(entry: Entry, round: Round<Desired, Observed, Made>): Made;
  /** The decision that was kept last; null before the first. */
  last?(entry: Entry): Made | null;
  /** For a kind with very many objects: nothing is decided while these inputs of the last decision are the same and its deadline is ahead. */
  lastInputs?(entry: Entry): Kept<Desired, Observed> | null;
  /** Whether `desired` and `observed` would be equal to `last`, field by field, without making them. Absent: they are made and compared. */
  sameInputs?(context: Context, entry: Entry, last: Inputs<Desired, Observed>): boolean;

  /** Where an action may be tried again sooner than others: its longest wait. Each try has a wait (controller/work/tries.ts). */
  readonly paces?: Paces;

  report(context: Context, entry: Entry, round: Round<Desired, Observed, Made>): Report;
  /** Events and pages, and keys that depend on this one; before the actions are carried out. */
  notify?(context: Context, entry: Entry, round: Round<Desired, Observed, Made>, news: News<Made>): void;
  /** After the actions were carried out. undefined: nothing to do. */
  finish?(context: Context, entry: Entry, round: Round<Desired, Observed, Made>): Promise<void> | undefined;

  /** Brings the entries up to date with what the api wrote into the store. */
  refresh?(context: Context): Promise<void>;
  /** A caller outside the loop asks for this key: what it wrote to the store is read, then keys are enqueued. */
  onEdge?(context: Context, key: string, urgent: boolean): Promise<void>;
  /** Begins to watch what wakes it beside the resync. Answers how to end that. */
  watch?(context: Context): () => void | Promise<void>;
  /** At each resync, for each entry, beside putting its key into the queue. */
  atResync?(entry: Entry, context: Context): void;
  /** Whether a status that an earlier run left is still of use; absent: while there is an entry. */
  remembers?(context: Context, key: string): boolean;
}

/** Whether each field of one is the very same in the other. Both are made by the same function, so they have the same fields. */
export function sameFields(one: unknown, other: unknown): boolean {
  const left = one as Readonly<Record<string, unknown>>;
  const right = other as Readonly<Record<string, unknown>>;
  for (const name in left) if (left[name] !== right[name]) return false;
  return true;
}
