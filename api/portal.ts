/**
 * The portal: one HTTP server for browsers and, on a 0600 unix socket, one for the command line. This file puts the parts together; each part says
 * what it does: front.ts (host first), capabilities/ (what apps ask of each other), shell.ts and routes/ (the API), shell-pages.ts (the shell's
 * files), app-origins.ts and proxy/ (apps), auth/ (sessions, passes, who may call), events/ (`/ws/events`, windows), starts.ts (start and wait),
 * metrics.ts, doctor.ts. The api writes intent, the controller acts.
 */
import { keys } from '../schema/keys.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Bus } from '../store/bus.ts';
import type { Bytes } from '../store/bytes.ts';
import type { Store } from '../store/store.ts';
import type { ParcelAnswer } from '../schema/parcels.ts';
import type { BackupStanding } from '../schema/backups.ts';
import type { Clock } from '../schema/clock.ts';
import { noAuditFigures } from '../schema/audit.ts';
import { SvcError } from '../schema/errors.ts';
import { noFigures, type ControllerFigures } from '../schema/figures.ts';
import type { Gateway } from '../schema/gateway.ts';
import { limits } from './limits.ts';
import type { AuditLog } from '../store/audit/log.ts';
import type { HttpAudit } from './audit/http-audit.ts';
import { answerRecord } from './audit/site-record.ts';
import { createAppMetrics } from './app-metrics/app-metrics.ts';
import { createAppOrigins } from './portal/app-origins.ts';
import { createBudgets, type Budgets } from './budgets/budgets.ts';
import { createCapabilities, type Capabilities } from './capabilities/capabilities.ts';
import { createMandates, type Mandates } from './auth/mandates.ts';
import { createCredentials } from './auth/credentials.ts';
import { createOpenAnswers, type OpenAnswers } from './auth/open-answers.ts';
import { followAdmins } from './auth/admin-marks.ts';
import { createOidc } from './auth/oidc.ts';
import { createPasses } from './auth/passes.ts';
import { openKeyRings } from './auth/key-rings.ts';
import { createSessionKeys } from './auth/session-keys.ts';
import { createSessions, type Sessions } from './auth/sessions.ts';
import { createBorderServer, warnUnknownProxy, type Holder } from './connections/border-server.ts';
import { clientAddress, trustedProxies } from './auth/client-address.ts';
import { createSignInParts } from './auth/sign-in-parts.ts';
import { sweepSessions, type SweepDeps } from './auth/sweep.ts';
import type { PortalDev } from './dev/contract.ts';
import { runDoctor, type MoreChecks, type RunsHere } from './site/doctor.ts';
import { createEventHub, eventSockets, type EventHub } from './events/hub.ts';
import { openWindows } from './events/windows.ts';
import { addHealthRoutes, healthPaths } from './site/health.ts';
import { createCertificateWatch, type CertificateWatch } from './site/front-certificate.ts';
import { createFront, type Front } from './front.ts';
import { directHost, siteOf, type Site } from './http/hosts.ts';
import type { LazySchemas } from './http/lazy-schemas.ts';
import { addMetricsRoute, createMetrics, type Metrics } from './site/metrics.ts';
import { pathOf } from './http/navigation.ts';
import { sendProblem } from './http/problems.ts';
import { createPageSockets } from './portal/page-sockets.ts';
import { createProxyOf } from './portal/portal-proxy.ts';
import { createPreferences } from './preferences/preferences.ts';
import { anybody, type Judged } from './site/control-peer.ts';
import { createControlSocket } from './site/control-socket.ts';
import type { Proxy } from './proxy/proxy.ts';
import { sendOwnSchema } from './repository/own-schema.ts';
import { type RepositoryHandler, isRepositoryPath } from './repository/serve.ts';
import type { Relay } from './rooms/contract.ts';
import { elsewhereOf, otherRecords, type PeerAnswers, peerLines, type PeerOptions, revertElsewhere } from './peers/portal-peers.ts';
import { createEntrance, type RoomEntrance } from './rooms/entrance.ts';
import { createFileParts } from './files/parts.ts';
import { createQueueParts } from './queue/parts.ts';
import { createRoomParts, type RoomPartsDeps } from './rooms/parts.ts';
import { silentRelay } from './rooms/silent-relay.ts';
import { addAdminRoutes } from './routes/admin.ts';
import { addAppMetricsRoutes } from './routes/app-metrics.ts';
import { addAppRoutes } from './routes/apps.ts';
import { addAuditRoutes } from './routes/audit.ts';
import { addDevRoute } from './routes/dev.ts';
import { addLogRoute, createLogs } from './routes/log.ts';
import { addSecretRoutes } from './routes/secrets.ts';
import { addSettingsRoutes } from './routes/settings.ts';
import { addSignInRoutes } from './routes/sign-in.ts';
import { addStoreRoutes } from './routes/shop.ts';
import { addTerminalRoutes } from './routes/terminals.ts';
import { isUpload } from './http/serve.ts';
import type { ShellScripts } from './settings/settings.ts';
import { createShell, type Shell, type ShellDeps } from './portal/shell.ts';
import { servePage, type ShellPageDeps } from './portal/shell-pages.ts';
import { createStarts, type Starts } from './portal/starts.ts';
import { closed, drained, listening } from './connections/server-ends.ts';
import { createStaticFolder } from './http/static-files.ts';
import { terminalSockets } from './terminals/entrance.ts';
import { createTerminals, type Terminals } from './terminals/terminals.ts';

