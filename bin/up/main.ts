/**
 * `svc up DIR`: portal and controller in one process. Puts the parts together in the order that makes a restart safe:
 * lock, store, observe servers and processes, listen, act. Killing it stops no app.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { pino, type Logger } from 'pino';
import { containFaults } from '../../api/connections/fault-owner.ts';
import { directHost } from '../../api/http/hosts.ts';
import { createPeerJudge } from '../../api/site/control-peer.ts';
import { createPortal, type Portal, type PortalOptions } from '../../api/portal.ts';
import { endingClock } from '../../controller/clock/ending.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { type Bus, createBus } from '../../store/bus.ts';
import { faultPoint } from '../../controller/faults.ts';
import { recallLiving } from '../../controller/execute/tokens.ts';
import { createGateway } from '../../controller/views/gateway.ts';
import { checkSocketPath } from '../../controller/hosts/unix-socket.ts';
import type { Controller } from '../../controller/loop/loop.ts';
import { repositoriesOf, repositoryFolders } from '../../kit/repository/reading/location.ts';
import { livingPortals } from '../../store/portals.ts';
import { lockState, type StateLock } from '../../store/state-lock.ts';
import { limits } from '../limits.ts';
import { warn } from '../output.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import type { MoreChecks } from '../../api/site/doctor.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { terminalLanguage } from '../language.ts';
import { openAudit, type UpAudit } from './audit.ts';
import { requireBuild } from './built.ts';
import { clustersCheck } from './clusters-check.ts';
import { drainCheck } from './drain-check.ts';
import { gpuCheck } from './gpu-check.ts';
import { isLocal, runsHere } from './here.ts';
import { greetingOf, isJournal, plainGreeting } from './greeting.ts';
import { keysCheck } from './keys-check.ts';
import { collectAtRest } from './idle-collection.ts';
import { homesCheck, supervisorsCheck } from './homes-check.ts';
import { packagesCheck } from './packages-check.ts';
import { repositoriesCheck } from './repositories-check.ts';
import { closeLostWindows } from './lost-windows.ts';
import { portalRooms } from './portal-rooms.ts';
import { keepOwned } from './owned.ts';
import { controllers, reachedAt, type DevParts } from './controllers.ts';
import { keepBackups, type Backups } from './backups.ts';
import { backupsCheck } from './backups-check.ts';
import { createTerms, loneTerm, type LeadershipTerms } from './leadership-terms.ts';
import { createServedRepository } from './served-repository.ts';
import { finishRestore } from '../restore/journal.ts';
import { createParcels } from './parcels.ts';
import { portalSettings } from './settings.ts';
import { openState, type OpenState } from './state.ts';
import type { StartedWith } from '../../controller/desired/restart.ts';
import { storePlace } from './store-place.ts';
import { figuresOf, switchable, type Switchable } from './switchable.ts';
import { tellUnreached } from './tell-unreached.ts';
import { terminalLog } from './terminal-log.ts';
import { createLogBudget } from './log-budget.ts';
import { logWarnings } from './node-warnings.ts';
import { createTurnLog, type TurnLog } from './turn-log.ts';
import { separationCheck, separations } from './separation.ts';
import { rememberDesired } from './remembered-desired.ts';

export interface UpOptions {
  readonly dir: string;
  /** host:port; null takes the Portal document's. */
  readonly listen: string | null;
  readonly state: string;
  /** Beside other portals of the same store, of which one leads: where they reach this one, host:port. */
  readonly joins?: string | null;
  /** An empty store may take the place of the one of the last start. */
  readonly fresh?: boolean;
  /** False: no link that signs in is printed. */
  readonly link?: boolean;
  /** Parts of `svc dev`. */
  readonly dev?: DevParts;
  /** Replaces the clock of the loop and of what it reads. */
  readonly clock?: Clock;
}

const root = path.resolve(import.meta.dirname, '../..');

