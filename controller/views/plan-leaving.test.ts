/** A plan for a folder that loses documents is what then happens, in that order and for that reason. */
import { array, assert, asyncProperty, boolean, record, subarray, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { alive } from '../../reconcilers/backend-fixtures.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { packagesInMemory } from '../hosts/testing/memory-host.ts';
import { memorySupervisors, type MemorySupervisors } from '../hosts/testing/memory-supervisors.ts';
import { amount } from '../../test/support/amount.ts';
import { doc, playRemoval, type Change, type Removal } from './testing/removal.ts';

const apps = ['app0', 'app1', 'app2'] as const;

interface Goer {
  readonly living: readonly string[];
  readonly isUp: boolean;
  readonly goes: boolean;
}

const person = (name: string, server = 'casa'): string => doc('Person', name, { nome: name, login: name, server, account: name });
const local = (name: string): string => doc('Server', name, { local: { prefix: name, trusted: true } });

/** People who stay. */
const stay = Array.from({ length: 3 }, (_unused, n) => `fica${n}`);

function serverOf(people: readonly (readonly [name: string, goer: Omit<Goer, 'goes'>])[]): MemorySupervisors {
  const server = memorySupervisors(packagesInMemory(apps.length), alive);
  for (const [name, { living, isUp }] of people) {
    server.living.set(name, new Map(living.map((app) => [app, 'Healthy'])));
    if (isUp) server.up.add(name);
  }
  return server;
}

interface Seen {
  readonly planned: readonly (readonly string[])[];
  readonly done: readonly (readonly string[])[];
  /** Reasons that the events of who went name, after the removal. */
  readonly reasons: ReadonlySet<string>;
  readonly planReasons: ReadonlySet<string>;
}

/** Acts by owner: those of different people and packages happen side by side. */
function byOwner(changes: readonly Change[]): readonly (readonly string[])[] {
  const of = new Map<string, string[]>();
  for (const { key, action, detail } of changes) {
    const owner = key.split('/')[1] ?? '';
    const line = `${action} ${key} ${detail}`;
    const lines = of.get(owner) ?? [];
    // An order that was not carried out yet is given again.
    if (!lines.includes(line)) of.set(owner, [...lines, line]);
  }
  return [...of].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lines]) => lines);
}

async function remove(goers: readonly Goer[]): Promise<Seen> {
  const names = goers.map((_unused, n) => `vai${n}`);
  const kept = names.filter((_unused, n) => goers[n]?.goes !== true);
  const folderOf = (people: readonly string[]) => [local('casa'), ...[...stay, ...people].map((name) => person(name))];
  const server = serverOf(goers.map((goer, n) => [`vai${n}`, goer]));
  const { planned, done, events } = await playRemoval(folderOf(names), folderOf(kept), new Map([['casa', server]]));
  const isGoers = ({ key }: { readonly key: string }): boolean => names.some((name) => !kept.includes(name) && key.split('/')[1] === name);
  return {
    planned: byOwner(planned),
    done: byOwner(done.filter(isGoers)),
    reasons: new Set(events.filter(isGoers).map(({ reason }) => reason)),
    planReasons: new Set(planned.map(({ reason = '' }) => reason)),
  };
}

test('a person with two running apps: signed out, apps ended, supervisor ended, forgotten; nothing else is blamed', async () => {
  const { planned, done, reasons, planReasons } = await remove([{ living: ['app0', 'app2'], isUp: true, goes: true }]);
  expect(planned).toEqual([
    [
      'person/sign-out Person/vai0 sessions and rooms',
      'backend/stop Backend/vai0/app0 PersonRemoved',
      'backend/stop Backend/vai0/app2 PersonRemoved',
      'supervisor/end Supervisor/vai0 ',
      'person/forget Person/vai0 none of their apps runs',
    ],
  ]);
  expect(done).toEqual(planned);
  expect([...planReasons]).toEqual(['PersonRemoved']);
  expect([...reasons]).toEqual(['PersonRemoved']);
});

test('the acts of the plan are the acts of the loop, whoever goes and whatever runs there', { timeout: 120_000 }, async () => {
  await assert(
    asyncProperty(
      array(record({ living: subarray([...apps]), isUp: boolean(), goes: boolean() }), { minLength: 1, maxLength: 4 }),
      async (drawn) => {
        // Apps that live beside an absent supervisor are known by observing only, which a plan does not do: a note says so.
        const goers = drawn.map((goer) => (goer.isUp ? goer : { ...goer, living: [] }));
        const { planned, done, reasons } = await remove(goers);
        expect(done).toEqual(planned);
        expect([...reasons].filter((reason) => reason === 'SupervisorLost' || reason === 'HashChanged')).toEqual([]);
      },
    ),
    { numRuns: amount(10, 100) },
  );
});

/** A folder, and which of its documents go; what depends on them goes with them. */
interface Folder {
  /** Whether the package of that app goes. */
  readonly packages: readonly boolean[];
  readonly people: readonly (Goer & { readonly own: 'none' | 'stays' | 'goes' })[];
  readonly grants: readonly { readonly app: number; readonly goes: boolean; readonly who: readonly string[] }[];
  readonly away: { readonly goes: boolean; readonly living: readonly string[] };
}

function own(account: string): InstalledPackage {
  const [one] = packagesInMemory(1);
  if (one === undefined) throw new Error('no package');
  const app = `de-${account}`;
  return { ...one, app, scope: 'pessoa', manifest: { ...one.manifest, id: app } };
}