export interface PortalOptions {
  readonly store: Store;
  readonly bus: Bus;
  readonly gateway: Gateway;
  readonly settings: {
    readonly listenHost: string;
    /** 0 takes a free port. */
    readonly listenPort: number;
    /** scheme://host[:port] under which browsers reach the portal; port 0 is replaced by the port that was taken. */
    readonly url: string;
    readonly origins: 'subdomain' | 'path';
    /** Addresses and networks whose X-Forwarded-For is believed. */
    readonly trustedProxies: readonly string[];
    /** The scope of packages that may run a script in the shell. */
    readonly shellScripts: ShellScripts;
  };
  /** Path of the unix socket for the command line; null: none. */
  readonly controlSocket: string | null;
  /** Identifies the owner of a connection to the control socket, and whether it is refused. Without it the mode of the socket alone counts. */
  readonly judgePeer?: (socket: Socket) => Promise<Judged>;
  readonly assets: { readonly shellDir: string; readonly sdkWebDir: string };
  /** Answers for `/v1/` on the shell's host; none: there is only the schema of the manifest. */
  readonly repository?: RepositoryHandler;
  readonly log: Logger;
  readonly clock: Clock;
  /** Attachments of rooms. */
  readonly attachments: Bytes;
  /** Inputs, logs and outputs of jobs. */
  readonly jobFiles: Bytes;
  /** Why what the store does not know of the attachments is not collected; null: they are the store's own. */
  readonly attachmentsTrouble?: string | null;
  /** Bytes that the rooms of a person hold on the disk; without it no write is refused for them. */
  readonly diskOf?: (dona: string) => Promise<number>;
  /** Carries the documents of rooms; without one no room can be entered. */
  readonly relay?: Relay;
  /** Figures of the controller, for `/metrics`. */
  readonly figures?: ControllerFigures;
  /** Counts the failed operations of the store, for `/metrics`. */
  readonly storeErrors?: () => number;
  /** For `/metrics`: how much is free there. */
  readonly stateDir?: string;
  /** Puts a parcel of the state folder in (schema/parcels.ts); without it that is refused. */
  readonly restore?: (parcel: string) => Promise<ParcelAnswer>;
  /** Bytes that the log holds of the documents of a room. */
  readonly roomSize?: (id: string) => Promise<number>;
  /** How scheduled backups stand; null: none are asked for. */
  readonly backups?: () => BackupStanding | null;
  /** Makes functions of the schemas of routes; a test makes them all. */
  readonly schemas?: LazySchemas;
  /** The part of `svc dev` for the app that is being written; absent outside of `svc dev`. */
  readonly dev?: PortalDev;
  /** The audit log; absent when nothing is recorded. */
  readonly audit?: AuditLog;
  /** Other portals of the same store; absent: there are none. */
  readonly peers?: PeerOptions;
  /** Absent: both do. */
  readonly runsHere?: () => RunsHere;
  /** Further checks for `svc doctor`. */
  readonly doctorChecks?: MoreChecks;
}