/** Resolves when SIGTERM or SIGINT ended it in order; rejects with a coded error when it can't begin, or when another `svc up` took its state folder. */
export async function up(options: UpOptions): Promise<void> {
  requireBuild();
  const ended = untilSignal();
  // A terminal gets the link and errors; a service gets every transition.
  const isWatched = process.stderr.isTTY && process.env['SVC_LOG_LEVEL'] === undefined;
  const level = process.env['SVC_LOG_LEVEL'] ?? 'info';
  const budget = createLogBudget(systemClock);
  const hooks = { logMethod: budget.logMethod };
  const log = pino({ level, base: null, serializers: { err: loggedError }, hooks }, isWatched ? terminalLog() : serviceLog());
  // Also while it starts.
  void ended.then(() => killAfter(limits.upEndMsMax, log));
  const running = await begin(options, log);
  const stops = [containFaults(log), logWarnings(log), collectAtRest()];
  let failure: unknown = null;
  try {
    log.info({ signal: await Promise.race([ended, running.lost]) }, 'ending; apps live on');
  } catch (error) {
    failure = error;
    log.error({ err: error }, 'ending; apps live on');
  }
  await running.end();
  budget.end();
  for (const stop of stops) stop();
  killAfter(limits.upLeaveMsMax, log);
  if (!running.mayClose()) {
    log.error('a database is not what it was when it was opened: it is left as it is');
    // SQLite writes as it closes, also at the end of the process.
    process.kill(process.pid, 'SIGKILL');
  }
  if (failure !== null) throw failure;
}

/**
 * A read that never returns (a network disk that is away) keeps a thread of Node busy: the process would not end by itself, nor by
 * `process.exit`, which waits for its threads. The next start mends what a kill interrupted.
 */
function killAfter(ms: number, log: Logger): void {
  const kill = (): void => {
    log.error({ waitsFor: process.getActiveResourcesInfo() }, `it did not end within ${ms / 1_000} s: killed; apps live on`);
    process.kill(process.pid, 'SIGKILL');
  };
  setTimeout(kill, ms).unref();
}

function serviceLog(): TurnLog {
  const log = createTurnLog(pino.destination({ dest: 2, sync: true }));
  process.on('exit', log.flushSync);
  return log;
}

/** A coded error says what is wrong; a stack says where the code is, which helps with a bug only. */
function loggedError(error: unknown): unknown {
  return error instanceof SvcError && error.code !== 'INTERNAL'
    ? { code: error.code, message: error.message }
    : pino.stdSerializers.err(error as Error);
}

export interface Running {
  readonly url: string;
  /** The current controller. */
  readonly controller: Controller;
  /** Whether this portal carries out what is decided. */
  readonly leads: () => boolean;
  readonly gateway: Gateway;
  readonly bus: Bus;
  readonly portal: Portal;
  /** The same portal under another name, on a port of its own: who signs in there is somebody else in the same browser. It ends with this one. */
  another(url: string): Promise<Portal>;
  /** Nothing is started any more, by none of them. */
  onlyStops(): void;
  /** False: a database was deleted, replaced or cut while it was in use. */
  mayClose(): boolean;
  /** Rejects when another process holds the state folder. */
  readonly lost: Promise<never>;
  end(): Promise<void>;
}

type Ending = () => void | Promise<void>;

/** The last begun ends first. */
async function endAll(ends: Ending[]): Promise<void> {
  for (const one of ends.splice(0).toReversed()) await one();
}

