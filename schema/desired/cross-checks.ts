/**
 * What the documents of a folder say together (design 4): unique objects, references that exist, one wish per thing. Each
 * message names the other document with its place.
 */
import type { FindingCode } from '../findings.ts';
import { clip } from '../positions/node.ts';
import { didYouMean } from '../shape.ts';
import { checkGrantRoles } from './cross-grants.ts';
import type { DesiredDocument, DesiredKind, PersonDocument, Place, ServerDocument } from './documents.ts';

export interface Placed<D extends DesiredDocument = DesiredDocument> {
  readonly document: D;
  readonly place: Place;
}

/** Tells a finding of one document; `path` are segments below its root. */
export type TellDesired = (of: Placed, code: FindingCode, path: readonly (string | number)[], message: string) => void;

type Of<Kind extends DesiredKind> = Extract<DesiredDocument, { readonly kind: Kind }>;

/** The documents to judge, and all that answer references. */
interface Folder {
  readonly judged: readonly Placed[];
  readonly known: readonly Placed[];
}

function ofKind<Kind extends DesiredKind>(documents: readonly Placed[], kind: Kind): Placed<Of<Kind>>[] {
  return documents.filter((placed): placed is Placed<Of<Kind>> => placed.document.kind === kind);
}

/** The checks, to be called one after the other. `context` only answers references: what is wrong in it is told elsewhere or not at all. */
export function crossChecks(all: readonly Placed[], context: readonly Placed[], tell: TellDesired): readonly (() => void)[] {
  const folder: Folder = { judged: all, known: [...all, ...context] };
  const index = indexOf(folder);
  return [
    () => checkObjects(folder, tell),
    () => checkPeople(folder, index, tell),
    () => checkPackages(folder, index, tell),
    () => checkBackends(folder, index, tell),
    () => checkGrants(folder, index, tell),
    () => checkPortals(folder, index, tell),
  ];
}

function checkPortals(folder: Folder, index: Index, tell: TellDesired): void {
  for (const portal of ofKind(folder.judged, 'Portal')) {
    const person = portal.document.spec.signIn?.local?.person;
    if (person !== undefined) reference(index.people, 'Person', person, portal, ['spec', 'signIn', 'local', 'person'], tell);
  }
}

