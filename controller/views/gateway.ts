/** schema/gateway.ts over what the controller observed: answers at once from memory, and asks a supervisor only for logs. */
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { SvcError } from '../../schema/errors.ts';
import type { BackendRoute, Gateway, PersonRecord } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import { closePolicy, type Manifest } from '../../schema/manifest/manifest.ts';
import { appPaths } from '../../schema/server-paths.ts';
import type { Context } from '../loop/context.ts';
import { everyKey, rereadFolder } from '../loop/refresh.ts';
import { rereadToken } from '../execute/tokens.ts';
import { objectView, projectionOf } from './projection.ts';
import { packageGateway } from './package-gateway.ts';
import { planFolder } from './plan.ts';
import { accountLasts } from '../servers/kit-work.ts';
import { endsWithLogin } from '../../reconcilers/person.ts';
import { createSignInView } from './sign-in.ts';
import { whyOf } from './why.ts';
import { isServerScope, serviceRoute } from '../servers/services.ts';
import { serverGateway } from './server-gateway.ts';
import { logGateway } from './follow-log.ts';
import type { BackendEntry, PersonEntry, World } from '../world.ts';
import type { SupervisorLink } from '../observe/supervisor-link.ts';
import type { SecretsView } from '../../schema/backend.ts';

/** `secretsDir`: what the path of a `{ file }` starts from, the state folder. */
export function createGateway(context: Context, secretsDir: string = context.options.dir): Gateway {
  const { world, recorder, options, queue } = context;
  const entryOf = (usuario: string, app: string): BackendEntry | undefined => world.people.get(usuario)?.backends.get(app);
  return {
    ...createSignInView(context, secretsDir),
    person: (usuario) => recordOf(world.people.get(usuario)),
    people: () => [...world.people.values()].flatMap((person) => recordOf(person) ?? []),
    apps: (usuario) => {
      const entries = [...(world.people.get(usuario)?.backends.values() ?? [])];
      return entries.flatMap((entry) => projectionOf(entry) ?? []).sort((left, right) => left.name.localeCompare(right.name));
    },
    app: (usuario, app) => {
      const entry = entryOf(usuario, app);
      return entry ? projectionOf(entry) : null;
    },
    manifest: (usuario, app) => world.people.get(usuario)?.packages.get(app)?.manifest ?? null,
    route: (usuario, app) => {
      const entry = entryOf(usuario, app);
      return entry ? routeOf(entry) : null;
    },
    tokenRefused: (usuario, app) => {
      const entry = entryOf(usuario, app);
      if (entry) void rereadToken(entry);
    },
    packageFile: async (usuario, app, file) => {
      const person = world.people.get(usuario);
      const installed = person?.packages.get(app);
      if (!person || !installed || !person.place) return null;
      return await person.server.host.packageFile(person.account, app, installed.scope, file).catch(() => null);
    },
    ...packageGateway(context),
    ...logGateway(world),
    secretNames: (usuario, app) => askVault(world, usuario, app, (link) => link.ask({ op: 'secrets', app })),
    putSecret: (usuario, app, name, value) => askVault(world, usuario, app, (link) => link.ask({ op: 'secret-put', app, name, value })),
    deleteSecret: (usuario, app, name) => askVault(world, usuario, app, (link) => link.ask({ op: 'secret-delete', app, name })),
    objects: async (keyPrefix, { after, limit } = { after: '', limit: Infinity }) => {
      const found = recorder.all().filter(({ key }) => key.startsWith(keyPrefix) && key > after);
      const page = found.sort((left, right) => (left.key < right.key ? -1 : 1)).slice(0, limit);
      return page.map((status) => objectView(world, status));
    },
    why: async (key) => {
      const status = recorder.last(key);
      if (!status) return null;
      const entry = world.backends.get(key);
      const isFinal = world.packages.get(key)?.failure?.retry === 'terminal';
      return whyOf({ status, entry, log: entry ? await lastLines(entry) : '', isFinal });
    },
    ...serverGateway(context),
    plan: (dir) => planFolder(context, dir === null ? null : path.resolve(dir), false),
    apply: async (prune) => {
      const planned = await planFolder(context, null, prune);
      if (!planned.ok) return planned;
      await rereadFolder(context, prune);
      // Whoever applies wants to see what is so now, and not what was so a minute ago.
      for (const server of world.servers.values()) Object.assign(server, { lookedAtMs: 0, inventoryAtMs: 0 });
      for (const key of everyKey(context)) queue.add(key, false);
      options.log.info({ prune, changes: planned.changes.length }, 'apply');
      return planned;
    },
  };
}

/** The vault is on the person's own server, and only their supervisor touches it: the portal keeps nothing. Source: spec 5.7. */
async function askVault(
  world: World,
  usuario: string,
  app: string,
  ask: (link: SupervisorLink) => Promise<SecretsView>,
): Promise<SecretsView> {
  const person = world.people.get(usuario);
  if (!person || person.leaving) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
  const manifest = person.packages.get(app)?.manifest;
  if (!manifest) throw new SvcError('NOT_FOUND', `app ${app} is not installed`);
  if (manifest.escopo === 'servidor') {
    throw new SvcError('BAD_REQUEST', `${app} is of server scope: it runs for all accounts and has no vault of a person`);
  }
  await person.link.ensure();
  return ask(person.link);
}

function recordOf(person: PersonEntry | undefined): PersonRecord | null {
  if (!person || person.leaving) return null;
  const { nome, login, grupos } = person.placed.document.spec;
  const record = { usuario: person.name, nome, login, grupos: grupos ?? [] };
  if (accountLasts(person) !== false) return record;
  return { ...record, notice: { reason: 'LingerBroken', message: endsWithLogin(person.server.name) } };
}

/**
 * Null unless a process listens, by the last snapshot. While the supervisor is away the last one still counts: its absence is no
 * reason to take a running app away from its person. Decision: docs/decisions/0034-tokens-and-routes.md
 */
function routeOf(entry: BackendEntry): BackendRoute | null {
  if (isServerScope(entry)) return serviceRoute(entry);
  const { person, app, token } = entry;
  const snapshot = person.link.snapshot(app);
  const process = snapshot?.process;
  if (!process || !person.place || token === null || snapshot.socket !== 'listening' || snapshot.state === 'stopping') return null;
  const { host } = person.server;
  const { socket } = appPaths(person.place, app);
  return {
    generation: `${process.bootId} ${process.pid} ${process.startTicks} ${token.serial}`,
    socketPath: host.directSocketPath(socket),
    dial: (): Promise<Duplex> => host.dial(person.account, socket),
    token: token.value,
    keepIdleMs: keepIdleMs(person.packages.get(app)?.manifest),
  };
}

/** `ocioso:1m` shall mean about a minute: nobody sits behind a connection that only the pool keeps. Decision: docs/decisions/0024-idle-connections.md */
function keepIdleMs(manifest: Manifest | undefined): number {
  const ocioso = manifest !== undefined && closePolicy(manifest).kind === 'ocioso';
  return ocioso ? limits.proxyOciosoConnectionMsMax : limits.proxyIdleConnectionMsMax;
}

async function lastLines(entry: BackendEntry): Promise<string> {
  const ask = (previous: boolean) => entry.person.link.ask({ op: 'log', app: entry.app, tail: 20, previous });
  try {
    const { text } = await ask(false);
    return text === '' ? (await ask(true)).text : text;
  } catch {
    return '';
  }
}
