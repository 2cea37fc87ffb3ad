/**
 * The bus of portals that share a database: an edge of one reaches the others by NOTIFY. A lost edge costs a reading: the state is in the
 * store, and a portal that may have missed one is notified. Decision: docs/decisions/0298-edges-between-portals.md
 */
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Clock } from '../schema/clock.ts';
import type { PortalEvent } from '../schema/wire/events.ts';
import type { Bus } from './bus.ts';
import { readEdges, tellEdge, writeEdges, type Edge } from './edge-messages.ts';
import { limits } from './limits.ts';
import type { PostgresHosts } from './postgres-hosts.ts';

export interface SharedBus {
  /** As `local`; what is said on it reaches the other portals too. */
  readonly bus: Bus;
  /** Resolves when this portal receives edges of the others for the first time. */
  listening(): Promise<void>;
  stop(): Promise<void>;
}

export interface SharedBusOptions {
  readonly hosts: PostgresHosts;
  /** Bus of this portal. Every received edge is published on it. */
  readonly local: Bus;
  readonly clock: Clock;
}

const channel = 'svc_edges';

/** Each portal sees these by itself: it has its own connection to every supervisor, and gets each job's reports. */
const ownEvents: ReadonlySet<PortalEvent['type']> = new Set<PortalEvent['type']>([
  'app-status',
  'app-step',
  'apps-changed',
  'trabalhos',
  'dev',
]);

export function createSharedBus({ hosts, local, clock }: SharedBusOptions): SharedBus {
  const from = randomUUID();
  const line = keepLine({ hosts, clock }, { onMessage: hear, onListening });
  let waiting: Edge[] = [];
  let telling: Promise<void> | null = null;

  function onListening(isAgain: boolean): void {
    if (isAgain) local.edgesMissed();
    if (waiting.length > 0) begin();
  }

  function hear(message: string): void {
    const read = readEdges(message);
    if (read === null || read.from === from) return;
    for (const edge of read.edges) tellEdge(local, edge);
  }
  const tellAll = async (): Promise<void> => {
    // All of one turn of the event loop are one message.
    await Promise.resolve();
    while (waiting.length > 0) {
      const edges = waiting;
      waiting = [];
      if (await line.send(writeEdges(from, edges))) continue;
      waiting = [{ kind: 'missed' }];
      return;
    }
  };
  const tell = (edge: Edge): void => {
    if (waiting.length >= limits.edgesWaitingMax) waiting = [{ kind: 'missed' }];
    waiting.push(edge);
    begin();
  };
  function begin(): void {
    telling ??= tellAll().finally(() => {
      telling = null;
    });
  }
  const bus: Bus = {
    ...local,
    publish: (person, event) => {
      local.publish(person, event);
      if (!ownEvents.has(event.type)) tell({ kind: 'publish', person, event });
    },
    enqueue: (key, urgent) => {
      local.enqueue(key, urgent);
      tell({ kind: 'enqueue', key, urgent });
    },
    jobChanged: (edge) => {
      local.jobChanged(edge);
      tell({ kind: 'job', edge });
    },
    tellOthers: tell,
    credentialEnded: (tokenHash) => {
      local.credentialEnded(tokenHash);
      tell({ kind: 'credential', tokenHash });
    },
  };
  return {
    bus,
    listening: () => line.first,
    stop: async () => {
      await telling;
      await line.stop();
    },
  };
}

interface Line {
  /** Resolves when it listens for the first time. */
  readonly first: Promise<void>;
  /** False: not all messages were sent. */
  send(messages: readonly string[]): Promise<boolean>;
  stop(): Promise<void>;
}

interface Heard {
  readonly onMessage: (message: string) => void;
  /** `isAgain`: it did not listen for a while, and something may have been said meanwhile. */
  readonly onListening: (isAgain: boolean) => void;
}

/** Keeps a connection of its own, which is made again whenever it breaks. */
function keepLine({ hosts, clock }: Pick<SharedBusOptions, 'hosts' | 'clock'>, heard: Heard): Line {
  const { promise: first, resolve: isFirst } = Promise.withResolvers<void>();
  let client: Client | null = null;
  let cancel = (): void => undefined;
  let hasListened = false;
  let isListening = false;
  let isOver = false;
  const later = (ms: number, work: () => Promise<void>): void => {
    cancel();
    if (!isOver) cancel = clock.at(clock.monotonicMs() + ms, () => void work());
  };
  const drop = (one: Client): void => {
    if (client !== one) return;
    client = null;
    isListening = false;
    one.end().catch(() => undefined);
    later(limits.edgeReconnectMs, connect);
  };
  const ping = (one: Client) => async (): Promise<void> => {
    try {
      await one.query('SELECT 1');
      if (client === one) later(limits.edgePingMs, ping(one));
    } catch {
      drop(one);
    }
  };
  async function connect(): Promise<void> {
    if (isOver) return;
    const one = newClient(hosts, heard, drop);
    client = one;
    try {
      await one.connect();
      await hosts.admit(one);
      await one.query(`LISTEN ${channel}`);
    } catch {
      drop(one);
      return;
    }
    if (client !== one) return void one.end().catch(() => undefined);
    const isAgain = hasListened;
    [hasListened, isListening] = [true, true];
    isFirst();
    heard.onListening(isAgain);
    later(limits.edgePingMs, ping(one));
  }
  void connect();
  return {
    first,
    send: async (messages) => {
      const one = client;
      if (one === null || !isListening) return false;
      try {
        for (const message of messages) await one.query('SELECT pg_notify($1, $2)', [channel, message]);
        return true;
      } catch {
        drop(one);
        return false;
      }
    },
    stop: async () => {
      isOver = true;
      cancel();
      const one = client;
      client = null;
      await one?.end().catch(() => undefined);
    },
  };
}

function newClient(hosts: PostgresHosts, { onMessage }: Heard, drop: (one: Client) => void): Client {
  const one = hosts.newClient();
  one.on('error', () => drop(one));
  one.on('end', () => drop(one));
  one.on('notification', ({ payload }) => onMessage(payload ?? ''));
  return one;
}
