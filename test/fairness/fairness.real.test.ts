/** Whatever one person does, another one works on: the table of attacks (attacks/all.ts), each against a real portal. Needs root. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from '../../api/testing/portal-world.ts';
import { shareSeed } from '../support/share.ts';
import { attacks } from './attacks/all.ts';
import { measure, residentMb, type Figures } from './measure.ts';
import { fairnessPage, pagePath, rowOf } from './page.ts';
import { createVictim, type Victim } from './victim.ts';
import { createFairnessWorld, type FairnessWorld } from './world.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
const seconds = isLong ? 10 : 2;
const only = process.env['SVC_FAIRNESS'];
/** Four, other ones each time; FC_SEED repeats them. */
const some = isLong || only !== undefined ? attacks : attacks.filter((_, at) => (at * 7 + shareSeed) % attacks.length < 4);
const chosen = some.filter(({ name }) => only === undefined || new RegExp(only).test(name));

/** Time that the portal's loop may work while somebody waits for it: no matter what else the machine does. */
const loopMsMax = 250;
/** Time that an act may take: where the machine does much else, the work alone is slow, too. */
const p99MsMax = isLong ? 250 : 1_000;
const timesAloneMax = 6;
const aloneSeconds = isLong ? 3 : 0.8;
const grownMbMax = 150;
/** After all of them, within a minute: docs/decisions/0373-memory-goes-back.md */
const leftMbMax = isLong ? 300 : 150;
const backMsMax = 60_000;
const logLinesMax = 100;

let world: FairnessWorld;
let victim: Victim;
/** The work alone, right before each attack and after the last one: on a machine with others to serve it is slow at times, too. */
const alone: Figures[] = [];
let restingMb: number;
const found = new Map<string, Figures>();

beforeAll(async () => {
  world = await createFairnessWorld();
  victim = await createVictim(world);
  await victim.workFor(1_500);
  alone.push(await measure(world, victim, null, aloneSeconds));
  restingMb = residentMb(world.portal.pid);
}, 180_000);

afterAll(async () => {
  victim?.end();
  await world?.stop();
  if (isLong && found.size === attacks.length) writeFileSync(pagePath, fairnessPage(alone[0]!, found, seconds));
}, 120_000);

test.for(chosen)('$name: the other one works on', async ({ name }) => {
  const figures = await measure(world, victim, name, seconds);
  // Copies of thousands of files and programs in terminals would be a part of each attack that follows.
  await endAll(world.attacker.browser);
  alone.push(await measure(world, victim, null, aloneSeconds));
  found.set(name, figures);
  const aloneMs = Math.max(...alone.slice(-2).map(({ p99Ms }) => p99Ms));
  console.log(`${rowOf(name, figures)} ${aloneMs.toFixed(0)}`);
  expect(figures.errors).toEqual([]);
  expect(figures.loopP99Ms).toBeLessThan(loopMsMax);
  expect(figures.p99Ms).toBeLessThan(Math.max(p99MsMax, timesAloneMax * aloneMs));
  expect(figures.grownMb).toBeLessThan(grownMbMax);
  expect(figures.logLines).toBeLessThanOrEqual(logLinesMax);
});

/** Copies, and programs in terminals, go on until somebody ends them. Whoever asked for too much waits a little first. */
async function endAll({ call }: Browser): Promise<void> {
  for (const [path, name] of [
    ['/api/arquivos/operacoes', 'operacoes'],
    ['/api/terminais', 'terminais'],
  ] as const) {
    await expect.poll(async () => (await call('GET', path)).status).toBe(200);
    const found = (await call('GET', path)).json() as Record<typeof name, readonly { id: string }[]>;
    for (const { id } of found[name]) await expect.poll(async () => (await call('DELETE', `${path}/${id}`)).status).not.toBe(429);
  }
}

test('afterwards the portal is as small as before', async () => {
  await endAll(world.attacker.browser);
  await expect.poll(() => residentMb(world.portal.pid), { timeout: backMsMax }).toBeLessThan(restingMb + leftMbMax);
});
