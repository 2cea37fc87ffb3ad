/** schema/gateway.ts over what the controller observed: answers at once from memory, and asks a supervisor only for logs. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { SvcError } from '../../schema/errors.ts';
import type { BackendRoute, Gateway, PersonRecord } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import { accountPaths, appPaths } from '../../schema/server-paths.ts';
import type { Context } from '../loop/context.ts';
import { everyKey, rereadFolder } from '../loop/refresh.ts';
import { objectView, projectionOf } from './projection.ts';
import { planFolder } from './plan.ts';
import { whyOf } from './why.ts';
import { followLog } from './follow-log.ts';
import type { BackendEntry, PersonEntry } from '../world.ts';
import { repositoryLocation } from '../repository/location.ts';
import { createOffersReader } from '../repository/offers.ts';

export function createGateway(context: Context): Gateway {
  const { world, recorder, options, queue } = context;
  const offers = createOffersReader(options.clock);
  const entryOf = (usuario: string, app: string): BackendEntry | undefined => world.people.get(usuario)?.backends.get(app);
  return {
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
    packageFile: async (usuario, app, file) => {
      const person = world.people.get(usuario);
      return person ? readPackageFile(person, app, file) : null;
    },
    store: async (usuario) => {
      const person = world.people.get(usuario);
      if (!person) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
      const installed = [...person.packages].map(([id, { version, manifest }]) => ({ id, version, provides: manifest.provides ?? [] }));
      return { offers: await offers.read(world.portal && repositoryLocation(options.dir, world.portal)), installed };
    },
    log: async (usuario, app, { tail, previous }) => {
      const person = world.people.get(usuario);
      if (!person) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
      return (await person.link.ask({ op: 'log', app, tail: Math.min(tail, limits.logTailLinesMax), previous })).text;
    },
    followLog: (usuario, app, { tail, signal }) => {
      const person = world.people.get(usuario);
      if (!person) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
      return followLog(person, app, Math.min(tail, limits.logTailLinesMax), signal);
    },
    objects: async (keyPrefix) => {
      const found = recorder.all().filter((status) => status.key.startsWith(keyPrefix));
      return found.sort((left, right) => (left.key < right.key ? -1 : 1)).map((status) => objectView(world, status));
    },
    why: async (key) => {
      const status = recorder.last(key);
      if (!status) return null;
      const entry = world.backends.get(key);
      return whyOf({ status, entry, log: entry ? await lastLines(entry) : '' });
    },
    plan: (dir) => planFolder(context, dir === null ? null : path.resolve(dir), false),
    apply: async (prune) => {
      const planned = await planFolder(context, null, prune);
      if (!planned.ok) return planned;
      await rereadFolder(context, prune);
      for (const key of everyKey(context)) queue.add(key, false);
      options.log.info({ prune, changes: planned.changes.length }, 'apply');
      return planned;
    },
  };
}

function recordOf(person: PersonEntry | undefined): PersonRecord | null {
  if (!person || person.leaving) return null;
  const { nome, login, grupos } = person.placed.document.spec;
  return { usuario: person.name, nome, login, grupos: grupos ?? [] };
}

/**
 * Null unless a process listens, by the last snapshot. While the supervisor is away the last one still counts: its absence is no
 * reason to take a running app away from its person. Decision: docs/decisions/0034-tokens-and-routes.md
 */
function routeOf(entry: BackendEntry): BackendRoute | null {
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
  };
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

/** A plain file below the package's folder, links not followed out of it; null when there is none. */
async function readPackageFile(person: PersonEntry, app: string, file: string): Promise<Uint8Array | null> {
  const installed = person.packages.get(app);
  if (!installed || !person.place) return null;
  const paths = accountPaths(person.place);
  const root = path.join(installed.scope === 'pessoa' ? paths.personApps : paths.systemApps, app);
  const asked = path.resolve(root, file);
  if (file.includes('\0') || !asked.startsWith(`${root}/`)) return null;
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(asked)]);
    if (!real.startsWith(`${realRoot}/`)) return null;
    // Never waits: a pipe has no other end, and four of these waits are all the threads that the portal has for files.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      return stat.isFile() && stat.size <= limits.packageFileBytesMax ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
