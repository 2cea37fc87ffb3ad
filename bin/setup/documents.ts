/** The documents that the answers stand for. Documents of the site that no answer is about are left as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { addressOf, onServer, serversOf, type On, type SetupOptions } from './answers.ts';
import type { Site } from './site.ts';
import { repositoryItems } from '../../schema/desired/repositories.ts';
import { accountOf, groupsOf, hasGroup, nameOfHere, sshOfHere } from './this-machine.ts';

/** A front on this machine. */
const proxies = ['127.0.0.1', '::1'];

export interface SetUp {
  /** Name of the Portal document. */
  readonly portal: string;
  /** Name of the server that is this machine; null: none is. */
  readonly here: string | null;
}

/** `programs`: where the apps of the installation are. */
export function writeDocuments(site: Site, options: SetupOptions, programs: string): SetUp {
  const portal = site.names('Portal')[0] ?? 'casa';
  const set = (field: string, value: unknown): void => site.set('Portal', portal, ['spec', field], value, 'portal.yaml');
  const isNew = site.names('Portal').length === 0;
  if (options.listen !== undefined || isNew) set('listen', options.listen ?? '127.0.0.1:8787');
  if (options.url !== undefined) set('url', addressOf(options.url).origin);
  if (options.front !== undefined && options.front !== 'none') set('trustedProxies', proxies);
  if (options.repository !== undefined || isNew) set('repository', options.repository ?? programs);
  signIn(site, portal, options, isNew);
  const here = servers(site, options);
  const server = (on: On): string => on.server ?? here ?? onlyServer(site, on.name);
  for (const group of onServer('group', options.group)) {
    const at = server(group);
    if (at === here) refuseMissingGroup(group.name);
    site.set('People', `${group.name}-${at}`.toLowerCase(), ['spec'], { server: at, group: group.name }, 'people.yaml');
  }
  const admins = onServer('admin', options.admin);
  for (const person of [...onServer('person', options.person), ...admins]) addPerson(site, person, server(person), here);
  if (admins.length > 0) {
    const before = (site.value('Portal', portal, ['spec', 'admins', 'people']) as readonly string[] | undefined) ?? [];
    site.set('Portal', portal, ['spec', 'admins', 'people'], [...new Set([...before, ...admins.map(({ name }) => name)])], 'portal.yaml');
  }
  const named = site.value('Portal', portal, ['spec', 'repository']) as Parameters<typeof repositoryItems>[0] | undefined;
  const repositories = repositoryItems(named ?? programs).map(({ url }) => url);
  for (const [app, places] of placesOf(onServer('app', options.app), (on) => (isForAll(site, on, here) ? 'all' : server(on)))) {
    const [only = ''] = places;
    const isOne = places.length === 1 && only !== 'all';
    const where = isOne ? { server: only } : { servers: places.includes('all') ? 'all' : places };
    site.set('Package', isOne ? `${app}-${only}` : app, ['spec'], { app, versao: versionOf(repositories, app), ...where }, 'apps.yaml');
  }
  return { portal, here };
}

/** Without a server, where none of several is this machine. */
const isForAll = (site: Site, { server }: On, here: string | null): boolean =>
  server === null && here === null && site.names('Server').length > 1;

/** Each app once, with the servers that it was asked for. */
function placesOf(apps: readonly On[], placeOf: (app: On) => string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const app of apps) found.set(app.name, [...new Set([...(found.get(app.name) ?? []), placeOf(app)])]);
  return found;
}

function signIn(site: Site, portal: string, options: SetupOptions, isNew: boolean): void {
  const ways = options.signIn ?? (isNew ? ['ssh'] : []);
  for (const way of ways) {
    if (way === 'ssh') site.set('Portal', portal, ['spec', 'signIn', 'ssh'], {}, 'portal.yaml');
    else if (way !== 'oidc') throw new SvcError('BAD_REQUEST', `--sign-in ${way}: expected ssh or oidc`);
  }
  if (!ways.includes('oidc')) return;
  const { oidcIssuer: issuer, oidcClientId: clientId } = options;
  if (issuer === undefined || clientId === undefined)
    throw new SvcError('BAD_REQUEST', '--sign-in oidc needs --oidc-issuer URL, --oidc-client-id ID and --oidc-secret-file FILE');
  site.set('Portal', portal, ['spec', 'signIn', 'oidc'], { issuer, clientId, clientSecret: { file: 'oidc-secret' } }, 'portal.yaml');
}