export interface Portal {
  /** Rejects when the address is taken. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** A one-time sign-in link, good for limits.signInPassMs. Call after `listen`. */
  signInLink(person: string, options?: { readonly admin?: boolean }): Promise<string>;
  /** Starts and stops, as its routes do. Call after `listen`. */
  starts(): Starts;
  /** Each pass: checks that the socket of the command line is at its path. True when it had to be made again. */
  keepControlSocket(): Promise<boolean>;
  close(): Promise<void>;
}

/** Lives as long as the portal, before and after the port is known. */
interface Parts {
  readonly shell: Shell;
  readonly front: Front;
  readonly site: Site;
  readonly starts: Starts;
  readonly rooms: RoomEntrance;
  readonly audit: HttpAudit;
  stop(): Promise<void>;
}

export async function createPortal(options: PortalOptions): Promise<Portal> {
  const { store, clock, log, settings, controlSocket, peers } = options;
  const holder: Holder<Parts> = { parts: null, isMade: Promise.withResolvers<void>() };
  const controlConnections = new WeakMap<Socket, Promise<Judged>>();
  const controlUids = new WeakMap<Socket, number | null>();
  const isTrusted = trustedProxies(settings.trustedProxies);
  const server = createBorderServer({ holder, clock, isTrusted }, (req, res) => holder.parts?.front.request(req, res));
  warnUnknownProxy(server, isTrusted, log);
  const control = createBorderServer({ holder, clock, isTrusted }, (req, res) => void controlled(req, res));
  control.on('connection', (peer: Socket) => controlConnections.set(peer, options.judgePeer?.(peer) ?? Promise.resolve(anybody)));
  const controlled = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { why, uid } = await (controlConnections.get(req.socket) ?? anybody);
    controlUids.set(req.socket, uid);
    if (why === null) return holder.parts?.shell.handle(req, res);
    log.warn({ why, uid }, 'refused at the control socket');
    holder.parts?.audit.controlRefused(uid);
    sendProblem(res, new SvcError('FORBIDDEN', why), req.method, { connection: 'close' });
  };
  const lines = peerLines(peers, async (...upgrade) => await holder.parts?.rooms(...upgrade), answersOf(options));
  const socket = controlSocket === null ? null : createControlSocket(control, controlSocket);
  const passes = createPasses(store, clock);

  const link = async (person: string, admin: boolean, lifeMs: number = limits.signInPassMs): Promise<string> => {
    if (!holder.parts) throw new SvcError('INTERNAL', 'the portal does not listen yet');
    return `${holder.parts.site.origin}/?passe=${await passes.forPortal(person, admin, lifeMs)}`;
  };

  return {
    listen: async () => {
      await listening(server, { host: settings.listenHost, port: settings.listenPort });
      const { port } = server.address() as AddressInfo;
      const site = siteOf(settings.url, port, settings.origins);
      holder.parts = await assemble(
        { ...options, elsewhere: revertElsewhere(peers) },
        {
          site,
          certificate: createCertificateWatch(site, options.clock),
          port,
          passes,
          address: (req) => clientAddress(req, isTrusted),
          controlUid: (req) => controlUids.get(req.socket),
          link: async (person, admin, hours) => {
            const lifeMs = hours === undefined ? limits.signInPassMs : hours * 60 * 60_000;
            const made = (await options.dev?.link(person)) ?? (await link(person, admin, lifeMs));
            return { link: made, expiresAtMs: clock.nowMs() + lifeMs };
          },
        },
      );
      holder.isMade.resolve();
      await lines.listen();
      // The caller holds the lock of the state folder (store/state-lock.ts): a socket file there is a leftover.
      await socket?.listen();
      log.info({ url: site.origin, port, controlSocket: controlSocket !== null }, 'portal listens');
      return { url: site.origin, port };
    },
    signInLink: (person, { admin = false } = {}) => link(person, admin),
    starts: () => {
      if (!holder.parts) throw new SvcError('INTERNAL', 'the portal does not listen yet');
      return holder.parts.starts;
    },
    keepControlSocket: async () => (await socket?.keep()) ?? false,
    close: async () => {
      // Others take what comes from now on; what was begun here has a moment to end.
      if (peers !== undefined) await drained(server, clock);
      await holder.parts?.stop();
      lines.close();
      await Promise.all([closed(server), closed(control)]);
      await socket?.remove();
    },
  };
}

