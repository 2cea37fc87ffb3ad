/** Tells the loop that somebody came or went: the store itself is the truth, this only spares the wait for the next resync. */
import type { Bus } from '../events/bus.ts';
import type { Store } from './store.ts';

/** The same store; a new session and the end of all of a person's enqueue the person. */
export function withEdges(store: Store, bus: Bus): Store {
  return {
    ...store,
    putSession: async (session) => {
      await store.putSession(session);
      bus.enqueue(`Person/${session.person}`, true);
    },
    deleteSessionsOf: async (person) => {
      await store.deleteSessionsOf(person);
      bus.enqueue(`Person/${person}`, false);
    },
  };
}
