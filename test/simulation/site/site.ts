/**
 * State of a simulated site: the model servers of ../world.ts, and what stands between them and the product's own controller, store and
 * supervisor lines. Everything random comes from one seed, everything in time from one simulated clock.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import type { Store } from '../../../store/store.ts';
import type { ProcessClock } from '../portals/process.ts';
import type { AppModel, Installed, PersonModel, ServerModel, World } from '../world.ts';
import { createRandom, type Random } from '../random.ts';
import type { Portal } from './portal.ts';
import type { RoomSite } from './rooms.ts';

/** A connection of a portal to the supervisor of a person. */
export interface Line {
  readonly person: PersonModel;
  /** Life of the supervisor that accepted it. */
  readonly life: number;
  readonly stream: Duplex;
  readonly process: ProcessClock;
  isSubscribed: boolean;
  isOver: boolean;
  /** Times of the last message each way: a line keeps its order. */
  inMs: number;
  outMs: number;
}

/** Faults that are under way, and those that wait for the next call of their kind. */
export interface Weather {
  storeRefusesUntilMs: number;
  storeSlowMs: number;
  /** Kind of request whose replies are lost, late or cut; null: any. */
  hits: string | null;
  lostReplies: number;
  lateReplies: number;
  cutReplies: number;
  latePushes: number;
  lostEdges: number;
  failingStarts: number;
  hangingStarts: number;
  failingLooks: number;
  /** Looks at the packages of a server that say at their end what was there at their beginning. */
  slowLooks: number;
  failingInstalls: number;
  /** The portal dies at the n-th call that reaches something or comes back; 0 for none. */
  diesAtCall: number;
}

export const calm = (): Weather => ({
  storeRefusesUntilMs: 0,
  storeSlowMs: 0,
  hits: null,
  lostReplies: 0,
  lateReplies: 0,
  cutReplies: 0,
  latePushes: 0,
  lostEdges: 0,
  failingStarts: 0,
  hangingStarts: 0,
  failingLooks: 0,
  slowLooks: 0,
  failingInstalls: 0,
  diesAtCall: 0,
});

export interface Wished {
  readonly app: AppModel;
  readonly wish: 'start' | 'stop' | 'restart';
  readonly by: string;
  readonly atMs: number;
}

export interface Site {
  readonly world: World;
  readonly store: Store;
  /** Folders of the desired state and of the repository. */
  readonly dir: string;
  readonly repository: string;
  readonly lines: Set<Line>;
  readonly weather: Weather;
  readonly tokens: Map<AppModel, string>;
  /** Called when a server was away: connections to it may be gone. */
  readonly doubts: Map<ServerModel, Set<() => void>>;
  /** Orders that the api acknowledged, by id. */
  readonly wishes: Map<string, Wished>;
  /** Times at which supervisors received an order that changes something, by app; and lines of the log. */
  readonly orders: Map<AppModel, number[]>;
  readonly loggedMs: number[];
  readonly counts: Record<string, number>;
  /** When the last window of an app closed, of those that had one. */
  readonly closedAtMs: Map<AppModel, number>;
  /** Apps of whose open windows a portal was told. */
  readonly windowsTold: Set<AppModel>;
  /** Why an account is closed, by the name of its person. */
  readonly closedAccounts: Map<string, 'locked' | 'expired'>;
  /** Documents of another name that have the account of a person, or had it. */
  readonly doubles: Map<PersonModel, 'written' | 'leaving'>;
  /** Servers whose installer refuses packages for good, and how often each was moved: its document says another place then. */
  readonly refusing: Set<ServerModel>;
  readonly places: Map<ServerModel, number>;
  /** Packages that are being installed, or were a moment ago. */
  readonly installing: Map<ServerModel, number>;
  /** Kinds of acts of this history. */
  readonly actsOf: Readonly<Record<string, number>>;
  folderChangedAtMs: number;
  /** Something was removed from the folder, and `svc apply --prune` did not end well yet. */
  isApplyDue: boolean;
  /** When somebody or something last did anything but use what is there. */
  faultAtMs: number;
  /** When the wall clock was last set. */
  clockSetAtMs: number;
  /** Since when the portal serves people without having stood still. */
  servesSinceMs: number;
  /** Numbers of one source of chance: what others draw, and when, changes none of them. */
  readonly chance: (source: string) => Random;
  portal: Portal | null;
  rooms: RoomSite | null;
  isResting: boolean;
  restsUntilMs: number;
  /** Rises whenever something reaches a portal, or a portal something. */
  activity: number;
  /** Calls of the portal so far, for its death at one of them. */
  calls: number;
  callsAtRest: number;
}

export function chances(seed: number): Site['chance'] {
  const sources = new Map<string, Random>();
  return (source) => {
    const known = sources.get(source) ?? createRandom(Buffer.from(source).reduce((sum, byte) => Math.imul(sum, 31) + byte, seed));
    sources.set(source, known);
    return known;
  };
}

export function count(site: Site, what: string): void {
  site.counts[what] = (site.counts[what] ?? 0) + 1;
}

/** Turns of the event loop without a sign of life after which nothing more happens at this moment. */
const quietTurns = 3;
const busyTurnsMax = 200_000;

/** Files are read, or a thread of the portal works: the simulated world stands still meanwhile. */
const isAtWork = (): boolean =>
  process.getActiveResourcesInfo().some((name) => name.startsWith('FS') || name === 'CloseReq' || name === 'MessagePort');

/** Lets the portal do everything that it does at this moment. */
export async function settle(site: Site): Promise<void> {
  let [quiet, busy] = [0, 0];
  while (quiet < quietTurns) {
    const before = site.activity;
    await turn();
    if (site.activity !== before) busy += 1;
    if (busy > busyTurnsMax) throw new Error(`the portal is busy for ever at ${site.world.clock.monotonicMs()} ms`);
    quiet = site.activity === before && !isAtWork() ? quiet + 1 : 0;
  }
}

/** How long the portal has served people without having stood still; negative while it serves nobody. */
export function servedMs({ portal, servesSinceMs, world }: Site): number {
  const serves = portal?.serving != null && portal.process.state() === 'runs';
  return serves ? world.clock.monotonicMs() - servesSinceMs : -Infinity;
}

/** No fault is under way or waits for its call. */
export function isCalm({ weather }: Site): boolean {
  const { storeRefusesUntilMs: _past, hits: _kind, diesAtCall: _later, ...counts } = weather;
  return Object.values(counts).every((one) => one === 0);
}

/** A name that had another document for the same account. */
export const doubleOf = (name: string): string => `${name}-antes`;

export const packageName = (installed: Installed): string => `${installed.manifest.id}-${installed.server.name}`;

/** While everything rests nobody does anything: it is put off. */
export function later(site: Site, ms: number, act: () => void): void {
  const { clock } = site.world;
  clock.at(clock.monotonicMs() + ms, () => {
    if (site.isResting) later(site, site.restsUntilMs - clock.monotonicMs(), act);
    else act();
  });
}
