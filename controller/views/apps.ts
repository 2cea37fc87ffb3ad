/** The apps of a person: what is seen of them, and what their supervisor does for their pages and for the proxy. */
import type { Duplex } from 'node:stream';
import type { SecretsView } from '../../schema/wire/http.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppCommands, AppsView, BackendRoute } from '../../schema/gateway.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { closePolicy, type Manifest } from '../../schema/manifest/manifest.ts';
import { appPaths } from '../../schema/server-paths.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { limits } from '../limits.ts';
import { noAnswer } from '../execute/probe.ts';
import { rereadToken } from '../execute/tokens.ts';
import { reportDoubt, reportUse } from '../execute/use.ts';
import type { Context } from '../context.ts';
import type { SupervisorLink } from '../observe/supervisor-link.ts';
import { isServerScope, serviceRoute } from '../servers/services.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import { isShut } from '../visible-packages.ts';
import { clusterOfApp } from '../cluster-starts.ts';
import { logCommands } from './follow-log.ts';
import { projectionOf, shownManifest } from './projection.ts';
import { allBackendsOf, countByState, entryOrResting } from './resting.ts';

export function appsView(context: Context): AppsView {
  const { entries } = context;
  return {
    find: (usuario, app) => {
      const entry = entryOf(context, usuario, app);
      return entry ? projectionOf(entries, entry) : null;
    },
    has: (usuario, app) => {
      const entry = entryOf(context, usuario, app);
      return entry !== undefined && shownManifest(entry) !== null;
    },
    of: (usuario) => {
      const person = entries.people.get(usuario);
      const backends = person === undefined ? [] : allBackendsOf(context, person);
      return backends.flatMap((entry) => projectionOf(entries, entry) ?? []).sort((left, right) => left.name.localeCompare(right.name));
    },
    byState: () => countByState(context),
    installed: (usuario) => [...(entries.people.get(usuario)?.packages.keys() ?? [])],
    isInstalled: (app) => entries.people.values().some(({ packages }) => packages.has(app)),
    manifest: (usuario, app) => entries.people.get(usuario)?.packages.get(app)?.manifest ?? null,
    packagesRead: (usuario) => (entries.people.get(usuario)?.lastObservation ?? 0) > 0,
    scope: (usuario, app) => entries.people.get(usuario)?.packages.get(app)?.scope ?? null,
    file: async (usuario, app, file) => {
      const person = entries.people.get(usuario);
      const installed = person?.packages.get(app);
      if (!person || !installed || !person.place) return null;
      return await person.server.host.packageFile(person.account, app, installed.scope, file).catch(() => null);
    },
    cluster: (usuario, app) => {
      const person = entries.people.get(usuario);
      return person === undefined ? null : clusterOfApp(entries, person, app);
    },
    observeUsage: async (usuario) => entries.people.get(usuario)?.link.observeUsage(),
  };
}

export function appCommands(context: Context): AppCommands {
  const { entries, options } = context;
  return {
    route: (usuario, app) => {
      const entry = entryOf(context, usuario, app);
      return entry ? routeOf(entry, options.clock) : null;
    },
    tokenRefused: (usuario, app) => {
      const entry = entryOf(context, usuario, app);
      if (entry) void rereadToken(entry);
    },
    ...logCommands(entries),
    secretNames: (usuario, app) => askVault(entries, usuario, app, (link) => link.ask({ op: 'secrets', app })),
    putSecret: (usuario, app, name, value) => askVault(entries, usuario, app, (link) => link.ask({ op: 'secret-put', app, name, value })),
    deleteSecret: (usuario, app, name) => askVault(entries, usuario, app, (link) => link.ask({ op: 'secret-delete', app, name })),
  };
}

function entryOf(context: Context, usuario: string, app: string): BackendEntry | undefined {
  const person = context.entries.people.get(usuario);
  return person && entryOrResting(context, person, app);
}

