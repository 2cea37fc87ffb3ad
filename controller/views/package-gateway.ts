/** Packages: what the shop and the administrator's panel show, and rollbacks. */
import { installationName } from '../../schema/desired/packages.ts';
import { keys, nameIn, readKey } from '../../schema/keys.ts';
import { randomUUID } from 'node:crypto';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView, RollbackAnswer, ShopView } from '../../schema/gateway.ts';
import type { Context } from '../context.ts';
import { packageDesired } from '../kinds/package.ts';
import { observeInventory, requirementsOn } from '../observe/inventory.ts';
import { refreshInstalls } from '../observe/wishes.ts';
import { repositoriesOf } from '../../kit/repository/reading/location.ts';
import { createOfferedFiles } from '../../kit/repository/reading/offered-file.ts';
import { queueView } from './queue.ts';
import { installedAt } from '../package-entries.ts';
import { isFor, isShut } from '../visible-packages.ts';
import type { Entries, PackageEntry, ServerEntry } from '../entries.ts';
import { adminServer, installedForStore, installsOf, missingPackages, versionBefore } from './packages.ts';

const repositoriesFor = ({ entries, options }: Context) => repositoriesOf(options.dir, entries.portal);

export function shopView(context: Context): ShopView {
  const { entries, offers } = context;
  const icons = createOfferedFiles();
  return {
    sources: async (usuario) => {
      const person = entries.people.get(usuario);
      if (!person) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
      const now = await offers.read(repositoriesFor(context));
      await askWhatLacks(context, person.server);
      return {
        offers: { ...now, apps: now.apps.filter(({ id, repository }) => !isShut(person, id) && isFor(repository, person)) },
        installed: installedForStore(person),
        installs: installsOf(context, person),
        missingPackages: missingPackages(context, person.server),
        server: {
          gpu: person.server.inventory?.gpu ?? null,
          queue: queueView(context).off() === null,
          groups: person.placed.document.spec.grupos ?? [],
        },
      };
    },
    extensions: async () => (await offers.read(repositoriesFor(context))).extensions ?? [],
    file: async (app, version, file) => {
      const repositories = repositoriesFor(context);
      return icons.read(repositories, await offers.read(repositories), app, version, file);
    },
  };
}

export async function adminPackages(context: Context): ReturnType<AdminView['packages']> {
  const servers = [...context.entries.servers.values()];
  await context.offers.read(repositoriesFor(context));
  await Promise.all(servers.map((server) => askWhatLacks(context, server)));
  return { servers: servers.map((server) => adminServer(context, server)) };
}

export function packageCommands(context: Context): Pick<AdminCommands, 'rollBack' | 'undoRollBack'> {
  return { rollBack: (key) => rollBack(context, key), undoRollBack: (key) => undoRollBack(context, key) };
}

/** Offers that are new since the last observation may require Linux packages that were never checked on the server. */
async function askWhatLacks(context: Context, server: ServerEntry): Promise<void> {
  if (server.reachability.status !== 'reachable') return;
  const isNew = [...requirementsOn(context, server)].some((requirement) => !server.inventoryOf.has(requirement));
  if (isNew || server.inventory === null) await observeInventory(context, server);
}

/**
 * Key of the only installation of a package that is written for several servers. With more, their names are reported, since each has a
 * reason of its own.
 */
export function installationOf({ packages }: Entries, key: string): string {
  const { kind, name } = readKey(key);
  if (kind !== 'Package' || packages.has(name)) return key;
  const all = [...packages.values()].flatMap((entry) => (entry.name.startsWith(installationName(name, '')) ? [entry.key] : []));
  if (all.length > 1) throw new SvcError('BAD_REQUEST', `${key} is on several servers: ${all.slice(0, 10).join(', ')}`);
  return all[0] ?? key;
}

function entryOf({ entries }: Context, key: string): PackageEntry {
  const entry = entries.packages.get(nameIn('Package', installationOf(entries, keys.package(nameIn('Package', key)))));
  if (!entry) throw new SvcError('NOT_FOUND', `no Package object ${key}; svc get packages lists them`);
  return entry;
}

/** While an installation fails or waits, the installed version is held instead. */
async function rollBack(context: Context, name: string): Promise<RollbackAnswer> {
  const { entries, options, queue } = context;
  const entry = entryOf(context, name);
  const { key } = entry;
  const { version: from, app } = packageDesired(entry);
  if (from === null) throw new SvcError('NO_PREVIOUS_VERSION', `${app} is being removed`);
  if (entry.rollback?.from === from) return { key, from, to: entry.rollback.to };
  const installed = installedAt(entries, entry.target)?.version ?? null;
  const to = installed === null || installed === from ? versionBefore(context, entry) : installed;
  if (to === null || to === from) throw new SvcError('NO_PREVIOUS_VERSION', `${app}: no version before ${from} is known`);
  await options.store.putRollback({ key, from, to, requestId: randomUUID(), atMs: options.clock.nowMs() });
  await refreshInstalls(context);
  queue.add(key, true);
  return { key, from, to };
}

async function undoRollBack(context: Context, name: string): Promise<RollbackAnswer> {
  const { key, rollback } = entryOf(context, name);
  if (rollback === null) throw new SvcError('NOT_FOUND', `no rollback of ${key} is held`);
  await context.options.store.deleteRollback(key);
  await refreshInstalls(context);
  context.queue.add(key, true);
  return { key, from: rollback.from, to: rollback.to };
}