/** Parts that are known once the portal listens. */
interface Listening {
  readonly site: Site;
  readonly certificate: CertificateWatch;
  readonly port: number;
  readonly passes: ReturnType<typeof createPasses>;
  readonly address: (req: IncomingMessage) => string;
  readonly controlUid: ShellDeps['controlUid'];
  readonly link: (person: string, admin: boolean, hours?: number) => Promise<{ readonly link: string; readonly expiresAtMs: number }>;
}

const answersOf = ({ audit, peers, relay }: PortalOptions): PeerAnswers => ({
  record: () => audit && ((question) => answerRecord(audit, peers?.address ?? '', question)),
  revert: () => relay && ((asked) => relay.history.revert(asked)),
});

type Assembled = PortalOptions & Pick<RoomPartsDeps, 'elsewhere'>;

async function assemble(options: Assembled, { site, certificate, port, passes, address, controlUid, link }: Listening): Promise<Parts> {
  const { store, bus, gateway, clock, log, assets, repository = sendOwnSchema, schemas, relay = silentRelay, settings } = options;
  const { people, apps, shop, admin, commands } = gateway;
  const onError = (error: unknown): void => log.error({ err: error }, 'portal fault');
  const isAdmin = (usuario: string): boolean => people.find(usuario)?.isAdmin === true;
  const sessions = createSessions(store, clock, (usuario) => people.find(usuario) !== null, bus, isAdmin);
  followAdmins({ people, bus, sessions, onError });
  const windows = await openWindows(store, bus, clock, options.peers?.portal);
  const hub = createEventHub({ bus, clock, windows, onError });
  const open = createOpenAnswers(clock);
  const pages = createPageSockets({ site, sessions, open, clock });
  const terminals = createTerminals({ clock, people, commands: commands.people, log });
  const budgets = budgetsOf(clock, open, terminals);
  const rings = await openKeyRings(store, clock);
  const rooms = createRoomParts({ ...options, seal: rings.seal, people, apps, relay, sessions, onError });
  const { metrics, addMetricRoutes } = createMetricsOf(options, { hub, relay, certificate });
  const starts = createStarts({ store, bus, apps, clock, observe: (...start) => metrics.start(...start) });
  const mandates = createMandates(clock, rings.seal);
  const proxy = createProxyOf({ bus, log, clock, gateway, starts, site, metrics, mandates, dev: options.dev });
  const credentials = createCredentials({ rooms: store.rooms, people, apps, mandates, sessions });
  const queue = createQueueParts({ store, bus, clock, gateway, jobFiles: options.jobFiles, onError });
  const fileParts = createFileParts({ files: commands.files, clock, site, sessions, open, onError });
  const preferences = createPreferences({ store, bus, log, clock });
  const calling = { preferences, site, sessions, credentials, apps, commands: commands.apps, starts, proxy };
  const capabilities = createCapabilities({ ...calling, store, passes, bus, clock, observe: metrics.request, log, onError });
  const logs = createLogs(apps, commands.apps, onError);
  const { audit, ...ways } = createSignInParts({ ...options, rings, site, address, sessions, passes, count: metrics.signIn });
  const { signIn } = ways;
  const oidc = createOidc({ site, clock, people, commands: commands.people, store });
  const stopEndings = followSessions({ open, mandates, relay, capabilities, proxy }, { clock, bus, sessions, onError });
  const register = (app: FastifyInstance): void => {
    const keys = createSessionKeys(rings.sessions, clock, sessions);
    addSignInRoutes(app, { ...ways, site, people, sessions, keys, oidc, dev: options.dev });
    addDevRoute(app, options.dev);
    addAuditRoutes(app, { audit: options.audit, others: otherRecords(options.peers, log) });
    addAppRoutes(app, { site, apps, starts, windows, passes, store, shellScripts: settings.shellScripts });
    addSettingsRoutes(app, { ...calling, ...capabilities, ...ways, people, shop, clock, log, shellScripts: settings.shellScripts });
    addSecretRoutes(app, { commands: commands.apps, log });
    addLogRoute(app, logs);
    addTerminalRoutes(app, terminals);
    addStoreRoutes(app, { apps, shop, store, bus, clock });
    for (const part of [rooms, queue, fileParts]) part.register(app);
    addMetricRoutes(app);
    const doctor = doctorOf(options, { site, port, certificate });
    addAdminRoutes(app, { ...options, people, admin, commands: commands.admin, starts, logs, budgets, doctor, link, rings });
    addUndescribed(app);
  };
  const checks = { sessions, credentials, open, budgets, executor: queue.executor, audit };
  const shell = await createShell({ site, ...checks, log, controlUid, address, observe: metrics.request, schemas, register });
  const origins = createAppOrigins({ site, ...checks, passes, apps, proxy, sdk: createStaticFolder(assets.sdkWebDir), onError });
  const entrance = createEntrance({ site, tickets: rooms.tickets, relay, ...elsewhereOf(options.peers, clock) });
  const front = createFront({
    site,
    events: pages.entrance(eventSockets(hub)),
    terminals: pages.entrance(terminalSockets(terminals)),
    apps: origins,
    capabilities,
    previews: fileParts.previews.request,
    rooms: entrance,
    direct: directHost(settings.listenHost, port),
    shell: shellHandler({ site, sessions, signIn, clock, files: createStaticFolder(assets.shellDir) }, shell, repository, onError),
  });
  const stop = async (): Promise<void> => {
    stopEndings();
    await relay.close();
    for (const part of [rings, budgets, rooms, queue, capabilities, starts, hub, pages, terminals, proxy]) part.close();
    await shell.app.close();
  };
  return { shell, front, site, starts, rooms: entrance, audit, stop };
}