function servers(site: Site, options: SetupOptions): string | null {
  for (const { name, host, port, hostKey } of serversOf(options))
    site.set('Server', name, ['spec', 'ssh'], { host, ...(port === 22 ? {} : { port }), hostKey }, 'servers.yaml');
  const known = site.names('Server').find((name) => site.value('Server', name, ['spec', 'ssh', 'host']) === '127.0.0.1');
  if (options.here !== true) return known ?? null;
  const { host, port, hostKey } = sshOfHere();
  const name = known ?? nameOfHere();
  site.set('Server', name, ['spec', 'ssh'], { host, ...(port === 22 ? {} : { port }), hostKey }, 'servers.yaml');
  return name;
}

function onlyServer(site: Site, name: string): string {
  const all = site.names('Server');
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  throw new SvcError(
    'BAD_REQUEST',
    all.length === 0
      ? `${name}: no server is there yet: --here, or --server NAME=HOST`
      : `${name}: on which server? for example ${name}@${only}`,
  );
}

/** Rejects BAD_REQUEST for an account that this machine does not have, or that is nobody's. */
export function accountHere(name: string): NonNullable<ReturnType<typeof accountOf>> {
  const account = accountOf(name);
  if (account === null) throw new SvcError('BAD_REQUEST', `${name}: this machine has no such account; adduser ${name} makes it`);
  return account;
}

export function refuseMissingGroup(name: string): void {
  if (!hasGroup(name)) throw new SvcError('BAD_REQUEST', `${name}: this machine has no such group; groupadd ${name} makes it`);
}

function addPerson(site: Site, { name }: On, server: string, here: string | null): void {
  if (site.names('Person').includes(name)) return;
  const account = server === here ? accountHere(name) : { nome: name };
  const groups = server === here ? groupsOf(name) : [];
  const comesIn = (people: string): boolean =>
    groups.includes(site.text('People', people, ['spec', 'group'])) && site.text('People', people, ['spec', 'server']) === server;
  if (site.names('People').some(comesIn)) return;
  site.set('Person', name, ['spec'], { nome: account.nome, login: name, server, account: name }, 'people.yaml');
}

interface Offered {
  readonly id: string;
  readonly version: string;
  readonly description: string;
}

/** Lists the apps of a folder by their manifests. */
export function offeredIn(folder: string): readonly Offered[] {
  const found: Offered[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    try {
      const {
        id,
        version,
        description = '',
      } = JSON.parse(readFileSync(path.join(folder, name, 'svc-app.json'), 'utf8')) as Partial<Offered>;
      if (typeof id === 'string' && typeof version === 'string') found.push({ id, version, description });
    } catch {
      // Not an app.
    }
  }
  return found;
}

/** The app in a folder of apps. Rejects BAD_REQUEST. */
export function appIn(folder: string, app: string): Offered {
  const offered = offeredIn(folder);
  const found = offered.find(({ id }) => id === app);
  if (found === undefined) throw new SvcError('BAD_REQUEST', `${app}: ${folder} has ${offered.map(({ id }) => id).join(', ')}`);
  return found;
}

/** By the first folder that has it. */
function versionOf(repositories: readonly string[], app: string): string {
  const folders = repositories.filter((one) => one.startsWith('/'));
  const [first] = folders;
  if (first === undefined)
    throw new SvcError(
      'BAD_REQUEST',
      `--app ${app}: the repository is ${repositories.join(', ')}; write a Package document with the version`,
    );
  return appIn(folders.find((folder) => offeredIn(folder).some(({ id }) => id === app)) ?? first, app).version;
}
