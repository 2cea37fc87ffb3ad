/**
 * The jobs that the queue window shows. The portal's answer is the truth; the event `trabalhos` only asks for another reading, of which one is under way
 * and one waits, with a pause between them. Jobs that ended are not read again. Nothing is read while no window shows it.
 */
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { ClusterView, JobView } from '../../schema/wire/jobs.ts';
import type { AllJobsFilter } from '../session/jobs-api.ts';
import { sayError } from '../session/say-error.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import type { Shell } from '../windows/shell.ts';

export interface QueueDesk extends Shell {
  readonly queue: QueueModel;
}

/** As many as the portal answers at once. */
export const pageJobs = 200;
export const pauseMs = 1_000;

/** Null: my own jobs. */
export type JobsOf = AllJobsFilter | null;

export interface JobsPage {
  readonly jobs: readonly JobView[];
  /** There are older ones. */
  readonly more: boolean;
  readonly clusters: readonly ClusterView[];
  /** Why nothing can be submitted; null: the queue takes jobs, or the answer does not say. */
  readonly off: { readonly codigo: string; readonly motivo: string } | null;
  readonly space: { readonly bytes: number; readonly bytesMax: number } | null;
}

export interface QueueState extends JobsPage {
  readonly of: JobsOf;
  readonly loaded: boolean;
  /** The chosen job where none of the pages has it; `gone`: there is none any more. */
  readonly beyond: JobView | 'gone' | null;
  /** Why the last reading failed; what is shown stays. */
  readonly problem: string | null;
}

export interface QueueModel {
  readonly state: Signal<QueueState>;
  readonly chosen: Signal<string | null>;
  /** Until the returned function is called, what is shown follows the portal. */
  watch(): () => void;
  show(of: JobsOf): void;
  showMore(): void;
  /** At once, for what the person did. */
  refreshNow(): void;
  refresh(): void;
  apply(event: PortalEvent): void;
}

type Read = (of: JobsOf, before: string | null) => Promise<JobsPage>;
/** Reads a single job, whatever its state; null: there is none. */
type ReadOne = (of: JobsOf, id: string) => Promise<JobView | null>;

export const isOver = ({ terminadoEm }: Pick<JobView, 'terminadoEm'>): boolean => terminadoEm !== null;
const isOlder = (job: JobView, than: JobView): boolean =>
  job.criadoEm < than.criadoEm || (job.criadoEm === than.criadoEm && job.id < than.id);

/** Jobs of both readings that are in another state now. */
export function changedJobs(before: readonly JobView[], now: readonly JobView[]): readonly JobView[] {
  const states = new Map(before.map(({ id, estado }) => [id, estado]));
  return now.filter(({ id, estado }) => states.has(id) && states.get(id) !== estado);
}

/** Pages until `wanted` jobs are there; of what is known already and over, none is read again. */
export async function readPages(read: Read, { of, jobs: known, more: wasMore }: QueueState, wanted: number): Promise<JobsPage> {
  const first = await read(of, null);
  const jobs = [...first.jobs];
  let { more } = first;
  for (;;) {
    const last = jobs.at(-1);
    if (!more || last === undefined || jobs.length >= wanted) return { ...first, jobs, more };
    const kept = known.filter((job) => isOlder(job, last));
    if (kept.length > 0 && kept.every(isOver)) {
      jobs.push(...kept);
      more = wasMore;
    } else {
      const page = await read(of, last.id);
      jobs.push(...page.jobs);
      ({ more } = page);
    }
  }
}

async function readBeyond(read: ReadOne, { of, jobs, beyond }: QueueState, id: string | null): Promise<QueueState['beyond']> {
  if (id === null || jobs.some((job) => job.id === id)) return null;
  if (beyond !== null && beyond !== 'gone' && beyond.id === id && isOver(beyond)) return beyond;
  return (await read(of, id)) ?? 'gone';
}

/** A job was chosen that no page has. */
function whenBeyond(state: Signal<QueueState>, chosen: Signal<string | null>, read: () => void): void {
  chosen.subscribe(() => {
    const { jobs, loaded } = state.get();
    const id = chosen.get();
    if (loaded && id !== null && !jobs.some((job) => job.id === id)) read();
  });
}

const nothingYet = { jobs: [], clusters: [], off: null, space: null, loaded: false, more: false, beyond: null, problem: null } as const;

/** Calls `changed` with the jobs whose state differs from the reading before. */
export function createQueueModel(read: Read, readOne: ReadOne, changed: (jobs: readonly JobView[]) => void): QueueModel {
  const state = createSignal<QueueState>({ ...nothingYet, of: null });
  const chosen = createSignal<string | null>(null);
  let watchers = 0;
  let wanted = pageJobs;
  let reading = false;
  let again = false;
  let pause: ReturnType<typeof setTimeout> | null = null;

  const readOnce = async (): Promise<void> => {
    const before = state.get();
    try {
      const page = await readPages(read, before, wanted);
      const beyond = await readBeyond(readOne, { ...before, ...page }, chosen.get());
      // Another choice was made meanwhile.
      if (state.get().of !== before.of) return void (again = true);
      state.set({ ...page, of: before.of, beyond, loaded: true, problem: null });
      retry.succeeded();
      if (before.loaded) changed(changedJobs(before.jobs, page.jobs));
    } catch (error) {
      state.set({ ...state.get(), problem: sayError(error) });
      retry.failed(error);
    }
  };
  const begin = async (): Promise<void> => {
    if (pause !== null) clearTimeout(pause);
    pause = null;
    again = false;
    reading = true;
    const { of } = state.get();
    await readOnce();
    reading = false;
    if (state.get().of !== of) return await begin();
    pause = setTimeout(() => {
      pause = null;
      if (again) refresh();
    }, pauseMs);
  };
  const refresh = (): void => {
    if (reading || pause !== null) again = watchers > 0;
    else if (watchers > 0) void begin();
  };
  const refreshNow = (): void => {
    if (reading) again = true;
    else if (watchers > 0) void begin();
  };
  const retry = createRetry(refresh);
  whenBeyond(state, chosen, refreshNow);
  return {
    state,
    chosen,
    watch: () => {
      watchers += 1;
      refreshNow();
      return () => void (watchers -= 1);
    },
    show: (of) => {
      wanted = pageJobs;
      state.set({ ...nothingYet, clusters: state.get().clusters, of });
      refreshNow();
    },
    showMore: () => {
      wanted = state.get().jobs.length + pageJobs;
      refreshNow();
    },
    refreshNow,
    refresh,
    apply: ({ type }) => {
      if (type === 'trabalhos') refresh();
    },
  };
}