/** Routes that are not in the OpenAPI document. */
function addUndescribed(app: FastifyInstance): void {
  app.get('/api/openapi.json', { config: { access: 'open' }, schema: { hide: true } }, () => app.swagger());
  // A page asks for these as a page after refused handshakes, for the cookies that the answer removes: no error for its console.
  app.get('/ws/*', { config: { access: 'open' }, schema: { hide: true } }, (_, reply) => void reply.code(204).send());
}

interface MetricsOf {
  readonly metrics: Metrics;
  readonly addMetricRoutes: (app: FastifyInstance) => void;
}

function createMetricsOf(
  options: PortalOptions,
  { hub, relay, certificate }: { readonly hub: EventHub; readonly relay: Relay; readonly certificate: CertificateWatch },
): MetricsOf {
  const { people, apps } = options.gateway;
  const appMetrics = createAppMetrics({ ...options, people });
  const counted = {
    eventSockets: () => hub.count(),
    rooms: () => relay.figures(),
    controller: options.figures ?? noFigures,
    backups: options.backups ?? (() => null),
    audit: () => options.audit?.figures() ?? noAuditFigures(),
    certificateEndsAtMs: certificate.endsAtMs,
    storeErrors: options.storeErrors ?? (() => 0),
    stateDir: options.stateDir ?? null,
  };
  const metrics = createMetrics({ apps }, { ...counted, apps: appMetrics.series.metrics });
  return {
    metrics,
    addMetricRoutes: (app) => {
      addHealthRoutes(app, options.store);
      addMetricsRoute(app, metrics);
      addAppMetricsRoutes(app, { apps, people, appMetrics });
    },
  };
}

