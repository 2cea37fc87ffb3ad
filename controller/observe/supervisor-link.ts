/**
 * The portal's line to the supervisor of one person: connects, starts the supervisor when nothing listens, subscribes, and keeps the last
 * snapshots. Edges only enqueue keys. While the line is down the last snapshots stay, marked as old: a server that can't be reached makes
 * its apps unknown, never stopped.
 */
import type { SupervisorRequest, AppSnapshot, SupervisorPush, SupervisorReplies } from '../../schema/supervisor-lines.ts';
import { pause, type Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import type { AppUsage } from '../../schema/wire/http.ts';
import { isOlderKit, kitVersion, supervisorProtocolVersion } from '../../schema/supervisor-protocol.ts';
import { faultPoint } from '../faults.ts';
import type { Host } from '../hosts/host.ts';
import { limits } from '../limits.ts';
import { openLineConnection, type Ask, type LineConnection } from './line-connection.ts';
import { createUsage } from './usage.ts';

export interface LinkView {
  readonly status: 'up' | 'starting' | 'down';
  /** Why it is down; while it is starting, why the last attempt failed. Null while up. */
  readonly error: SvcError | null;
  readonly sinceMs: number;
  readonly supervisor: SupervisorReplies['hello'] | null;
}

export interface SupervisorLink {
  readonly person: string;
  /** The same object until something changed. */
  view(): LinkView;
  snapshot(app: string): AppSnapshot | null;
  snapshots(): readonly AppSnapshot[];
  /** Usage of an app at the last reading; null when that is too old or of another process. */
  usage(app: string): AppUsage | null;
  /** Never rejects; one observation at a time, and none right after another. */
  observeUsage(): Promise<void>;
  /** When a report of this app, or of the line, was received last. */
  seenAtMs(): number;
  /** Takes the snapshots that another controller of this portal received last, and when: they count until this line receives newer ones. */
  recall(apps: readonly AppSnapshot[], atMs: number): void;
  /** Connects if a supervisor listens already; never rejects, starts nothing. */
  adopt(): Promise<void>;
  /** Connects, and starts the supervisor if need be. Resolves when subscribed; one attempt at a time. */
  ensure(): Promise<void>;
  /** Rejects SERVER_UNREACHABLE at once while the line is down. */
  ask<Op extends SupervisorRequest['op']>(request: Ask<Op>): Promise<SupervisorReplies[Op]>;
  /** Asks what runs now, since what was pushed may not have come yet. Rejects as `ask`. */
  look(): Promise<void>;
  /** A separate connection, e.g. to follow a log. */
  dial(onPush: (push: SupervisorPush) => void, onClose: (error: SvcError) => void): Promise<LineConnection>;
  /** Asks something small; a supervisor that hangs loses the line. */
  check(): Promise<void>;
  close(): void;
}

export interface LinkOptions {
  readonly person: string;
  readonly account: string;
  readonly host: Host;
  readonly clock: Clock;
  readonly leader: number | null;
  /** Before each order: resolves as long as no other portal can lead. */
  readonly held?: (() => Promise<void>) | undefined;
  /** False: another portal starts supervisors and ends those of other releases; this one waits for them. */
  readonly starts: boolean;
  /** `app` changed, or with null the line itself. */
  readonly onChange: (app: string | null) => void;
}

interface LinkState {
  readonly options: LinkOptions;
  view: LinkView;
  connection: LineConnection | null;
  snapshots: Map<string, AppSnapshot>;
  seenAtMs: number;
  ensuring: Promise<void> | null;
  /** How the last attempt to reach or start it failed; null once it is up. */
  failure: SvcError | null;
  /** The line was given up because nothing was answered on it. */
  isDeaf: boolean;
  closed: boolean;
}

export function createSupervisorLink(options: LinkOptions): SupervisorLink {
  const state: LinkState = {
    options,
    view: { status: 'down', error: null, sinceMs: options.clock.nowMs(), supervisor: null },
    connection: null,
    snapshots: new Map(),
    seenAtMs: 0,
    ensuring: null,
    failure: null,
    isDeaf: false,
    closed: false,
  };
  const ask = async <Op extends SupervisorRequest['op']>(request: Ask<Op>): Promise<SupervisorReplies[Op]> => {
    if (!state.connection) throw state.view.error ?? down(options.person);
    return state.connection.ask<Op>(request);
  };
  const usage = createUsage(options.clock, () => ask({ op: 'usage' }));
  return {
    person: options.person,
    view: () => state.view,
    snapshot: (app) => state.snapshots.get(app) ?? null,
    snapshots: () => [...state.snapshots.values()],
    usage: (app) => usage.of(app, state.snapshots.get(app)?.process?.pid ?? null),
    observeUsage: () => usage.read(),
    seenAtMs: () => state.seenAtMs,
    recall: (apps, atMs) => {
      if (state.seenAtMs > 0) return;
      replaceAll(state, apps);
      // Received then, not now.
      state.seenAtMs = atMs;
    },
    adopt: async () => {
      if (state.closed || state.connection) return;
      const stream = await dialSupervisor(state).catch(() => null);
      if (stream) await greet(state, stream).catch(() => undefined);
    },
    ensure: () => {
      state.ensuring ??= ensure(state).finally(() => {
        state.ensuring = null;
      });
      return state.ensuring;
    },
    ask,
    look: async () => {
      const { connection } = state;
      const { apps } = await ask({ op: 'snapshot' });
      if (state.connection === connection) replaceAll(state, apps);
    },
    dial: async (onPush, onClose) => {
      const stream = await dialSupervisor(state);
      return openLineConnection({ stream, clock: options.clock, leader: options.leader, held: options.held, onPush, onClose });
    },
    check: async () => {
      const { connection } = state;
      if (!connection) return;
      try {
        const hello = await connection.ask({ op: 'hello' });
        // The kit was exchanged under a running supervisor: its apps live on, and the next attempt starts the new code.
        if (hello.outdated === true && options.starts) await connection.ask({ op: 'quit' });
        else if (state.connection === connection && hello.disk !== state.view.supervisor?.disk) setView(state, 'up', null, hello);
        state.seenAtMs = options.clock.nowMs();
      } catch (error) {
        state.isDeaf = error instanceof SvcError && error.code === 'TIMEOUT';
        connection.close();
      }
    },
    close: () => {
      state.closed = true;
      state.connection?.close();
    },
  };
}

function down(person: string): SvcError {
  return new SvcError('SERVER_UNREACHABLE', `the supervisor of ${person} is not connected`);
}

async function dialSupervisor({ options }: LinkState) {
  const place = await options.host.place(options.account);
  return options.host.dial(options.account, accountPaths(place).supervisorSocket);
}

function setView(state: LinkState, status: LinkView['status'], error: SvcError | null, supervisor: LinkView['supervisor']): void {
  const { view } = state;
  const sinceMs = view.status === status ? view.sinceMs : state.options.clock.nowMs();
  if (view.status === status && view.error === error && view.supervisor === supervisor) return;
  state.view = { status, error, sinceMs, supervisor };
  state.options.onChange(null);
}

async function ensure(state: LinkState): Promise<void> {
  if (state.closed || state.connection) return;
  const { options } = state;
  setView(state, 'starting', state.failure, null);
  try {
    // After a failed attempt the next one waits for an observation.
    const found = state.isDeaf ? null : await dialSupervisor(state).catch(() => null);
    state.isDeaf = false;
    if (found && (await greetsInTime(state, found))) return;
    if (!options.starts) return await awaitSupervisor(state);
    // Nothing listens, or the supervisor does not answer: the start leaves a busy supervisor alone and replaces one that is stopped by a
    // signal.
    faultPoint('supervisor/before-spawn');
    await options.host.startSupervisor(options.account);
    faultPoint('supervisor/spawned');
    await greet(state, await dialSupervisor(state));
    faultPoint('supervisor/greeted');
  } catch (error) {
    const coded = error instanceof SvcError ? error : new SvcError('SERVER_UNREACHABLE', String(error), {}, { cause: error });
    state.failure = coded;
    setView(state, 'down', coded, null);
    throw coded;
  }
}

/** Waits for a supervisor that another portal starts: it is dialed until it listens. */
async function awaitSupervisor(state: LinkState): Promise<void> {
  const { clock } = state.options;
  const endMs = clock.monotonicMs() + limits.supervisorAwaitedMs;
  for (;;) {
    await pause(clock, limits.supervisorAwaitStepMs);
    if (state.closed || clock.monotonicMs() >= endMs) throw down(state.options.person);
    const found = await dialSupervisor(state).catch(() => null);
    if (found && (await greetsInTime(state, found))) return;
  }
}

/** False when nothing came back; every other failure is rethrown. */
async function greetsInTime(state: LinkState, stream: Awaited<ReturnType<typeof dialSupervisor>>): Promise<boolean> {
  try {
    await greet(state, stream);
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'TIMEOUT') return false;
    throw error;
  }
}

