/**
 * Executors of a portal that does not lead: they only observe, so that its people are shown what it saw itself. It orders nothing and
 * writes nothing of its decisions. Decision: docs/decisions/0299-portals-that-watch.md
 */
import type { Action } from '../../reconcilers/actions.ts';
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import type { Executors } from './guarded.ts';

const nothing = async (): Promise<void> => undefined;

export const looks: ReadonlySet<Action['kind']> = new Set<Action['kind']>(['backend/probe', 'supervisor/ensure']);

type Act = (action: never) => Promise<void>;

const actsThroughout = (all: Executors, instead: (act: Act) => Act): Executors =>
  Object.fromEntries(
    Object.entries(all).map(([kind, act]) => [kind, looks.has(kind as Action['kind']) ? act : instead(act)]),
  ) as unknown as Executors;

/** Executors of the leading portal: no act begins while another portal may lead. Skipped acts are decided again. */
export function leadingExecutors(all: Executors, held: (() => Promise<void>) | undefined): Executors {
  if (held === undefined) return all;
  return actsThroughout(all, (act) => async (action) => {
    await held();
    await act(action);
  });
}

export const watchingExecutors = (all: Executors): Executors => actsThroughout(all, () => nothing);

/**
 * A stop that a standby decides and does not order is not remembered as ordered: the leader may decide otherwise (an order that came and
 * went between two observations), and people would see for minutes that the app ends. The supervisor's act is observed soon enough.
 * Decision: docs/decisions/0306-what-a-watching-portal-does-not-say.md
 */
export const isOthersToStop = (actions: readonly Action[]): boolean => actions.some(({ kind }) => kind === 'backend/stop');

/** The progress of an installation is reported by the portal that does it. */
export function watchingBus(bus: Bus): Bus {
  return { ...bus, publish: (person, event) => (event.type === 'install-progress' ? undefined : bus.publish(person, event)) };
}

/** Reads as ever; statuses, events and other results of an observation are those of the leading portal. */
export function watchingStore(store: Store): Store {
  return {
    ...store,
    putStatus: nothing,
    deleteStatus: nothing,
    appendEvent: async () => 0,
    keepConsents: nothing,
    rooms: { ...store.rooms, keepPortalTokens: async () => [] },
  };
}
