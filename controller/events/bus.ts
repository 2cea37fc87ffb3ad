/**
 * In-process news of the controller and wishes of the api: the only things, with the store, that the two share (design 2).
 * Edges only: whoever hears one reads the state again.
 */
import type { PortalEvent } from '../../schema/wire/events.ts';

export interface Bus {
  /** Something the person's pages want to hear. */
  publish(person: string, event: PortalEvent): void;
  onPublish(listener: (person: string, event: PortalEvent) => void): () => void;
  /** A key needs a decision now; `urgent` goes before resyncs (a click). */
  enqueue(key: string, urgent: boolean): void;
  onEnqueue(listener: (key: string, urgent: boolean) => void): () => void;
}

export function createBus(): Bus {
  const published = new Set<(person: string, event: PortalEvent) => void>();
  const enqueued = new Set<(key: string, urgent: boolean) => void>();
  return {
    publish: (person, event) => {
      for (const listener of published) listener(person, event);
    },
    onPublish: (listener) => {
      published.add(listener);
      return () => published.delete(listener);
    },
    enqueue: (key, urgent) => {
      for (const listener of enqueued) listener(key, urgent);
    },
    onEnqueue: (listener) => {
      enqueued.add(listener);
      return () => enqueued.delete(listener);
    },
  };
}