/** Everything but the signals: tests run it in their own process. */
export async function begin(options: UpOptions, log: Logger): Promise<Running> {
  const { dir, listen, state, joins = null, fresh = false, link = true, dev } = options;
  const stateDir = path.resolve(state);
  const desiredDir = path.resolve(dir);
  const controlSocket = path.join(stateDir, 'svc.sock');
  checkSocketPath(controlSocket);
  const clock = endingClock(options.clock ?? systemClock);
  const ends: Ending[] = [() => clock.end()];
  const end = (): Promise<void> => endAll(ends);
  try {
    const lock = takeState(stateDir, log, ends);
    const audit = await openAudit({ stateDir, joins, clock: systemClock, log, ends });
    const local = createBus();
    const place = await storePlace(desiredDir, stateDir);
    rememberDesired(stateDir, desiredDir);
    const opened = await openState({ stateDir, fresh, place, bus: local, joins, clock, log, ends });
    faultPoint('up/store-open');
    const reached = reachedAt();
    let started: StartedWith | null = null;
    const backups = await keepBackups({ stateDir, desiredDir, store: opened.store, clock, log, ends });
    const parts = { stateDir, opened, backups, clock, log, dev };
    const created = controllers({ ...parts, desiredDir, local, reached, startedWith: () => started, audit: audit.log });
    const terms = await (opened.member === null ? loneTerm(created) : createTerms({ member: opened.member, clock, log, create: created }));
    const { gateway } = followTerms(terms, { stateDir, local, audit });
    ends.push(
      () => terms.end(),
      () => reached.never(),
    );
    await terms.controller().prepare();
    refuseNothing(terms.controller());
    const spec = specOf(terms) ?? {};
    const settings = portalSettings(spec, listen);
    started = { spec: { ...spec, ...place }, listens: listen === null };
    await refuseTaken(settings.listenHost, settings.listenPort);
    terms.controller().hear();
    backups.follow({ spec: () => specOf(terms)?.backup, leads: () => terms.leads() });
    const common = await portalParts({ ...parts, terms, gateway, audit });
    const portal = await createPortal({ ...common, settings, controlSocket, judgePeer: createPeerJudge() });
    ends.push(() => portal.close());
    // First: with 10,000 people the first turn of the loop takes seconds, and who is there need not wait for it.
    const { url, port } = await portal.listen();
    const owned = keepOwned({ lock, portal, stateDir, clock, log, storeLost: opened.storeLost });
    ends.push(() => owned.stop());
    reached.is(url, directHost(settings.listenHost, port));
    await terms.controller().start();
    terms.follow();
    if (opened.member !== null) ends.push(...amongOthers(opened.member, { opened, terms, clock, log }));
    faultPoint('up/listening');
    const running = {
      url,
      get controller() {
        return terms.controller();
      },
      leads: () => terms.leads(),
      gateway,
      bus: opened.bus,
      portal,
      ...namesOf(portal, { ...common, settings: { ...settings, listenPort: 0 }, controlSocket: null }, ends),
      mayClose: () => opened.mayClose(),
      lost: owned.lost,
      end,
    };
    if (dev === undefined) await greet({ ...running, state, link });
    return running;
  } catch (error) {
    await end();
    throw error;
  }
}

function takeState(stateDir: string, log: Logger, ends: Ending[]): StateLock {
  const lock = lockState(stateDir);
  ends.push(() => lock.release());
  if (finishRestore(stateDir)) log.warn('a restore that had been interrupted was finished');
  faultPoint('up/locked');
  return lock;
}

const specOf = (terms: LeadershipTerms) => terms.controller().context.entries.portal?.document.spec;

/** Puts a single gateway over the controllers that follow each other. */
function followTerms(
  terms: LeadershipTerms,
  { stateDir, local, audit }: { readonly stateDir: string; readonly local: Bus; readonly audit: UpAudit },
): Switchable {
  audit.follow(() => specOf(terms));
  const gateways = switchable(createGateway(terms.controller().context, stateDir), local);
  terms.onController(({ context }, before) => {
    recallLiving(before.context.entries, context.entries);
    gateways.set(createGateway(context, stateDir));
  });
  return gateways;
}