interface Index {
  readonly servers: ReadonlyMap<string, ServerDocument>;
  readonly people: ReadonlyMap<string, PersonDocument>;
  /** Ids of installed apps: of a server as `server app`, of one person as `server app person`. */
  readonly installed: ReadonlySet<string>;
  readonly apps: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

function indexOf(folder: Folder): Index {
  const packages = ofKind(folder.known, 'Package').map(({ document }) => document.spec);
  const people = ofKind(folder.known, 'Person').map(({ document }) => document);
  return {
    servers: new Map(ofKind(folder.known, 'Server').map(({ document }) => [document.metadata.name, document])),
    people: new Map(people.map((document) => [document.metadata.name, document])),
    installed: new Set(packages.map((spec) => [spec.server, spec.app, ...(spec.instalacao === 'pessoa' ? [spec.pessoa] : [])].join(' '))),
    apps: new Set(packages.map((spec) => spec.app)),
    groups: new Set(people.flatMap((document) => document.spec.grupos ?? [])),
  };
}

function checkObjects(folder: Folder, tell: TellDesired): void {
  once(
    folder.judged,
    ({ document }) => `${document.kind}/${document.metadata.name}`,
    (placed, first, key) => tell(placed, 'DUPLICATE_OBJECT', ['metadata', 'name'], `${key} is already declared at ${at(first)}`),
  );
  for (const portal of ofKind(folder.judged, 'Portal').slice(1)) {
    const [first] = ofKind(folder.judged, 'Portal');
    if (first && first.document.metadata.name !== portal.document.metadata.name) {
      tell(portal, 'MANY_PORTALS', ['kind'], `there is one Portal, and it is declared at ${at(first)}`);
    }
  }
}

function checkPeople(folder: Folder, index: Index, tell: TellDesired): void {
  const people = ofKind(folder.judged, 'Person');
  for (const person of people) {
    reference(index.servers, 'Server', person.document.spec.server, person, ['spec', 'server'], tell);
    if (person.document.spec.account === 'root') {
      tell(person, 'PRIVILEGED_ACCOUNT', ['spec', 'account'], 'every app of this person would run as root');
    }
  }
  once(
    people,
    ({ document }) => document.spec.login,
    (placed, first, login) =>
      tell(placed, 'DUPLICATE_LOGIN', ['spec', 'login'], `the login "${clip(login)}" is already taken by the person at ${at(first)}`),
  );
  once(
    people,
    ({ document }) => `${document.spec.server} ${accountOn(index, document)}`,
    (placed, first) => {
      const server = index.servers.get(placed.document.spec.server);
      const shared = server && isSharedHome(server);
      const message = shared
        ? `without "local.prefix" everybody on the server "${placed.document.spec.server}" shares one home with the person at ${at(first)}; set a prefix`
        : `the account "${accountOn(index, placed.document)}" is already of the person at ${at(first)}`;
      tell(placed, 'DUPLICATE_ACCOUNT', ['spec', shared || placed.document.spec.account === undefined ? 'server' : 'account'], message);
    },
  );
}

/** The account whose home the apps of a person live in. Without a prefix a local server has one home for everybody. */
function accountOn(index: Index, person: PersonDocument): string {
  const server = index.servers.get(person.spec.server);
  return server && isSharedHome(server) ? '' : (person.spec.account ?? person.metadata.name);
}

function isSharedHome(server: ServerDocument): boolean {
  return 'local' in server.spec && server.spec.local.prefix === undefined;
}

function checkPackages(folder: Folder, index: Index, tell: TellDesired): void {
  const packages = ofKind(folder.judged, 'Package');
  for (const item of packages) {
    const { server, instalacao = 'sistema', pessoa } = item.document.spec;
    reference(index.servers, 'Server', server, item, ['spec', 'server'], tell);
    if (instalacao === 'sistema') {
      if (pessoa !== undefined) tell(item, 'UNEXPECTED_PERSON', ['spec', 'pessoa'], '"pessoa" belongs to "instalacao: pessoa" only');
      continue;
    }
    if (pessoa === undefined) tell(item, 'MISSING_PERSON', ['spec', 'instalacao'], '"instalacao: pessoa" needs "pessoa"');
    else if (reference(index.people, 'Person', pessoa, item, ['spec', 'pessoa'], tell)) {
      const home = index.people.get(pessoa)?.spec.server;
      if (home !== undefined && home !== server)
        tell(item, 'WRONG_SERVER', ['spec', 'server'], `"${pessoa}" is on the server "${home}", not on "${clip(server)}"`);
    }
  }
  once(
    packages,
    ({ document: { spec } }) => [spec.server, spec.app, spec.instalacao ?? 'sistema', spec.pessoa ?? ''].join(' '),
    (placed, first) =>
      tell(placed, 'DUPLICATE_PACKAGE', ['spec', 'app'], `"${placed.document.spec.app}" is already installed there at ${at(first)}`),
  );
}

function checkBackends(folder: Folder, index: Index, tell: TellDesired): void {
  const backends = ofKind(folder.judged, 'Backend');
  for (const backend of backends) {
    const { app, pessoa } = backend.document.spec;
    const known = reference(index.people, 'Person', pessoa, backend, ['spec', 'pessoa'], tell);
    if (!index.apps.has(app)) {
      tell(backend, 'UNKNOWN_REFERENCE', ['spec', 'app'], `no Package installs "${clip(app)}"${didYouMean(app, [...index.apps])}`);
    } else if (known) {
      const server = index.people.get(pessoa)?.spec.server;
      if (server !== undefined && !index.installed.has(`${server} ${app}`) && !index.installed.has(`${server} ${app} ${pessoa}`)) {
        tell(backend, 'WRONG_SERVER', ['spec', 'app'], `no Package installs "${app}" for "${pessoa}" on the server "${server}"`);
      }
    }
  }
  once(
    backends,
    ({ document: { spec } }) => `${spec.pessoa}/${spec.app}`,
    (placed, first, key) => tell(placed, 'DUPLICATE_BACKEND', ['spec', 'app'], `${key} already has a wish at ${at(first)}`),
  );
}

function checkGrants(folder: Folder, index: Index, tell: TellDesired): void {
  checkGrantRoles(ofKind(folder.judged, 'Grant'), tell);
  for (const grant of ofKind(folder.judged, 'Grant')) {
    const { app, dona, pessoas = [], grupos = [] } = grant.document.spec;
    if (!index.apps.has(app)) {
      tell(grant, 'UNKNOWN_REFERENCE', ['spec', 'app'], `no Package installs "${clip(app)}"${didYouMean(app, [...index.apps])}`);
    }
    reference(index.people, 'Person', dona, grant, ['spec', 'dona'], tell);
    for (const [i, { usuario }] of pessoas.entries())
      reference(index.people, 'Person', usuario, grant, ['spec', 'pessoas', i, 'usuario'], tell);
    for (const [i, { grupo }] of grupos.entries()) {
      if (!index.groups.has(grupo)) {
        tell(
          grant,
          'UNKNOWN_GROUP',
          ['spec', 'grupos', i, 'grupo'],
          `nobody is in the group "${grupo}"${didYouMean(grupo, [...index.groups])}`,
        );
      }
    }
  }
}

function reference(
  known: ReadonlyMap<string, unknown>,
  kind: DesiredKind,
  name: string,
  of: Placed,
  path: readonly (string | number)[],
  tell: TellDesired,
): boolean {
  if (known.has(name)) return true;
  tell(of, 'UNKNOWN_REFERENCE', path, `no ${kind} is named "${clip(name)}"${didYouMean(name, [...known.keys()])}`);
  return false;
}

/** Calls `told` for every item whose key an earlier item has. */
function once<D extends DesiredDocument>(
  items: readonly Placed<D>[],
  keyOf: (item: Placed<D>) => string,
  told: (item: Placed<D>, first: Placed<D>, key: string) => void,
): void {
  const firsts = new Map<string, Placed<D>>();
  for (const item of items) {
    const key = keyOf(item);
    const first = firsts.get(key);
    if (first) told(item, first, key);
    else firsts.set(key, item);
  }
}

function at({ place }: Placed): string {
  return `${place.file}:${place.line}`;
}