/** The vault is on the person's own server, and only their supervisor touches it: the portal keeps nothing. Source: rules 5. */
async function askVault(
  entries: Entries,
  usuario: string,
  app: string,
  ask: (link: SupervisorLink) => Promise<SecretsView>,
): Promise<SecretsView> {
  const person = entries.people.get(usuario);
  if (!person || person.leaving) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
  const manifest = person.packages.get(app)?.manifest;
  if (!manifest) throw new SvcError('NOT_FOUND', `app ${app} is not installed`);
  if (manifest.escopo === 'servidor') {
    throw new SvcError('BAD_REQUEST', `${app} is of server scope: it runs for all accounts and has no vault of a person`);
  }
  await person.link.ensure();
  return ask(person.link);
}

/**
 * Null unless a process listens, by the last snapshot or a probe, and its token is known. While the supervisor is away the last snapshot still counts:
 * its absence is no reason to take a running app away from its person. The generation names boot, pid, start time and token, so that no
 * pooled connection outlives its process.
 */
function routeOf(entry: BackendEntry, clock: Clock): BackendRoute | null {
  const { person, app, token } = entry;
  // An app that still runs is about to end.
  if (isShut(person, app)) return null;
  if (isServerScope(entry)) return serviceRoute(entry);
  const snapshot = person.link.snapshot(app);
  const process = snapshot?.process;
  if (!process || !person.place || token === null || !listens(snapshot, entry) || snapshot.state === 'stopping') return null;
  const madeOf = [process, person.place, person.account, person.server.host, token, person.packages.get(app)?.manifest];
  const before = routes.get(entry);
  if (before?.madeOf.every((part, at) => part === madeOf[at])) return before.route;
  const route = newRoute(entry, { process, place: person.place, token, clock });
  routes.set(entry, { madeOf, route });
  return route;
}

/** A probe may be answered before the supervisor checks the socket: until it does, the app is `starting` there. */
function listens({ socket, state, process }: AppSnapshot, { probe }: BackendEntry): boolean {
  return socket === 'listening' || (state === 'starting' && probe !== null && probe.pid === process?.pid && probe.code !== noAnswer.code);
}

/** The route of an entry is asked for at each request: it is made again only when something of it is another one. */
const routes = new WeakMap<BackendEntry, { readonly madeOf: readonly unknown[]; readonly route: BackendRoute }>();

interface RouteParts {
  readonly process: NonNullable<AppSnapshot['process']>;
  readonly place: NonNullable<BackendEntry['person']['place']>;
  readonly token: NonNullable<BackendEntry['token']>;
  readonly clock: Clock;
}

function newRoute(entry: BackendEntry, { process, place, token, clock }: RouteParts): BackendRoute {
  const { person, app } = entry;
  const { host } = person.server;
  const { socket } = appPaths(place, app);
  return {
    generation: `${process.bootId} ${process.pid} ${process.startTicks} ${token.serial}`,
    socketPath: host.directSocketPath(socket),
    dial: (): Promise<Duplex> => host.dial(person.account, socket),
    token: token.value,
    ...useOf(entry, person.packages.get(app)?.manifest, clock),
    doubted: () => reportDoubt(entry, clock),
  };
}

/**
 * `ocioso:1m` shall mean little more than a minute: its connection is kept for as long as the supervisor needs to see it, and no longer. A
 * backend may close it earlier (HTTP/1.0, a short keep-alive), so the supervisor is notified of requests as well.
 * Decision: docs/decisions/0024-idle-connections.md
 */
function useOf(entry: BackendEntry, manifest: Manifest | undefined, clock: Clock): Pick<BackendRoute, 'keepIdleMs' | 'used'> {
  const ocioso = manifest !== undefined && closePolicy(manifest).kind === 'ocioso';
  if (!ocioso) return { keepIdleMs: sharedLimits.proxyIdleConnectionMsMax };
  return { keepIdleMs: limits.proxyOciosoConnectionMsMax, used: () => reportUse(entry, clock) };
}