/** Starts the duties of a portal towards the others of its store; answers what ends them. */
function amongOthers(
  { pools }: NonNullable<OpenState['member']>,
  { opened, terms, clock, log }: Pick<PortalParts, 'opened' | 'terms' | 'clock' | 'log'>,
): readonly Ending[] {
  const onError = (err: unknown): void => log.error({ err }, 'windows of a portal that is gone could not be closed');
  const living = async (): Promise<readonly string[]> => (await livingPortals(pools.pool, clock)).map(({ id }) => id);
  const unreached = (): readonly string[] =>
    [...terms.controller().context.entries.servers.values()]
      .filter(({ reachability }) => reachability.status === 'unreachable')
      .map(({ name }) => name);
  return [
    closeLostWindows({ living, store: opened.store, bus: opened.bus, clock, leads: terms.leads, onError }),
    tellUnreached({ pool: pools.pool, portal: opened.peers?.portal ?? '', unreached, clock }),
  ];
}

interface PortalParts {
  readonly opened: OpenState;
  readonly terms: LeadershipTerms;
  readonly gateway: Gateway;
  readonly backups: Backups;
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dev: DevParts | undefined;
  readonly audit: UpAudit;
}

async function portalParts({
  opened,
  terms,
  gateway,
  backups,
  stateDir,
  clock,
  log,
  dev,
  audit,
}: PortalParts): Promise<Omit<PortalOptions, 'settings' | 'controlSocket'>> {
  const rooms = portalRooms(opened, { clock, log, historyDays: () => specOf(terms)?.rooms?.historyDays });
  const repository = createServedRepository({
    folders: () => {
      const { entries, options } = terms.controller().context;
      return repositoryFolders(repositoriesOf(options.dir, entries.portal));
    },
    clock,
    log,
  });
  await repository.look();
  const hasUrl = (): boolean => specOf(terms)?.url !== undefined;
  return {
    repository: repository.handle,
    ...(dev === undefined ? {} : { dev: dev.portal }),
    store: opened.store,
    bus: opened.bus,
    gateway,
    ...rooms,
    ...(opened.peers === null ? {} : { peers: opened.peers }),
    backups: () => backups.standing(),
    roomSize: (id) => opened.roomLog.log.sizeOf(id),
    restore: createParcels({
      stateDir,
      store: opened.store,
      bus: opened.bus,
      people: gateway.people,
      ...rooms,
      log: opened.roomLog.log,
      clock,
    }),
    storeErrors: opened.storeErrors,
    stateDir,
    figures: figuresOf(() => terms.controller().context.figures.seen),
    assets: { shellDir: path.join(root, 'build/shell'), sdkWebDir: path.join(root, 'build/sdk/web') },
    log,
    clock,
    audit: audit.log,
    runsHere: () => runsHere(terms.controller().context.entries),
    doctorChecks: {
      ...objectChecks(() => terms.controller(), gateway),
      ...opened.doctorChecks(rooms.relay, hasUrl),
      backup: async () => backupsCheck(backups.standing(), clock.nowMs()),
      audit: () => audit.check(),
    },
  };
}

/** The first one and those under other names, which end with the rest. */
function namesOf(first: Portal, options: PortalOptions, ends: Ending[]): Pick<Running, 'another' | 'onlyStops'> {
  const portals = [first];
  return {
    another: async (name) => {
      const portal = await createPortal({ ...options, settings: { ...options.settings, url: name } });
      ends.push(() => portal.close());
      await portal.listen();
      portals.push(portal);
      return portal;
    },
    onlyStops: () => {
      for (const portal of portals) portal.starts().onlyStops();
    },
  };
}

