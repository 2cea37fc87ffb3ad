/**
 * Notifies the loop of sign-ins and sign-outs, and the API of ended credentials of backends: the store itself is the truth, the event only
 * saves the wait for the next resync.
 */
import { keys } from '../schema/keys.ts';
import type { Bus } from './bus.ts';
import type { Store } from './store.ts';

/** The same store; a new session and the end of all of a person's enqueue the person, the end of a credential is published. */
export function withEdges(store: Store, bus: Bus): Store {
  return {
    ...store,
    putSession: async (session) => {
      await store.putSession(session);
      bus.enqueue(keys.person(session.person), true);
    },
    deleteSessionsOf: async (person) => {
      const ended = (await store.sessionsOf(person, 0)).map(({ tokenHash }) => tokenHash);
      await store.deleteSessionsOf(person);
      if (ended.length > 0) {
        const edge = { kind: 'sessions', ended } as const;
        // The connections of these sessions end here as at the other portals.
        bus.heard(edge);
        bus.tellOthers(edge);
      }
      bus.enqueue(keys.person(person), false);
    },
    rooms: {
      ...store.rooms,
      keepPortalTokens: async (usuario, app, startHash) => {
        const ended = await store.rooms.keepPortalTokens(usuario, app, startHash);
        for (const tokenHash of ended) bus.credentialEnded(tokenHash);
        return ended;
      },
    },
  };
}
