/** The site as it is before anything is broken, and all groups of worlds on it. */
import { until } from '../journeys/until.ts';
import { openSite, type Site } from './site.ts';
import { runGroup, type Told } from './run.ts';
import type { Group } from './world.ts';

export interface Report {
  readonly worlds: number;
  readonly statements: number;
  /** `statements` by where they were said, as `why 12, plan 3`. */
  readonly places: string;
  readonly untrue: number;
  readonly unmended: number;
}

/** Accounts that worlds break, each its own. */
const accountsOf = (groups: readonly Group[]): readonly string[] =>
  groups.flatMap(({ worlds }) =>
    worlds.flatMap(({ healed }) => Object.keys(healed).flatMap((key) => /^Backend\/(c\d+)\/notas$/.exec(key)?.[1] ?? [])),
  );

/** Worlds of the named groups whose name matches; all, unless said. */
export const someOf = (groups: readonly Group[], names: readonly string[] | null, only = ''): readonly Group[] =>
  groups.flatMap((group) => {
    const worlds = group.worlds.filter(({ name }) => new RegExp(only).test(name));
    return worlds.length === 0 || names?.includes(group.name) === false ? [] : [{ ...group, worlds }];
  });

/** Chooses the worlds of a short run by a seed: a group, and of its worlds as many as it says. */
export function shareOf(groups: readonly Group[], seed: number): readonly Group[] {
  const group = groups[seed % groups.length];
  if (group === undefined) return [];
  const { share } = group;
  const worlds = group.worlds.filter(({ isLong }) => isLong !== true);
  const from = Math.floor(seed / groups.length) % worlds.length;
  return [{ ...group, worlds: [...worlds, ...worlds].slice(from, from + share) }];
}

/** `keep`: it stands until Ctrl-C. `tell`: each statement is said, too. */
export async function runWorlds(
  groups: readonly Group[],
  say: (line: string) => void,
  { keep = false, tell = false }: { readonly keep?: boolean; readonly tell?: boolean } = {},
): Promise<Report> {
  const startMs = performance.now();
  const accounts = accountsOf(groups);
  const site = await openSite({ sirius: ['ana', 'livre', 'livre2', ...accounts], vega: ['eva'], polar: ['rui'] });
  const told: Told[] = [];
  try {
    await begin(site, accounts, [...new Set(groups.flatMap(({ servers }) => servers))]);
    say(`the site stands after ${Math.round((performance.now() - startMs) / 1_000)} s`);
    for (const group of groups) {
      say(`${group.name}:`);
      told.push(...(await runGroup(site, group, say, tell)));
    }
    if (keep) await new Promise(() => process.once('SIGINT', () => process.exit(0)));
  } finally {
    await site.end();
  }
  const sum = (of: (one: Told) => number): number => told.reduce((all, one) => all + of(one), 0);
  return {
    worlds: told.length,
    statements: sum(({ said }) => said.length),
    places: placesOf(told.flatMap(({ said }) => said)),
    untrue: sum(({ untrue }) => untrue.length),
    unmended: sum(({ unmended }) => (unmended === null ? 0 : 1)),
  };
}

const placesOf = (said: readonly string[]): string =>
  Array.from(
    Map.groupBy(said, (one) => /^\w+/.exec(one)?.[0] ?? ''),
    ([place, all]) => `${place} ${all.length}`,
  ).join(', ');

export const serverDocument = async (site: Site, name: string, over = ''): Promise<string> => {
  const { address } = site.server(name);
  const { out } = await site.svc('server', 'trust', address);
  return `kind: Server\nmetadata: { name: ${name} }\nspec: { ssh: { host: ${address}, hostKey: ${/hostKey: (".*")/.exec(out)?.[1]}${over} } }`;
};

const person = (name: string, server: string): string =>
  `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: Pessoa ${name}, login: ${name}.login, server: ${server}, account: ${name} }`;

const everywhere = ['sirius', 'vega', 'polar'];
/** People who have an app there that is desired. */
const wantedAt = [
  ['vega', 'eva'],
  ['polar', 'rui'],
  ['aqui', 'lia'],
] as const;

/** `ready`: the servers that get the key and the kit; the others are machines whose documents stand. */
async function begin(site: Site, accounts: readonly string[], ready: readonly string[]): Promise<void> {
  await site.write(
    'portal',
    'kind: Portal\nmetadata: { name: casa }\nspec: { listen: "0.0.0.0:8787", url: "http://svc.localhost:8787", repository: /srv/apps }',
  );
  for (const name of everywhere) await site.write(name, await serverDocument(site, name));
  await site.write('aqui', 'kind: Server\nmetadata: { name: aqui }\nspec: { local: { prefix: /var/lib/svc/aqui } }');
  await site.write(
    'people',
    ...['ana', ...accounts].map((name) => person(name, 'sirius')),
    person('eva', 'vega'),
    person('rui', 'polar'),
    person('lia', 'aqui').replace(', account: lia', ''),
  );
  await site.app('notas');
  await site.write(
    'notas',
    ...[...everywhere, 'aqui'].map(
      (name) => `kind: Package\nmetadata: { name: notas-${name} }\nspec: { app: notas, versao: 1.0.0, server: ${name} }`,
    ),
    ...wantedAt.map(
      ([, name]) => `kind: Backend\nmetadata: { name: ${name}-notas }\nspec: { app: notas, pessoa: ${name}, estado: ligado }`,
    ),
  );
  await site.portal.sh('install -d -o svc -g svc /var/lib/svc/aqui');
  await site.restart();
  const { out: key } = await site.portal.run(['cat', '/var/lib/svc/state/ssh/id_ed25519.pub']);
  for (const name of ready) await site.server(name).sh('cat >/root/.ssh/authorized_keys', { input: key });
  await Promise.all(ready.map((name) => site.svc('server', 'add', name)));
  await until(
    'the apps',
    async () => {
      const objects = await site.objects();
      return wantedAt
        .filter(([server]) => server === 'aqui' || ready.includes(server))
        .every(([, name]) => objects.get(`Backend/${name}/notas`)?.state === 'running');
    },
    300_000,
  ).catch(async (error: unknown) => {
    throw new Error(
      `${(error as Error).message}\n${[...(await site.objects()).values()]
        .filter(({ state }) => !['ended', 'away', 'stopped'].includes(state))
        .map(({ key, state, reason, message }) => `${key} ${state} ${reason} ${message}`)
        .join('\n')}`,
    );
  });
}
