/**
 * Checks between the documents of a folder: unique objects, references that exist, one wish per thing. Each message names the other document with
 * its place.
 */
import { isIP } from 'node:net';
import type {
  ReportDesired,
  DesiredDocument,
  PersonDocument,
  Placed,
  PortalDocument,
  ServerDocument,
  WrittenPackage,
} from './documents.ts';
import { keyOfDocument } from '../keys.ts';
import { isNumericAddress, isSecureAddress, webAddressOf } from '../portal-address.ts';
import { clip } from '../positions/node.ts';
import { didYouMean } from '../shape.ts';
import { checkClusters } from './cross-clusters.ts';
import { at, type Folder, type HasAccount, type Index, type MayExist, ofKind, reference } from './cross-folder.ts';
import { checkGrantRoles } from './cross-grants.ts';
import { checkPackages } from './cross-packages.ts';
import { checkAdmins, checkPeopleLists, withMembers } from './cross-people.ts';
import { serversOf } from './packages.ts';
import { repositoryItems } from './repositories.ts';

/** The checks, to be called one after the other. `context` only answers references: what is wrong in it is told elsewhere or not at all. */
export function crossChecks(
  all: readonly Placed[],
  context: readonly Placed[],
  report: ReportDesired,
  mayExist: MayExist = () => false,
  hasAccount: HasAccount = () => false,
): readonly (() => void)[] {
  const known = [...all, ...context];
  const folder: Folder = { judged: all, known, mayExist: withMembers(known, mayExist), hasAccount };
  const index = indexOf(folder);
  return [
    () => checkObjects(folder, report),
    () => checkServers(folder, report),
    () => checkPeople(folder, index, report),
    () => checkSeparation(folder, index, report),
    () => checkPeopleLists(folder, index, report),
    () => checkPackages(folder, index, report),
    () => checkBackends(folder, index, report),
    () => checkGrants(folder, index, report),
    () => checkPortals(folder, index, report),
    () => checkAdmins(folder, index, report),
    () => checkClusters(folder, index, report),
  ];
}

function checkPortals(folder: Folder, index: Index, report: ReportDesired): void {
  for (const portal of ofKind(folder.judged, 'Portal')) {
    const { signIn, trustedProxies = [] } = portal.document.spec;
    for (const [at, network] of trustedProxies.entries()) {
      if (isIP(network.split('/')[0] ?? '') !== 0) continue;
      report(portal, 'PATTERN', ['spec', 'trustedProxies', at], `expected the address of a proxy or a network, found "${clip(network)}"`);
    }
    checkAddress(portal, report);
    checkPasskeys(portal, report);
    checkRepositories(folder, index, portal, report);
    const person = signIn?.local?.person;
    if (person !== undefined) reference(folder, index.people, 'Person', person, portal, ['spec', 'signIn', 'local', 'person'], report);
  }
}

/** A misspelled group would close a repository to everybody. */
function checkRepositories(folder: Folder, index: Index, portal: Placed<PortalDocument>, report: ReportDesired): void {
  const { repository = [] } = portal.document.spec;
  if (typeof repository === 'string') return;
  const seen = new Set<string>();
  for (const [at, { url, grupos = [] }] of repositoryItems(repository).entries()) {
    const here = ['spec', 'repository', at] as const;
    if (seen.has(url)) report(portal, 'DUPLICATE_ITEM', here, `the repository "${clip(url)}" is already in the list`);
    seen.add(url);
    for (const [place, group] of grupos.entries()) {
      if (index.groups.has(group) || folder.mayExist('group', group)) continue;
      const message = `no person is in the group "${group}"${didYouMean(group, [...index.groups])}`;
      report(portal, 'UNKNOWN_GROUP', [...here, 'grupos', place], message);
    }
  }
}

/**
 * Apps with origins of their own need names below the portal's. Only a cookie with the prefix `__Host-` can't be set by the page of an app there.
 * Decision: docs/decisions/0168-plain-http.md
 */
function checkAddress(portal: Placed<PortalDocument>, report: ReportDesired): void {
  const { url, origins = 'subdomain' } = portal.document.spec;
  if (url === undefined) return;
  const address = webAddressOf(url);
  if (address === null) {
    // "999.1.1.1" and "apps.1": what ends with a number is an IPv4 address or nothing.
    report(portal, 'PATTERN', ['spec', 'url'], `expected a host name or an http(s) address without a path, found "${clip(url)}"`);
    return;
  }
  if (origins === 'path') return;
  if (isNumericAddress(address)) {
    const message = `"${clip(url)}" is an IP address: no name of an app can stand below it (notas.${address.hostname} is none); use a host name, or "origins: path" when every app is trusted`;
    report(portal, 'NUMERIC_ADDRESS', ['spec', 'url'], message);
    return;
  }
  if (isSecureAddress(address)) return;
  const message = `"${clip(url)}" is plain http: browsers protect no cookie there, so any app could sign a person in as somebody else; use https, a name below localhost, or "origins: path" when every app is trusted`;
  report(portal, 'INSECURE_ADDRESS', ['spec', 'url'], message);
}