async function play({ packages, people, grants, away }: Folder): Promise<Removal> {
  const casa = serverOf([
    ...people.map((goer, n) => [`vai${n}`, goer] as const),
    ...stay.map((name, n) => [name, { living: [apps[n] ?? ''], isUp: true }] as const),
  ]);
  const fora = serverOf([['longe', { living: away.living, isUp: true }]]);
  const before: string[] = [];
  const after: string[] = [];
  const write = (goes: boolean, document: string, changed = document): void => {
    before.push(document);
    if (!goes) after.push(changed);
  };
  write(false, local('casa'));
  write(away.goes, local('fora'));
  write(away.goes, person('longe', 'fora'));
  write(away.goes, doc('Package', 'fora-app0', { app: 'app0', versao: '1.0.0', server: 'fora' }));
  for (const name of stay) write(false, person(name));
  packages.forEach((goes, n) => write(goes, doc('Package', `pacote${n}`, { app: `app${n}`, versao: '1.0.0', server: 'casa' })));
  people.forEach(({ goes, own: package_, isUp }, n) => {
    const name = `vai${n}`;
    write(goes, person(name));
    if (package_ === 'none') return;
    const spec = { app: `de-${name}`, versao: '1.0.0', server: 'casa', instalacao: 'pessoa', pessoa: name };
    casa.own.set(name, [own(name)]);
    if (isUp) casa.living.get(name)?.set(`de-${name}`, 'Healthy');
    write(goes || package_ === 'goes', doc('Package', `de-${name}`, spec));
  });
  const isGone = (name: string): boolean => people[Number(name.slice(3))]?.goes === true && name.startsWith('vai');
  grants.forEach(({ app, goes, who }, n) => {
    const known = who.filter((name) => name.startsWith('fica') || Number(name.slice(3)) < people.length);
    const spec = (names: readonly string[]) => ({
      app: `app${app}`,
      sala: `Sala ${n}`,
      dona: 'fica0',
      pessoas: names.map((usuario) => ({ usuario, papel: 'ver' })),
    });
    write(
      goes || packages[app] === true,
      doc('Grant', `acesso${n}`, spec(known)),
      doc('Grant', `acesso${n}`, spec(known.filter((name) => !isGone(name)))),
    );
  });
  return await playRemoval(
    before,
    after,
    new Map([
      ['casa', casa],
      ['fora', fora],
    ]),
  );
}

/** By object that leaves; the apps of those who stay end in any order. */
function byLeaver(changes: readonly Change[]): readonly (readonly string[])[] {
  const isStayers = ({ key }: Change): boolean => key.startsWith('Backend/fica');
  return [
    ...byOwner(changes.filter((change) => !isStayers(change))),
    changes
      .filter(isStayers)
      .map(({ key, action, detail }) => `${action} ${key} ${detail}`)
      .sort(),
  ];
}

/** Returns the changes that come too late: each removal comes after the stops that it waits for, and a server goes after everything on it. */
function outOfOrder(changes: readonly Change[]): readonly Change[] {
  return changes.flatMap(({ action, key, detail }, at) => {
    const later = changes.slice(at + 1);
    if (key === 'Server/fora') return later.filter((one) => /longe|fora/.test(`${one.key} ${one.detail}`));
    if (action !== 'package/remove') return [];
    const app = key.replace('Package/pacote', 'app').replace('Package/', '').replace('fora-app0', 'app0');
    const isThere = (one: Change): boolean => one.key.startsWith('Backend/longe/') === detail.includes('on fora');
    return later.filter((one) => one.action === 'backend/stop' && isThere(one) && one.key.endsWith(`/${app}`));
  });
}

const folder = record({
  packages: array(boolean(), { minLength: apps.length, maxLength: apps.length }),
  people: array(
    tuple(subarray([...apps]), boolean(), boolean(), subarray(['none', 'stays', 'goes'] as const, { minLength: 1, maxLength: 1 })),
    { maxLength: 3 },
  ),
  grants: array(
    record({
      app: subarray([0, 1, 2], { minLength: 1, maxLength: 1 }),
      goes: boolean(),
      who: subarray(['fica1', 'fica2', 'vai0', 'vai1']),
    }),
    {
      maxLength: 3,
    },
  ),
  away: record({ goes: boolean(), living: subarray([...apps]) }),
});

test('the acts of the plan are the acts of the loop, whatever goes from the folder', { timeout: 240_000 }, async () => {
  const total = { acts: 0 };
  await assert(
    asyncProperty(folder, async ({ packages, people, grants, away }) => {
      const { planned, done, events } = await play({
        packages,
        people: people.map(([living, isUp, goes, [own = 'none']]) => ({ living: isUp ? living : [], isUp, goes, own })),
        grants: grants.map(({ app: [app = 0], goes, who }) => ({ app, goes, who })),
        away,
      });
      expect(byLeaver(done)).toEqual(byLeaver(planned));
      expect([outOfOrder(planned), outOfOrder(done)]).toEqual([[], []]);
      total.acts += planned.length;
      // Each act's reason is in an event of that object, and none blames what did not happen.
      const told = new Set(events.map(({ key, reason }) => `${key} ${reason}`));
      const reasons = planned.flatMap(({ key, reason }) => (reason === undefined ? [] : [`${key} ${reason}`]));
      expect(reasons.filter((line) => !told.has(line))).toEqual([]);
      expect(events.filter(({ reason }) => reason === 'SupervisorLost' || reason === 'HashChanged')).toEqual([]);
    }),
    { numRuns: amount(15, 150, 4) },
  );
  expect(total.acts).toBeGreaterThan(amount(30));
});
