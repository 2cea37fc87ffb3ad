/**
 * The model world of the simulator: what stands on the servers (packages, env files, processes, supervisors), what the portal keeps (store)
 * and what it only remembers while it lives. Everything random comes from one seed and everything in time from one simulated clock.
 * The pure parts are the real ones: decideBackend, decideSupervisor, machines/supervision.ts.
 */
import { createSimulatedClock, type SimulatedClock } from '../../controller/clock/simulated.ts';
import { stoppedSupervision, type Supervision } from '../../machines/supervision.ts';
import type { BackendDecision, BackendMemory, PendingIntent, ProbeResult } from '../../reconcilers/backend-types.ts';
import type { PackageMemory } from '../../reconcilers/package-types.ts';
import type { SupervisorMemory } from '../../reconcilers/supervisor-process.ts';
import type { BackendState, Reason } from '../../schema/backend.ts';
import type { AppSnapshot, LastExit } from '../../schema/supervisor-lines.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { createRandom, type Random } from './random.ts';

/** How a process behaves, drawn at its launch. */
export type Behaviour = 'healthy' | 'slow' | 'neverBinds' | 'bindsTcp' | 'answersError' | 'refusesToken' | 'exitsAtOnce';

export interface Process {
  readonly pid: number;
  readonly startTicks: number;
  readonly startedAtMs: number;
  readonly hash: string;
  readonly behaviour: Behaviour;
  readonly ignoresTerm: boolean;
  listening: boolean;
}

/** `gone`: forgotten; what stands on the disk of who was forgotten stays there. */
export type DocumentState = 'written' | 'leaving' | 'gone';

/** A package of one server. */
export interface Installed {
  readonly kind: 'package';
  readonly server: ServerModel;
  readonly manifest: Manifest;
  hash: string;
  present: boolean;
  // The portal's store.
  document: DocumentState;
  memory: PackageMemory | null;
  // The portal's memory.
  seen: boolean;
  removing: boolean;
  task: { readonly act: 'install' | 'remove'; cancelled: boolean } | null;
  asked: boolean;
}

export interface ServerModel {
  readonly kind: 'server';
  readonly name: string;
  document: DocumentState;
  asked: boolean;
  reachable: boolean;
  /** The portal's belief about the server. */
  seen: 'reachable' | 'unreachable' | 'unknown';
  readonly people: PersonModel[];
  readonly packages: Installed[];
}

export interface PersonModel {
  readonly ground: PersonModel;
  readonly kind: 'person';
  readonly name: string;
  document: DocumentState;
  readonly server: ServerModel;
  readonly apps: AppModel[];
  /** Null while no supervisor process lives; the number tells one life from the next. */
  supervisor: number | null;
  lives: number;
  // The portal's store.
  session: number | null;
  supervisorMemory: SupervisorMemory | null;
  // The portal's memory.
  link: 'up' | 'starting' | 'down';
  busy: boolean;
  again: boolean;
  asked: boolean;
  /** Stops that were sent for their removal and not answered yet. */
  ordered: number;
  signedOut: boolean;
  supervisorEnded: boolean;
}

/** An app of one person. */
export interface AppModel {
  /** The app itself, of a portal's view of it. */
  readonly ground: AppModel;
  readonly person: PersonModel;
  readonly id: string;
  readonly key: string;
  readonly installed: Installed;
  // On the server's disk and in its process table.
  env: { pinned: boolean } | null;
  /** More than one is the worst violation. */
  processes: Process[];
  launcher: { readonly detached: boolean; readonly life: number } | null;
  supervision: Supervision;
  /** When the supervision last took another state. */
  movedAtMs: number;
  previousSupervision: Supervision;
  requestId: string | null;
  lastExit: LastExit | null;
  settingUp: boolean;
  setUpHash: string | null;
  /** For the invariants: start orders that the supervisor took, and when it took the last stop. */
  readonly startsTaken: Set<string>;
  lastOrderAtMs: number;
  // The portal's store.
  intent: PendingIntent | null;
  windows: { open: number; zeroSinceMs: number | null };
  document: 'ligado' | 'desligado' | null;
  memory: BackendMemory | null;
  // The portal's memory.
  snapshot: AppSnapshot | null;
  snapshotSeq: number;
  probe: ProbeResult | null;
  probing: boolean;
  /** A start is on its way. */
  starting: boolean;
  busy: boolean;
  again: boolean;
  alarm: (() => void) | null;
  alarmAtMs: number | null;
  shown: { readonly state: BackendState; readonly reason: Reason; readonly sinceMs: number } | null;
}