/** A passkey answers a page of the portal's origin; in path mode that is every page of an app. Any other address has a secure context by `checkAddress`. */
function checkPasskeys(portal: Placed<PortalDocument>, report: ReportDesired): void {
  const { origins, signIn } = portal.document.spec;
  if (signIn?.passkey === undefined || origins !== 'path') return;
  const message = 'passkeys need "origins: subdomain": with "origins: path" the page of any app can make and use passkeys of the portal';
  report(portal, 'PASSKEY_ORIGIN', ['spec', 'signIn', 'passkey'], message);
}

function indexOf(folder: Folder): Index {
  const packages = ofKind(folder.known, 'Package').map(({ document }) => document.spec);
  const people = ofKind(folder.known, 'Person').map(({ document }) => document);
  const servers = new Map(ofKind(folder.known, 'Server').map(({ document }) => [document.metadata.name, document]));
  return {
    servers,
    people: new Map(people.map((document) => [document.metadata.name, document])),
    installed: new Set(
      packages.flatMap((spec) =>
        serversOf(spec, servers.keys()).map((server) =>
          [server, spec.app, ...(spec.instalacao === 'pessoa' ? [spec.pessoa ?? ''] : [])].join(' '),
        ),
      ),
    ),
    apps: new Set(packages.map((spec) => spec.app)),
    unplaced: new Set(packages.flatMap((spec) => (isPlaced(spec, servers) ? [] : [spec.app]))),
    groups: new Set(people.flatMap((document) => document.spec.grupos ?? [])),
  };
}

/** Whether all its servers are there. */
function isPlaced(spec: WrittenPackage['spec'], servers: Index['servers']): boolean {
  const named = serversOf(spec, servers.keys());
  return named.length > 0 && named.every((server) => servers.has(server));
}

function checkObjects(folder: Folder, report: ReportDesired): void {
  once(
    folder.judged,
    ({ document }) => keyOfDocument(document),
    (placed, first, key) => report(placed, 'DUPLICATE_OBJECT', ['metadata', 'name'], `${key} is already declared at ${at(first)}`),
  );
  for (const portal of ofKind(folder.judged, 'Portal').slice(1)) {
    const [first] = ofKind(folder.judged, 'Portal');
    if (first && first.document.metadata.name !== portal.document.metadata.name) {
      report(portal, 'MANY_PORTALS', ['kind'], `there is one Portal, and it is declared at ${at(first)}`);
    }
  }
}

function checkServers(folder: Folder, report: ReportDesired): void {
  for (const server of ofKind(folder.judged, 'Server')) {
    const { spec } = server.document;
    const found = ['local', 'ssh'].filter((name) => name in spec);
    if (found.length !== 1)
      report(
        server,
        'ONE_OF',
        ['spec'],
        `"spec": expected exactly one of local, ssh, found ${found.length === 0 ? 'none' : 'local and ssh'}`,
      );
    const { deadline } = spec.drain ?? {};
    if (deadline !== undefined && Number.isNaN(Date.parse(deadline)))
      report(server, 'PATTERN', ['spec', 'drain', 'deadline'], `expected a time such as 2026-03-01T18:00Z, found "${clip(deadline)}"`);
  }
}

function checkPeople(folder: Folder, index: Index, report: ReportDesired): void {
  const people = ofKind(folder.judged, 'Person');
  for (const person of people) {
    reference(folder, index.servers, 'Server', person.document.spec.server, person, ['spec', 'server'], report);
    if (person.document.spec.account === 'root') {
      report(person, 'PRIVILEGED_ACCOUNT', ['spec', 'account'], 'every app of this person would run as root');
    }
  }
  // A document that is there twice has one login and one account, too: that is no second mistake.
  const names = new Set<string>();
  const different = people.filter(({ document }) => !names.has(document.metadata.name) && names.add(document.metadata.name));
  once(
    different,
    ({ document }) => document.spec.login,
    (placed, first, login) =>
      report(placed, 'DUPLICATE_LOGIN', ['spec', 'login'], `the login "${clip(login)}" is already taken by the person at ${at(first)}`),
  );
  once(
    different,
    ({ document }) => `${document.spec.server} ${accountOn(folder, index, document)}`,
    (placed, first) => {
      const server = index.servers.get(placed.document.spec.server);
      const shared = server && isSharedHome(server) && !folder.hasAccount(placed.document);
      const message = shared
        ? `without "local.prefix" everybody on the server "${placed.document.spec.server}" shares one home with the person at ${at(first)}; set a prefix`
        : `the account "${accountOn(folder, index, placed.document)}" is already of the person at ${at(first)}`;
      report(placed, 'DUPLICATE_ACCOUNT', ['spec', shared || placed.document.spec.account === undefined ? 'server' : 'account'], message);
    },
  );
}

/**
 * Once for each server, at the second person: one alone needs no separation. One whom the account of the portal serves is enough:
 * that account may everything.
 */
