/**
 * Three portals behind nginx on one real PostgreSQL, under people who write and apps in use: round after round one portal is killed, stands
 * still or is cut off by packets that are dropped, or the database itself is started anew. No written edit is missing, no app is started
 * twice, nobody is signed out, and no portal that leads no more orders anything. `npm run test:long` has the full counts; `FC_SEED` repeats
 * a run.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomOf } from '../../schema/crdt/testing/random-edits.ts';
import { amount } from '../support/amount.ts';
import { tellCount } from '../support/counts.ts';
import { until } from '../support/portal.ts';
import { shareSeed } from '../support/share.ts';
import { actsOfDeposed, countedPackages, ordersOf, stepsBack, useApps, type Use } from './faults/apps.ts';
import { openEditors, type Editors } from './faults/editors.ts';
import { faults } from './faults/faults.ts';
import { figuresTable, type Round } from './faults/figures.ts';
import { watchOwners, type Watch } from './faults/watch.ts';
import { newFolder, newRoom, openFaultsWorld, startsOf, whenRunning, type FaultsWorld } from './faults/world.ts';

/** `SVC_FAULT_ROUNDS` for another number of them. */
const rounds = Number(process.env['SVC_FAULT_ROUNDS'] ?? amount(2, 100));
const writers = amount(16, 200);
const roomCount = amount(4, 50);
const appUsers = amount(3, 20);
/** Theirs are started anew in every round; those of the others once, at the beginning. */
const restlessCount = amount(1, 6);
const faultMs = amount(4_500, 10_000);
const people = Array.from({ length: appUsers }, (_, n) => `autora${n}`);
const restless = new Set(people.slice(0, restlessCount));

let world: FaultsWorld;
let watch: Watch;
let editors: Editors;
let use: Use;
/** Random numbers of their own: how often somebody asks for something does not change what follows. */
const [ofFaults, ofOrders] = [randomOf(shareSeed), randomOf(shareSeed + 1)];

beforeAll(async () => {
  const folder = await newFolder();
  world = await openFaultsWorld(folder, { people, packages: await countedPackages(folder), apps: ['caderno', 'notas'] });
  const [first] = world.portals;
  for (const person of people)
    await until(`notas of ${person}`, async () => (await first!.admin('POST', `/api/admin/backends/${person}/notas/start`)).status < 300);
  for (const person of people) await world.entry.asPage(person, 'GET', '/api/sessao');
  const salas: string[] = [];
  for (let n = 0; n < roomCount; n += 1) salas.push(await newRoom(world, people[0]!, `Sala ${n}`));
  for (const person of people) await whenRunning(world, person);
  watch = await watchOwners(world);
  editors = await openEditors({ entry: world.entry, people, salas, count: writers, everyMs: amount(100, 500) });
  use = await useApps(world, people, amount(250, 1_000));
}, 600_000);
afterAll(async () => {
  await watch?.stop();
  await world?.close();
}, 120_000);

let due: string[] = [];

/** The seed decides which faults follow each other, each kind as often as the others, and whom they hit: half of the time it is who leads. */
function next(): { readonly fault: string; readonly which: number } {
  if (due.length === 0) due = Object.keys(faults);
  const [fault = ''] = due.splice(ofFaults(due.length), 1);
  const [leads, any] = [ofFaults(2) === 0, ofFaults(3)];
  const leading = world.portals.findIndex(({ pid }) => pid === watch.leader().pid);
  return { fault, which: leads && leading >= 0 ? leading : any };
}

/** Somebody asks at any portal for a new start of each restless app, just before and in the fault; the portal may never receive it. */
function orderSome(): void {
  for (const person of restless) {
    const portal = world.portals[ofOrders(3)]!;
    portal.admin('POST', `/api/admin/backends/${person}/notas/restart`).catch(() => undefined);
  }
}

async function round(n: number): Promise<Round> {
  const { fault, which } = next();
  const what = `round ${n} (${fault}, portal ${which}, seed ${shareSeed})`;
  const beginMs = performance.now();
  const before = watch.leader();
  const isLeader = before.pid === world.portals[which]!.pid;
  const salas = watch.roomsOf(world.portals[which]!.pid);
  let struckMs = 0;
  orderSome();
  await faults[fault]!(
    world,
    which,
    () => {
      struckMs = Date.now();
      editors.fault();
      setTimeout(orderSome, 1_500);
    },
    faultMs,
  );
  const endMs = performance.now();
  await until(`edits again in ${what}`, () => [...editors.again().values()].every(({ whole }) => whole < Infinity), 120_000);
  editors.rest();
  await editors.whole(`all edits of ${what} in all documents`);
  const settledMs = performance.now() - endMs;
  const again = editors.again();
  await Promise.all(people.map((person) => whenRunning(world, person)));
  for (const person of people) {
    const { pids, twins } = await startsOf(world, person);
    expect([what, person, twins]).toEqual([what, person, 0]);
    expect([what, person, restless.has(person) ? 1 : pids.length]).toEqual([what, person, 1]);
    expect([what, person, (await world.entry.asPage(person, 'GET', '/api/sessao')).status]).toEqual([what, person, 200]);
  }
  const { number } = watch.leader();
  const heard = (await ordersOf(world)).find(({ leader, event }) => leader === number && event !== 'order-refused');
  editors.begin();
  return {
    fault,
    isChanged: number !== before.number,
    ledMs: isLeader && number !== before.number ? number - struckMs : null,
    actedMs: isLeader && number !== before.number && heard !== undefined ? heard.atMs - struckMs : null,
    rooms: salas.flatMap((sala) => again.get(sala) ?? []),
    settledMs,
    roundMs: performance.now() - beginMs,
  };
}

test('whatever falls, nothing that was written is missing, no app is started twice and nobody is signed out', async () => {
  const signIns = world.entry.signIns();
  const done: Round[] = [];
  editors.begin();
  try {
    for (let n = 0; n < rounds; n += 1) {
      const made = await round(n);
      done.push(made);
      // Prints the rounds of a run that is ended half-way, too.
      // oxlint-disable-next-line no-console
      console.log(`round ${n + 1} of ${rounds}: ${JSON.stringify({ ...made, rooms: made.rooms.length })}`);
    }
  } finally {
    tellFigures(done, await ordersOf(world));
  }
  editors.rest();
  await use.stop();
  await editors.leave();
  const orders = await ordersOf(world);
  expect(actsOfDeposed(orders, watch.numbers())).toEqual([]);
  expect(stepsBack(orders)).toEqual([]);
  expect(use.seen.signedOut).toBe(0);
  expect(world.entry.signIns()).toBe(signIns);
}, 7_200_000);

function tellFigures(done: readonly Round[], orders: Awaited<ReturnType<typeof ordersOf>>): void {
  const count = (event: string): number => orders.filter((order) => order.event === event).length;
  tellCount(
    `portals (seed ${shareSeed}): ${done.length} rounds of faults under ${writers} writing clients in ${roomCount} rooms, ${editors.edits()} edits; ` +
      `${appUsers} apps in use, answered ${use.seen.answered} times, not ${use.seen.failed} times, signed out ${use.seen.signedOut} times; ` +
      `${count('order')} orders carried out, ${count('order-refused')} refused, ${actsOfDeposed(orders, watch.numbers()).length} of a portal that led no more; ` +
      `${watch.numbers().length - 1} changes of hands`,
  );
  tellCount(figuresTable(done));
}