export interface Tally {
  decisions: number;
  launches: number;
  intents: number;
  transitions: number;
  readonly faults: Record<string, number>;
  readonly violations: string[];
}

/** Faults of the next events of a kind. */
export interface Mischief {
  lostPushes: number;
  latePushes: number;
  lostOrders: number;
  lostAcks: number;
  lostExits: number;
  failingEnsures: number;
  /** The portal dies at the n-th effect boundary from now; 0 for none. */
  crashAfterBoundaries: number;
}

/** Values that a scenario fixes instead of drawing them. */
export interface Script {
  behaviour: Behaviour | null;
  setUpMs: number | null;
  bootMs: number | null;
}

/** Describes one of several portals for the loop of the model, whose world is then this portal's view of it (portals/view.ts). */
export interface Among {
  /** False for a portal that does not lead: it observes, and carries out none of its decisions. */
  leads(): boolean;
  /** The number that its orders carry, and the one that they carry in truth: a mutation leaves the first one out. */
  readonly number: { readonly told: number | undefined; readonly real: number };
  /** Observes the changes of lost edges. */
  refresh(): void;
  /** An order came to its end, as far as this portal knows. */
  finish(app: AppModel, decision: BackendDecision): void;
  /** Its process ends. */
  die(): void;
}

/** Several portals over one world: what happens in it reaches each of them by itself, late or never. */
export interface Several {
  changed(app: AppModel): void;
  personChanged(person: PersonModel): void;
  lineEnded(person: PersonModel): void;
  serverChanged(server: ServerModel): void;
  pushed(app: AppModel): void;
  /** A portal got a line to a supervisor and sees what runs. */
  seen(person: PersonModel, among: Among): void;
  /** False: the supervisor refuses the order, because it saw one of a later portal. */
  accepts(person: PersonModel, among: Among): boolean;
  /** Extra time of an order on its way. */
  lateMs(): number;
}

export interface World {
  /** The world itself, of a portal's view of it. */
  readonly ground: World;
  readonly among: Among | null;
  readonly several: Several | null;
  readonly script: Script;
  readonly seed: number;
  readonly clock: SimulatedClock;
  readonly random: Random;
  readonly servers: ServerModel[];
  readonly people: PersonModel[];
  readonly apps: AppModel[];
  readonly packages: Installed[];
  readonly mischief: Mischief;
  readonly tally: Tally;
  /** Number of the portal's life; null while it is dead. Whatever an older life scheduled is void. */
  portal: number | null;
  portalLives: number;
  /** Apps that the portal must observe in its next resync because an edge was lost. */
  readonly unseen: Set<AppModel>;
  /** Nobody changes anything, so that convergence can be checked. */
  resting: boolean;
  /** The wall clock was set since the last resync. */
  clockMoved: boolean;
  pids: number;
  requests: number;
  seq: number;
}

export const startWallMs = Date.UTC(2026, 10, 21);

function manifestOf(index: number, random: Random): Manifest {
  const policies = ['encerrar', 'encerrar', 'encerrar', 'encerrar', 'encerrar', 'encerrar', 'manter', 'ocioso:5m', 'ocioso:30m'];
  const backend = { runtime: 'node', entrypoint: 'backend/main.js', aoFechar: random.pick(policies) } as const;
  const service = index % 10 === 9;
  return { id: `app${index}`, version: '1.0.0', ...(service ? { kind: 'service' as const } : {}), backend };
}

/** Makes an object of the world itself. */
const grounded = <Model extends object>(made: Omit<Model, 'ground'>): Model => {
  const model = made as unknown as Model & { ground: Model };
  model.ground = model;
  return model;
};

