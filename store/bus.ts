/**
 * In-process events of the controller and desired state of the API: with the store, the only things that the two share. Edges only: a
 * listener reads the state again.
 */
import type { PortalEvent } from '../schema/wire/events.ts';

/** A Grant document changed who is in a room. */
export interface RoomEdge {
  readonly id: string;
  readonly app: string;
  /** People whose roles may have changed. */
  readonly people: readonly string[];
}

export interface JobEdge {
  readonly id: string;
  readonly usuario: string;
  readonly app: string;
}

/** Message of a portal to the others of the same store; the portal itself acts without it. */
export type OthersEdge =
  /** Sessions that ended early, by the hashes of their cookies. */
  | { readonly kind: 'sessions'; readonly ended: readonly string[] }
  /** Roles of these people in a room are others. */
  | { readonly kind: 'roles'; readonly edge: RoomEdge }
  | { readonly kind: 'room-deleted'; readonly id: string }
  | { readonly kind: 'room-binned'; readonly id: string }
  /** A wrong password: guesses count at all of them. */
  | { readonly kind: 'guess'; readonly login: string; readonly address: string };

export interface Bus {
  /** Publishes an event to the person's pages. */
  publish(person: string, event: PortalEvent): void;
  onPublish(listener: (person: string, event: PortalEvent) => void): () => void;
  /** A key needs a decision now; `urgent` goes before resyncs (a click). */
  enqueue(key: string, urgent: boolean): void;
  onEnqueue(listener: (key: string, urgent: boolean) => void): () => void;
  roomChanged(edge: RoomEdge): void;
  onRoomChanged(listener: (edge: RoomEdge) => void): () => void;
  /** A job of the queue is in another state, or its wrapper said something new. */
  jobChanged(edge: JobEdge): void;
  onJobChanged(listener: (edge: JobEdge) => void): () => void;
  /** A person was added, removed, or changed groups. */
  peopleChanged(): void;
  onPeopleChanged(listener: () => void): () => void;
  /** The portal credential of a backend with this hash is good no longer. */
  credentialEnded(tokenHash: string): void;
  onCredentialEnded(listener: (tokenHash: string) => void): () => void;
  /** Without other portals it tells nobody. */
  tellOthers(edge: OthersEdge): void;
  /** Called with an edge that another portal sent. */
  heard(edge: OthersEdge): void;
  onHeard(listener: (edge: OthersEdge) => void): () => void;
  /** Edges of other portals may have been lost: whoever holds something that they tell of reads it again. */
  edgesMissed(): void;
  onEdgesMissed(listener: () => void): () => void;
}

export function createBus(): Bus {
  const published = createListeners<[person: string, event: PortalEvent]>();
  const enqueued = createListeners<[key: string, urgent: boolean]>();
  const rooms = createListeners<[edge: RoomEdge]>();
  const jobs = createListeners<[edge: JobEdge]>();
  const people = createListeners<[]>();
  const credentials = createListeners<[tokenHash: string]>();
  const missed = createListeners<[]>();
  const others = createListeners<[edge: OthersEdge]>();
  return {
    publish: published.emit,
    onPublish: published.add,
    enqueue: enqueued.emit,
    onEnqueue: enqueued.add,
    roomChanged: rooms.emit,
    onRoomChanged: rooms.add,
    jobChanged: jobs.emit,
    onJobChanged: jobs.add,
    peopleChanged: people.emit,
    onPeopleChanged: people.add,
    credentialEnded: credentials.emit,
    onCredentialEnded: credentials.add,
    tellOthers: () => undefined,
    heard: others.emit,
    onHeard: others.add,
    edgesMissed: missed.emit,
    onEdgesMissed: missed.add,
  };
}

function createListeners<Args extends readonly unknown[]>() {
  const listeners = new Set<(...args: Args) => void>();
  return {
    add: (listener: (...args: Args) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (...args: Args): void => {
      for (const listener of listeners) listener(...args);
    },
  };
}