function checkSeparation(folder: Folder, index: Index, report: ReportDesired): void {
  const firsts = new Map<string, Placed<PersonDocument>>();
  const reported = new Set<string>();
  const people = ofKind(folder.known, 'Person');
  const shared = new Set(people.flatMap(({ document }) => (folder.hasAccount(document) ? [] : [document.spec.server])));
  for (const person of people) {
    const { server } = person.document.spec;
    if (!shared.has(server)) continue;
    const spec = index.servers.get(server)?.spec;
    if (spec === undefined || !('local' in spec) || spec.local.trusted === true || reported.has(server)) continue;
    const first = firsts.get(server);
    if (first === undefined) firsts.set(server, person);
    else if (first.document.metadata.name !== person.document.metadata.name && folder.judged.includes(person)) {
      reported.add(server);
      const separated = people.some(({ document }) => document.spec.server === server && folder.hasAccount(document));
      const who = separated ? 'some people' : 'all people';
      const message = `the apps of ${who} of the local server "${server}" run as the account of the portal, the first at ${at(first)}: each may read everybody's data and be administrator; say "local: { trusted: true }" if they may, give them an ssh server with accounts, or each an account here and the portal root`;
      report(person, 'UNSEPARATED_PEOPLE', ['spec', 'server'], message);
    }
  }
}

/** The account whose home the apps of a person live in. Without a prefix everybody of a local server whom the portal's account serves has its home. */
function accountOn({ hasAccount }: Folder, index: Index, person: PersonDocument): string {
  const server = index.servers.get(person.spec.server);
  return server && isSharedHome(server) && !hasAccount(person) ? '' : (person.spec.account ?? person.metadata.name);
}

function isSharedHome(server: ServerDocument): boolean {
  return 'local' in server.spec && server.spec.local.prefix === undefined;
}

function checkBackends(folder: Folder, index: Index, report: ReportDesired): void {
  const backends = ofKind(folder.judged, 'Backend');
  for (const backend of backends) {
    const { app, pessoa } = backend.document.spec;
    const known = reference(folder, index.people, 'Person', pessoa, backend, ['spec', 'pessoa'], report);
    if (!index.apps.has(app)) {
      if (!folder.mayExist('app', app))
        report(backend, 'UNKNOWN_REFERENCE', ['spec', 'app'], `no Package installs "${clip(app)}"${didYouMean(app, [...index.apps])}`);
    } else if (known) {
      const server = index.people.get(pessoa)?.spec.server;
      // A person on no server, and a package without a person, are reported once; references to them are not reported again.
      const isJudged = server !== undefined && index.servers.has(server) && !index.installed.has(`${server} ${app} `);
      const isThere = index.installed.has(`${server} ${app}`) || index.installed.has(`${server} ${app} ${pessoa}`);
      if (isJudged && !isThere && !index.unplaced.has(app) && !folder.mayExist('installed', app)) {
        report(backend, 'WRONG_SERVER', ['spec', 'app'], `no Package installs "${app}" for "${pessoa}" on the server "${server}"`);
      }
    }
  }
  once(
    backends,
    ({ document: { spec } }) => `${spec.pessoa}/${spec.app}`,
    (placed, first, key) => report(placed, 'DUPLICATE_BACKEND', ['spec', 'app'], `${key} already has a wish at ${at(first)}`),
  );
}

function checkGrants(folder: Folder, index: Index, report: ReportDesired): void {
  checkGrantRoles(ofKind(folder.judged, 'Grant'), report);
  for (const grant of ofKind(folder.judged, 'Grant')) {
    const { app, dona, pessoas = [], grupos = [] } = grant.document.spec;
    if (!index.apps.has(app) && !folder.mayExist('app', app)) {
      report(grant, 'UNKNOWN_REFERENCE', ['spec', 'app'], `no Package installs "${clip(app)}"${didYouMean(app, [...index.apps])}`);
    }
    reference(folder, index.people, 'Person', dona, grant, ['spec', 'dona'], report);
    for (const [i, { usuario }] of pessoas.entries())
      reference(folder, index.people, 'Person', usuario, grant, ['spec', 'pessoas', i, 'usuario'], report);
    for (const [i, { grupo }] of grupos.entries()) {
      if (!index.groups.has(grupo) && !folder.mayExist('group', grupo)) {
        report(
          grant,
          'UNKNOWN_GROUP',
          ['spec', 'grupos', i, 'grupo'],
          `no person is in the group "${grupo}"${didYouMean(grupo, [...index.groups])}`,
        );
      }
    }
  }
}

/** Calls `report` for every item whose key an earlier item has. */
function once<D extends DesiredDocument>(
  items: readonly Placed<D>[],
  keyOf: (item: Placed<D>) => string,
  reported: (item: Placed<D>, first: Placed<D>, key: string) => void,
): void {
  const firsts = new Map<string, Placed<D>>();
  for (const item of items) {
    const key = keyOf(item);
    const first = firsts.get(key);
    if (first) reported(item, first, key);
    else firsts.set(key, item);
  }
}