async function greet(state: LinkState, stream: Awaited<ReturnType<typeof dialSupervisor>>): Promise<void> {
  const { clock, leader, held } = state.options;
  const connection = openLineConnection({
    stream,
    clock,
    leader,
    held,
    onPush: (push) => {
      if (state.connection === connection) take(state, push);
    },
    onClose: (error) => {
      if (state.connection !== connection) return;
      state.connection = null;
      setView(state, 'down', error, null);
    },
  });
  try {
    const hello = await connection.ask({ op: 'hello' });
    if (!state.options.starts && hello.protocol !== supervisorProtocolVersion)
      throw new SvcError(
        'SUPERVISOR_PROTOCOL',
        `the supervisor speaks protocol ${hello.protocol}, this portal ${supervisorProtocolVersion}`,
      );
    if (state.options.starts && mustGo(hello)) {
      // Ends a supervisor of another release: its apps live on, and the next attempt starts ours.
      await connection.ask({ op: 'quit' });
      throw new SvcError(
        'SUPERVISOR_PROTOCOL',
        `the supervisor was of version ${hello.version}, protocol ${hello.protocol}: it makes room for ${kitVersion}, protocol ${supervisorProtocolVersion}`,
      );
    }
    state.connection = connection;
    const { apps } = await connection.ask({ op: 'subscribe' });
    if (state.closed) throw down(state.options.person);
    replaceAll(state, apps);
    state.failure = null;
    setView(state, 'up', null, hello);
  } catch (error) {
    state.connection = null;
    connection.close();
    throw error;
  }
}

