/** Shared state of the parts of a world of several portals. */
import type { LeadershipTerms } from '../../../bin/up/leadership-terms.ts';
import type { Fence } from '../../../kit/supervise/fence.ts';
import type { Membership } from '../../../store/portals.ts';
import type { PostgresSql } from '../../../store/postgres-sql.ts';
import type { Lease } from '../../../store/lease.ts';
import type { PersonModel, World } from '../world.ts';
import type { Client, Socket } from './clients.ts';
import type { Database } from './database.ts';
import type { Line, Weather } from './line.ts';
import type { ProcessClock } from './process.ts';
import type { ModelController } from './term.ts';
import type { Relay } from './relay.ts';

/** The protection left out on purpose, to see that its absence is found. */
export type LeftOut = 'nothing' | 'writes' | 'orders' | 'rooms';

export interface Term extends Lease {
  readonly sql: PostgresSql;
}

/** A process of svc up. */
export interface Portal {
  readonly name: string;
  readonly slot: Slot;
  readonly clock: ProcessClock;
  readonly line: Line;
  member: Membership | null;
  terms: LeadershipTerms<ModelController> | null;
  relay: Relay | null;
  /** Running controllers: while one takes the place of another there are two. */
  readonly controllers: Set<ModelController>;
  /** The highest number of a lease that it saw. */
  readonly seen: { number: number };
}

/** A machine that runs one portal, again and again. */
export interface Slot {
  readonly index: number;
  readonly offMs: number;
  readonly drift: number;
  portal: Portal | null;
}

export interface SupervisorFence {
  life: number;
  fence: Fence;
  /** In the file. */
  kept: number;
  /** The highest number that this supervisor met in truth. */
  met: number;
}

export interface SeveralTally {
  takeovers: number;
  /** Milliseconds from the moment a leader was gone. */
  readonly takeoverMs: number[];
  refusedOrders: number;
  refusedWrites: number;
  refusedAppends: number;
  writes: number;
  appends: number;
  edits: number;
  acknowledged: number;
  lostEdges: number;
}

export interface Simulation {
  readonly world: World;
  readonly database: Database;
  readonly weather: Weather & { lostEdges: number; lateOrdersMs: number };
  readonly slots: readonly Slot[];
  readonly leavesOut: LeftOut;
  readonly fences: Map<PersonModel, SupervisorFence>;
  readonly tally: SeveralTally;
  /** Acknowledged edits of each room: none may ever be missing again. */
  readonly acknowledged: Map<string, Set<string>>;
  clients: readonly Client[];
  kill(portal: Portal): void;
  /** Sockets that go through it. */
  socketsOf(portal: Portal): readonly Socket[];
  /** The last things that happened, for a failure. */
  readonly story: string[];
}

export const portalsOf = ({ slots }: Simulation): readonly Portal[] => slots.flatMap(({ portal }) => (portal === null ? [] : [portal]));

export function tell({ world, story }: Simulation, what: string): void {
  story.push(`${(world.clock.monotonicMs() / 1_000).toFixed(3)} s: ${what}`);
  if (story.length > 60) story.shift();
}
