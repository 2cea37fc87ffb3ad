/** Makes the records of the world follow the documents in force. */
import { keys } from '../schema/keys.ts';
import type { BackendDocument, GrantDocument, PersonDocument, PortalDocument, ServerDocument } from '../schema/desired/documents.ts';
import type { InForce } from './desired/in-force.ts';
import {
  notLookedAt,
  syncBackends,
  wantedOf,
  type PersonEntry,
  type PlacedOf,
  type ServerEntry,
  type World,
  type WorldFactory,
} from './world.ts';
import { syncPackages } from './world-packages.ts';

/** Brings the records in line with what is in force. Answers the keys that went, whose statuses are to be forgotten. */
export function syncWorld(world: World, inForce: InForce, factory: WorldFactory): readonly string[] {
  const before = keysOf(world);
  world.inForce = inForce;
  world.portal = wantedOf<PortalDocument>(inForce, 'Portal')[0]?.placed ?? null;
  syncServers(world, inForce, factory);
  syncPeople(world, inForce, factory);
  syncPackages(world);
  world.pinned = pinnedOf(inForce);
  syncGrants(world, inForce);
  for (const person of world.people.values()) syncBackends(world, person, factory);
  const after = keysOf(world);
  return [...before].filter((key) => !after.has(key));
}

/** Of everything but engines, which follow the looks at their server. */
function keysOf(world: World): Set<string> {
  const found = new Set<string>(world.backends.keys());
  for (const name of world.servers.keys()) found.add(keys.server(name));
  for (const name of world.packages.keys()) found.add(keys.package(name));
  for (const name of world.grants.keys()) found.add(keys.grant(name));
  for (const name of world.people.keys()) found.add(keys.person(name)).add(keys.supervisor(name));
  return found;
}

function syncGrants(world: World, inForce: InForce): void {
  const wanted = new Map(wantedOf<GrantDocument>(inForce, 'Grant').map((one) => [one.placed.document.metadata.name, one]));
  for (const name of world.grants.keys()) if (!wanted.has(name)) world.grants.delete(name);
  for (const [name, { placed, leaving }] of wanted) {
    const entry = world.grants.get(name) ?? { key: keys.grant(name), name, placed, leaving, refused: null, seen: null };
    // What another content was refused with says nothing of this one.
    world.grants.set(name, Object.assign(entry, { placed, leaving, refused: entry.placed === placed ? entry.refused : null }));
  }
}

function syncServers(world: World, inForce: InForce, factory: WorldFactory): void {
  const wanted = new Map(wantedOf<ServerDocument>(inForce, 'Server').map((one) => [one.placed.document.metadata.name, one]));
  for (const [name, entry] of world.servers) {
    if (wanted.get(name)?.placed.document === entry.placed.document) continue;
    entry.kit?.admin.close();
    // Connections of a document that is not in force any more: a key that was taken back opens nothing from here on.
    void entry.host.close();
    world.servers.delete(name);
  }
  for (const [name, { placed, leaving }] of wanted) {
    const entry: ServerEntry = world.servers.get(name) ?? {
      key: keys.server(name),
      name,
      placed,
      leaving,
      host: factory.host(placed.document),
      kit: factory.kit?.(placed.document) ?? null,
      services: new Map(),
      seen: notLookedAt,
      get sight() {
        return this.kit?.off ?? this.seen;
      },
      system: new Map(),
      bad: [],
      lookedAtMs: 0,
      lookBegunAtMs: 0,
      looksBegun: 0,
      lookTold: 0,
      inventory: null,
      inventoryOf: new Set(),
      inventoryAtMs: 0,
      enginesMark: null,
      removing: new Set(),
    };
    world.servers.set(name, Object.assign(entry, { placed, leaving }));
  }
}

function syncPeople(world: World, inForce: InForce, factory: WorldFactory): void {
  const wanted = new Map(wantedOf<PersonDocument>(inForce, 'Person').map((one) => [one.placed.document.metadata.name, one]));
  for (const [name, entry] of world.people) {
    const document = wanted.get(name)?.placed.document;
    const host = document && world.servers.get(document.spec.server)?.host;
    if (document && host === entry.server.host && accountOf(document) === entry.account) continue;
    entry.link.close();
    for (const backend of entry.backends.values()) world.backends.delete(backend.key);
    world.people.delete(name);
  }
  for (const [name, { placed, leaving }] of wanted) {
    const server = world.servers.get(placed.document.spec.server);
    if (!server) continue;
    const entry = world.people.get(name) ?? newPerson(name, placed, server, factory);
    // Who came back before they were forgotten signs in again, and leaves anew.
    const anew = leaving ? {} : { signedOut: false, supervisorEnded: false };
    world.people.set(name, Object.assign(entry, { placed, leaving, server, ...anew }));
  }
}

function newPerson(name: string, placed: PlacedOf<PersonDocument>, server: ServerEntry, factory: WorldFactory): PersonEntry {
  const account = accountOf(placed.document);
  return {
    key: keys.person(name),
    name,
    placed,
    leaving: false,
    server,
    account,
    link: factory.link(name, account, server.host),
    packages: new Map(),
    lookTold: 0,
    place: null,
    accountSeen: null,
    session: false,
    sessionSinceMs: null,
    everSignedIn: false,
    sessionLooked: false,
    removing: new Set(),
    signedOut: false,
    supervisorEnded: false,
    backends: new Map(),
  };
}

function accountOf(document: PersonDocument): string {
  return document.spec.account ?? document.metadata.name;
}

function pinnedOf(inForce: InForce): World['pinned'] {
  const pinned = new Map<string, Map<string, PlacedOf<BackendDocument>>>();
  for (const { placed, leaving } of wantedOf<BackendDocument>(inForce, 'Backend')) {
    if (leaving) continue;
    const { pessoa, app } = placed.document.spec;
    const ofPerson = pinned.get(pessoa) ?? new Map<string, PlacedOf<BackendDocument>>();
    pinned.set(pessoa, ofPerson.set(app, placed));
  }
  return pinned;
}