/** Too old, or its code is not what is installed now; one that does not say predates the question, unless it is newer than this portal. */
function mustGo({ protocol, version, outdated }: SupervisorReplies['hello']): boolean {
  return (
    protocol !== supervisorProtocolVersion ||
    isOlderKit(version) ||
    (outdated ?? (isOlderKit(version, kitVersion) || version === kitVersion))
  );
}

/** Replaces all snapshots: pushes between `subscribe` and its reply are older than the reply. */
function replaceAll(state: LinkState, apps: readonly AppSnapshot[]): void {
  const before = state.snapshots;
  state.snapshots = new Map(apps.map((snapshot) => [snapshot.app, snapshot]));
  state.seenAtMs = state.options.clock.nowMs();
  for (const app of new Set([...before.keys(), ...state.snapshots.keys()])) state.options.onChange(app);
}

function take(state: LinkState, push: SupervisorPush): void {
  state.seenAtMs = state.options.clock.nowMs();
  if (push.event === 'app') {
    if (state.snapshots.size >= limits.supervisorAppsMax && !state.snapshots.has(push.snapshot.app))
      throw new SvcError('SUPERVISOR_PROTOCOL', `the supervisor tells of more than ${limits.supervisorAppsMax} apps`);
    state.snapshots.set(push.snapshot.app, push.snapshot);
  } else if (push.event === 'gone') state.snapshots.delete(push.app);
  else return;
  state.options.onChange(push.event === 'app' ? push.snapshot.app : push.app);
}