function doctorOf(
  options: PortalOptions,
  { site, port, certificate }: { readonly site: Site; readonly port: number; readonly certificate: CertificateWatch },
): (only?: string) => ReturnType<typeof runDoctor> {
  const { store, gateway, clock, assets, controlSocket, settings, doctorChecks: more = {} } = options;
  const { people, admin } = gateway;
  const listening = () => ({ host: settings.listenHost, port });
  const { runsHere = () => ({ apps: true, jobs: true }) } = options;
  return (only) => runDoctor({ site, listening, store, people, admin, clock, certificate, controlSocket, assets, runsHere, more }, only);
}

/** Routes to Fastify, the repository's paths to it, all others to the shell's files. */
function shellHandler(
  deps: ShellPageDeps & { readonly clock: Clock },
  shell: Shell,
  repository: RepositoryHandler,
  onError: (error: unknown) => void,
): Shell['handle'] {
  return (req, res) => {
    const path = pathOf(req.url ?? '/');
    if (isRepositoryPath(path)) return repository(req, res);
    if (isUpload(req.method, path)) return shell.handle(req, res);
    if (isRoutePath(path)) return boundedBody(deps.clock, shell, req, res);
    servePage(deps, req, res).catch((error: unknown) => {
      onError(error);
      if (res.headersSent) res.destroy();
      else sendProblem(res, new SvcError('INTERNAL', 'the portal failed; its log has the cause'), req.method);
    });
  };
}

function budgetsOf(clock: Clock, open: OpenAnswers, terminals: Terminals): Budgets {
  const budgets = createBudgets(clock);
  budgets.addHeld('abertas', (person) => open.countOf(person));
  budgets.addHeld('terminais', (person) => terminals.list(person).length);
  return budgets;
}

interface EndsWithSessions {
  readonly open: OpenAnswers;
  readonly mandates: Pick<Mandates, 'endSession'>;
  readonly relay: Relay;
  readonly capabilities: Pick<Capabilities, 'endSession'>;
  readonly proxy: Proxy;
}

function followSessions(
  { open, mandates, relay, capabilities, proxy }: EndsWithSessions,
  deps: Omit<SweepDeps, 'carried' | 'sessions' | 'bus'> & { readonly sessions: Sessions; readonly bus: Bus },
): () => void {
  deps.sessions.onPresence((person) => deps.bus.enqueue(keys.person(person), false));
  deps.sessions.onEnd((session) => {
    for (const part of [open, mandates, relay, capabilities]) part.endSession(session);
    proxy.closeSession(session);
  });
  const stopSweep = sweepSessions({ ...deps, carried: () => [open, proxy, relay].flatMap((part) => part.carried()) });
  const endStopped = endWithTheApp(deps.bus, proxy);
  return () => {
    stopSweep();
    endStopped();
  };
}

/** Closes the proxied connections of an app when it stops. */
function endWithTheApp(bus: Bus, proxy: Proxy): () => void {
  return bus.onPublish((person, event) => {
    if (event.type === 'app-status' && (event.status === 'stopped' || event.status === 'failed')) proxy.closeFor(person, event.app);
  });
}

function isRoutePath(path: string): boolean {
  return path === '/metrics' || healthPaths.has(path) || path === '/api' || path.startsWith('/api/') || path.startsWith('/ws/');
}

/** The body of an API call is small: who sends it byte by byte is cut off. Apps' uploads are not concerned. */
function boundedBody(clock: Clock, shell: Shell, req: IncomingMessage, res: ServerResponse): void {
  const cancel = clock.at(clock.monotonicMs() + limits.apiBodyMsMax, () => {
    if (!req.complete) req.destroy();
  });
  req.once('close', cancel);
  shell.handle(req, res);
}