export function createWorld(options: {
  readonly seed: number;
  readonly people: number;
  readonly appsPerPerson: number;
  readonly servers: number;
  /** For a scenario: the one manifest of all packages. */
  readonly manifest?: Manifest;
}): World {
  const random = createRandom(options.seed);
  const world = grounded<World>({
    among: null,
    several: null,
    script: { behaviour: null, setUpMs: null, bootMs: null },
    seed: options.seed,
    clock: createSimulatedClock(startWallMs, 0),
    random,
    servers: [],
    people: [],
    apps: [],
    packages: [],
    mischief: { lostPushes: 0, latePushes: 0, lostOrders: 0, lostAcks: 0, lostExits: 0, failingEnsures: 0, crashAfterBoundaries: 0 },
    tally: { decisions: 0, launches: 0, intents: 0, transitions: 0, faults: {}, violations: [] },
    portal: null,
    portalLives: 0,
    unseen: new Set(),
    clockMoved: false,
    resting: false,
    pids: 100,
    requests: 0,
    seq: 0,
  });
  const manifests = Array.from({ length: options.appsPerPerson }, (_unused, n) => options.manifest ?? manifestOf(n, random));
  for (let n = 0; n < options.servers; n += 1) {
    const common = { document: 'written', asked: false } as const;
    const server: ServerModel = {
      ...common,
      kind: 'server',
      name: `servidor${n}`,
      reachable: true,
      seen: 'unknown',
      people: [],
      packages: [],
    };
    for (const manifest of manifests) {
      const there = { hash: 'hash-1', present: true, seen: true, removing: false, task: null, memory: null };
      server.packages.push({ ...common, ...there, kind: 'package', server, manifest });
    }
    world.servers.push(server);
    world.packages.push(...server.packages);
  }
  for (let n = 0; n < options.people; n += 1) {
    const server = world.servers[n % options.servers] as ServerModel;
    const person = createPerson(`pessoa${n}`, server);
    server.people.push(person);
    world.people.push(person);
    world.apps.push(...person.apps);
  }
  return world;
}

function createPerson(name: string, server: ServerModel): PersonModel {
  const person = grounded<PersonModel>({
    kind: 'person',
    name,
    document: 'written',
    server,
    apps: [],
    supervisor: null,
    lives: 0,
    session: null,
    supervisorMemory: null,
    link: 'down',
    busy: false,
    again: false,
    asked: false,
    ordered: 0,
    signedOut: false,
    supervisorEnded: false,
  });
  for (const installed of server.packages) person.apps.push(createApp(person, installed));
  return person;
}

function createApp(person: PersonModel, installed: Installed): AppModel {
  const { id } = installed.manifest;
  return grounded<AppModel>({
    person,
    id,
    key: `Backend/${person.name}/${id}`,
    installed,
    env: null,
    processes: [],
    launcher: null,
    supervision: stoppedSupervision,
    movedAtMs: 0,
    previousSupervision: stoppedSupervision,
    requestId: null,
    lastExit: null,
    settingUp: false,
    setUpHash: null,
    startsTaken: new Set(),
    lastOrderAtMs: -1_000_000,
    intent: null,
    windows: { open: 0, zeroSinceMs: null },
    document: null,
    memory: null,
    snapshot: null,
    snapshotSeq: 0,
    probe: null,
    probing: false,
    starting: false,
    busy: false,
    again: false,
    alarm: null,
    alarmAtMs: null,
    shown: null,
  });
}

export function after(world: World, ms: number, fn: () => void): () => void {
  return world.clock.at(world.clock.monotonicMs() + ms, fn);
}

/** Does it unless the portal that scheduled it has died in between. */
export function afterInPortal(world: World, ms: number, fn: () => void): () => void {
  const life = world.portal;
  return after(world, ms, () => {
    if (life !== null && world.portal === life) fn();
  });
}

export function violate(world: World, what: string): void {
  const atS = Math.round(world.clock.monotonicMs() / 1_000);
  if (world.tally.violations.length < 100) world.tally.violations.push(`seed ${world.seed}, ${atS} s: ${what}`);
}

export function countFault(world: World, kind: string): void {
  world.tally.faults[kind] = (world.tally.faults[kind] ?? 0) + 1;
}