/** Rows of `svc doctor` on the servers, the people and the packages that the portal knows. */
function objectChecks(controller: () => Controller, gateway: Gateway): MoreChecks {
  const entries = () => controller().context.entries;
  return {
    separation: () => separationCheck(entries()),
    gpu: () => gpuCheck(gateway, (server) => isLocal(entries(), server)),
    supervisors: async () => {
      const { recorder } = controller().context;
      const isTried = (name: string): boolean => ['starting', 'backoff'].includes(recorder.last(keys.supervisor(name))?.state ?? '');
      return supervisorsCheck(entries().people.values(), isTried);
    },
    homes: async () => homesCheck(entries().people.values()),
    packages: async () => packagesCheck(entries().packages.values()),
    repositories: async () => {
      const { offers, options } = controller().context;
      const repositories = repositoriesOf(options.dir, entries().portal);
      return repositoriesCheck(repositories.length, await offers.read(repositories));
    },
    keys: async () => keysCheck(await gateway.admin.sshKey(), controller().context.options.clock.nowMs()),
    clusters: async () => clustersCheck(entries().clusters.values()),
    drain: async () => drainCheck(entries().servers.values()),
  };
}

/** With errors in the folder the last good state is in force; without one there is nothing to serve. */
function refuseNothing({ context: { source } }: Controller): void {
  const errors = source.errors();
  for (const error of errors) warn(`${error}\n`);
  if (errors.length > 0 && source.current().hash === '') {
    throw new SvcError(
      'DESIRED_INVALID',
      `the folder has ${errors.length} ${errors.length === 1 ? 'error' : 'errors'} and nothing was in force before`,
    );
  }
}

function whyNoListener({ code, message }: NodeJS.ErrnoException, port: number): readonly [ErrorCode, string] {
  if (code === 'EADDRINUSE') return ['ADDRESS_IN_USE', 'another program listens there'];
  if (code === 'EADDRNOTAVAIL') return ['BAD_REQUEST', 'it is no address of this machine'];
  if (code === 'EACCES') return ['FORBIDDEN', `port ${port} takes root, or CAP_NET_BIND_SERVICE (AmbientCapabilities= of a unit)`];
  return ['BAD_REQUEST', message];
}

/** Before anything is done: a portal that can't be reached must not act. */
async function refuseTaken(host: string, port: number): Promise<void> {
  const server = net.createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const [code, why] = whyNoListener(error as NodeJS.ErrnoException, port);
    throw new SvcError(code, `the portal can't listen on ${host}:${port}: ${why}; give --listen another address`, {}, { cause: error });
  } finally {
    server.close();
  }
}

/** Portal.spec.signIn; else an administrator, the only person, or the first by name. */
function signInPerson({ context: { entries } }: Controller, gateway: Gateway): string | null {
  const named = entries.portal?.document.spec.signIn?.local?.person;
  const people = gateway.people.all().toSorted((one, other) => (one.usuario < other.usuario ? -1 : 1));
  // A People document may not have made the one who is named yet.
  const known = people.find(({ usuario }) => usuario === named) ?? people.find(({ isAdmin }) => isAdmin === true) ?? people[0];
  return known?.usuario ?? null;
}

interface Greeted extends Pick<Running, 'portal' | 'url' | 'controller' | 'gateway'> {
  readonly state: string;
  readonly link: boolean;
}

async function greet({ portal, url, controller, gateway, state, link: isWanted }: Greeted): Promise<void> {
  const person = signInPerson(controller, gateway);
  if (person === null) {
    process.stdout.write(`listening on ${url}, with no Person document yet\n`);
    const { dir } = controller.context.options;
    if (existsSync(path.join(dir, 'svc-app.json')))
      process.stdout.write(`note: ${dir} is the folder of an app, which svc dev ${dir} runs; svc up takes one of desired-state YAML\n`);
  } else if (!isWanted || isJournal(process.env)) process.stdout.write(plainGreeting(url, { person, state }));
  else {
    const link = await portal.signInLink(person, { admin: true });
    process.stdout.write(greetingOf({ link, person, state }, process.stdout.isTTY, terminalLanguage(process.env)));
  }
  for (const { en } of await separations(controller.context.entries)) process.stdout.write(`note: ${en}\n`);
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}
