/**
 * `svc plan`: a folder is decided by the very functions of the loop, on a world of its own that shares what was observed and
 * carries nothing out (design 3 rule 2). What an action would bring about is followed one step: a package that would be installed
 * counts as installed for the backends that a document pins.
 */
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import { decideBackend } from '../../reconcilers/backend.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import type { InForce } from '../desired/in-force.ts';
import type { Context } from '../loop/context.ts';
import { backendDesired, backendObserved, packageDesired, packageObserved } from '../loop/inputs.ts';
import { lookAtServer } from '../observe/look.ts';
import { readSource, sourceFolder } from '../observe/repository.ts';
import { silentLink } from '../observe/silent-link.ts';
import { emptyWorld, syncBackends, syncWorld, type PackageEntry, type PersonEntry, type World, type WorldFactory } from '../world.ts';

type Change = PlanAnswer['changes'][number];

export async function planFolder(context: Context, dir: string | null, prune: boolean): Promise<PlanAnswer> {
  const { source, options } = context;
  const { inForce, errors } = await source.preview(dir ?? options.dir, prune);
  if (errors.length > 0) return { ok: false, changes: [], errors, pendingPrune: [] };
  const changes = documentChanges(source.current(), inForce);
  const world = await imagine(context, inForce);
  const nowMs = options.clock.nowMs();
  for (const entry of world.packages.values()) changes.push(...(await packageChanges(dir ?? options.dir, world, entry, nowMs)));
  for (const entry of world.backends.values()) {
    const decision = decideBackend(backendDesired(entry), backendObserved(entry), entry.memory, nowMs);
    changes.push(...decision.actions.filter((action) => action.kind !== 'backend/probe').map(changeOf));
  }
  return { ok: true, changes, errors: [], pendingPrune: inForce.held };
}

/** The world under other documents: hosts and lines of the living one where they are the same, none that acts where they aren't. */
async function imagine({ world: living, options, recorder }: Context, inForce: InForce): Promise<World> {
  const world = emptyWorld(inForce);
  const factory: WorldFactory = {
    host: (document) => {
      const known = living.servers.get(document.metadata.name);
      const same = known && JSON.stringify(known.placed.document) === JSON.stringify(document);
      return same ? known.host : options.createHost(document, true);
    },
    link: (person) => living.people.get(person)?.link ?? silentLink(person),
    memory: (key) => living.backends.get(key)?.memory ?? ((recorder.last(key)?.memory ?? null) as ReturnType<WorldFactory['memory']>),
  };
  syncWorld(world, inForce, factory);
  for (const server of world.servers.values()) await lookAtServer(world, server, () => options.clock.nowMs());
  for (const person of world.people.values()) {
    copyPresence(person, living.people.get(person.name));
    syncBackends(world, person, factory);
    for (const entry of person.backends.values()) {
      const known = living.backends.get(entry.key);
      if (known)
        Object.assign(entry, {
          intent: known.intent,
          windows: known.windows,
          probe: known.probe,
          probing: known.probing,
          refused: known.refused,
        });
    }
  }
  return world;
}

function copyPresence(person: PersonEntry, known: PersonEntry | undefined): void {
  if (known) Object.assign(person, { session: known.session, sessionSinceMs: known.sessionSinceMs });
}

function documentChanges(before: InForce, after: InForce): Change[] {
  const changes: Change[] = [];
  for (const [name, placed] of after.documents) {
    const known = before.documents.get(name);
    const where = `${placed.place.file}:${placed.place.line}`;
    if (!known) changes.push({ key: name, action: 'document/add', detail: where });
    else if (known.document !== placed.document) changes.push({ key: name, action: 'document/change', detail: where });
  }
  for (const name of before.documents.keys())
    if (!after.documents.has(name)) changes.push({ key: name, action: 'document/remove', detail: '' });
  return changes;
}

async function packageChanges(dir: string, world: World, entry: PackageEntry, nowMs: number): Promise<readonly Change[]> {
  const desired = packageDesired(entry);
  const folder = world.portal && sourceFolder(dir, world.portal, desired.app);
  const manifest = folder === null ? null : await readSource(folder).catch(() => null);
  entry.source = manifest && { version: manifest.version };
  const decision = decidePackage(desired, packageObserved(world, entry), null, nowMs);
  const install = decision.actions.find((action) => action.kind === 'package/install');
  if (install && manifest) {
    for (const person of world.people.values()) {
      if (person.server.name !== desired.server || (desired.person !== null && desired.person !== person.name)) continue;
      const kept = person.packages.get(desired.app);
      const packages = new Map(person.packages);
      const hash = kept?.hash ?? '';
      packages.set(desired.app, { app: desired.app, version: manifest.version, hash, delivered: hash, scope: desired.scope, manifest });
      person.packages = packages;
    }
  }
  return decision.actions.map(changeOf);
}

type Tellers = { readonly [Kind in Action['kind']]: (action: ActionOf<Kind>) => Omit<Change, 'action'> };

/** Exhaustive as the executors are: an action that a plan can't tell does not compile. */
const tellers: Tellers = {
  'backend/start': ({ person, app, order }) => ({ key: `Backend/${person}/${app}`, detail: order.pinned ? 'estado: ligado' : '' }),
  'backend/stop': ({ person, app, reason }) => ({ key: `Backend/${person}/${app}`, detail: reason }),
  'backend/pin': ({ person, app, pinned }) => ({ key: `Backend/${person}/${app}`, detail: pinned ? 'pinned' : 'not pinned' }),
  'backend/probe': ({ person, app, attempt }) => ({ key: `Backend/${person}/${app}`, detail: `attempt ${attempt}` }),
  'supervisor/ensure': ({ person }) => ({ key: `Supervisor/${person}`, detail: '' }),
  'supervisor/end': ({ person }) => ({ key: `Supervisor/${person}`, detail: '' }),
  'package/install': (action) => ({ key: `Package/${action.app}`, detail: `${action.version} ${whereOf(action)}` }),
  'package/remove': (action) => ({ key: `Package/${action.app}`, detail: whereOf(action) }),
};

function changeOf(action: Action): Change {
  const tell = tellers[action.kind] as (action: Action) => Omit<Change, 'action'>;
  return { action: action.kind, ...tell(action) };
}

function whereOf({ server, scope, person }: ActionOf<'package/install' | 'package/remove'>): string {
  return `on ${server} (${scope}${person === null ? '' : ` of ${person}`})`;
}
