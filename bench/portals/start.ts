/** A start and a resync of one portal with 10,000 people and ten apps, its store in PostgreSQL against SQLite: the first start, starts over what is there, rest. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPortal, until, type RunningPortal } from '../../test/support/portal.ts';
import type { TestPostgres } from '../../test/support/postgres.ts';
import { packagesIn } from '../many/measure.ts';
import { writeManyWorld } from '../many/world.ts';
import { after, cpuSeconds, storeSeconds } from '../peers/rooms-measure.ts';
import { pssMib } from '../pss.ts';
import { median, type Row } from '../rows.ts';

const stores = ['PostgreSQL', 'SQLite'] as const;
type StoreName = (typeof stores)[number];

interface Start {
  readonly listenS: number;
  /** Until all packages are reported as installed, as well. */
  readonly readyS: number;
  readonly cpuS: number;
  readonly databaseS: number;
}

interface World {
  readonly folder: string;
  readonly first: Start;
  readonly again: Start[];
  readonly portal: RunningPortal;
}

const looksMsMax = 25;

/** `begin` answers when the portal listens. */
async function timed(begin: () => Promise<RunningPortal>, store: number): Promise<Start & { readonly portal: RunningPortal }> {
  const [fromMs, before] = [performance.now(), storeSeconds(store)];
  const since = (): number => (performance.now() - fromMs) / 1_000;
  const portal = await begin();
  const listenS = since();
  await until('ten packages installed', () => packagesIn(portal), 300_000, looksMsMax);
  return { listenS, readyS: since(), cpuS: cpuSeconds(portal.pid), databaseS: storeSeconds(store) - before, portal };
}

async function specOf(name: StoreName, database: TestPostgres, folder: string): Promise<object> {
  if (name === 'SQLite') return {};
  const place = await database.database();
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  return { store: place.name, storePassword: { file: join(folder, 'password') } };
}

async function firstStart(name: StoreName, people: number, database: TestPostgres): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  const { desired } = writeManyWorld(folder, people, await specOf(name, database, folder));
  const start = (): Promise<RunningPortal> => startPortal({ desired, state: join(folder, 's'), listenMsMax: 300_000 });
  const { portal, ...first } = await timed(start, database.pid());
  return { folder, first, again: [], portal };
}

/** Each rests: CPU of a round, which is one resync in ten seconds. */
async function rounds(
  portal: RunningPortal,
  database: TestPostgres,
  seconds: number,
): Promise<{ readonly own: number; readonly database: number }> {
  const before = [cpuSeconds(portal.pid), storeSeconds(database.pid())] as const;
  await after(seconds * 1_000);
  const each = seconds / 10;
  return { own: (cpuSeconds(portal.pid) - before[0]) / each, database: (storeSeconds(database.pid()) - before[1]) / each };
}

async function untilCalm(portal: RunningPortal): Promise<void> {
  for (let n = 0; n < 12; n += 1) {
    const before = cpuSeconds(portal.pid);
    await after(3_000);
    if (cpuSeconds(portal.pid) - before < 0.3) return;
  }
}

type Rest = Awaited<ReturnType<typeof rounds>> & { readonly pss: number };

export async function startRows({
  database,
  short,
}: {
  readonly database: TestPostgres;
  readonly short: boolean;
}): Promise<readonly Row[]> {
  const people = short ? 1_000 : 10_000;
  const worlds = new Map<StoreName, World>();
  const rests = new Map<StoreName, Rest>();
  try {
    for (const name of stores) {
      worlds.set(name, await firstStart(name, people, database));
      await untilCalm(worlds.get(name)!.portal);
      await worlds.get(name)!.portal.kill();
    }
    for (let n = 0; n < (short ? 1 : 3); n += 1) {
      for (const name of n % 2 === 0 ? stores : stores.toReversed()) await startAgain(worlds.get(name)!, database);
    }
    for (const name of stores) await worlds.get(name)!.portal.again();
    // Both at once, so that what drifts on the machine hits both.
    const rest = async (name: StoreName): Promise<void> => {
      const { portal } = worlds.get(name)!;
      const cost = await rounds(portal, database, short ? 10 : 30);
      rests.set(name, { ...cost, pss: pssMib([portal.pid]) });
    };
    for (const name of stores) await untilCalm(worlds.get(name)!.portal);
    await Promise.all(stores.map(rest));
    for (const [name, { first, again }] of worlds)
      console.error(`bench: portals start ${name} ${JSON.stringify({ first, again, rest: rests.get(name) })}`);
    return rowsOf(people, worlds, rests);
  } finally {
    for (const { portal, folder } of worlds.values()) {
      await portal.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function startAgain({ portal, again }: World, database: TestPostgres): Promise<void> {
  const { portal: _same, ...start } = await timed(async () => {
    await portal.again();
    return portal;
  }, database.pid());
  again.push(start);
  await portal.kill();
}

function rowsOf(people: number, worlds: ReadonlyMap<StoreName, World>, rests: ReadonlyMap<StoreName, Rest>): readonly Row[] {
  const who = `${people.toLocaleString('en')} people × 10 apps`;
  const row = (what: string, figure: (name: StoreName) => number, unit: string, most: number): Row => {
    const [ours, peer] = [figure('PostgreSQL'), figure('SQLite')];
    const show = (value: number): string => `${value.toFixed(unit === 's' ? 2 : 0)} ${unit}`;
    return {
      name: `${who}: ${what}`,
      ours: show(ours),
      peer: `${show(peer)} with SQLite`,
      ratio: `${(ours / peer).toFixed(2)}×`,
      target: `≤ ${most}×`,
      held: ours <= most * peer,
    };
  };
  const first = (figure: keyof Start) => (name: StoreName) => worlds.get(name)!.first[figure];
  const again = (figure: keyof Start) => (name: StoreName) => median(worlds.get(name)!.again.map((start) => start[figure]));
  const rest = (figure: keyof Rest) => (name: StoreName) => rests.get(name)![figure];
  const database = worlds.get('PostgreSQL')!;
  const databaseS = [database.first.databaseS, median(database.again.map((start) => start.databaseS)), rests.get('PostgreSQL')!.database];
  const [firstS = 0, againS = 0, restS = 0] = databaseS;
  return [
    row('first start until it answers', first('listenS'), 's', 1.5),
    row('… until ten packages are installed', first('readyS'), 's', 1.5),
    row(`… CPU of the portal until then (and ${firstS.toFixed(2)} s of PostgreSQL)`, first('cpuS'), 's', 1.5),
    row('a start over what is there until it answers, median', again('listenS'), 's', 1.5),
    row('… until it knows the packages', again('readyS'), 's', 1.5),
    row(`… CPU of the portal until then (and ${againS.toFixed(2)} s of PostgreSQL)`, again('cpuS'), 's', 1.5),
    row(
      `one resync at rest, CPU of the portal (and ${(restS * 1_000).toFixed(0)} ms of PostgreSQL)`,
      (name) => rest('own')(name) * 1_000,
      'ms',
      1.5,
    ),
    row('PSS at rest', rest('pss'), 'MiB', 1.2),
  ];
}
