/** Whatever one person does, another one works on: the table of attacks (attacks/all.ts), each against a real portal. Needs root. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { shareSeed } from '../support/share.ts';
import { attacks } from './attacks/all.ts';
import { measure, residentMb, type Figures } from './measure.ts';
import { fairnessPage, pagePath } from './page.ts';
import { createVictim, type Victim } from './victim.ts';
import { createFairnessWorld, type FairnessWorld } from './world.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
const seconds = isLong ? 10 : 2.5;
const only = process.env['SVC_FAIRNESS'];
/** A dozen, other ones each time; FC_SEED repeats them. */
const some = isLong || only !== undefined ? attacks : attacks.filter((_, at) => (at * 7 + shareSeed) % attacks.length < 12);
const chosen = some.filter(({ name }) => only === undefined || name.includes(only));

const p99MsMax = 250;
/** Where the machine has others to serve as well, the work alone is slow, too. */
const timesAloneMax = 4;
const grownMbMax = 150;
const logLinesMax = 100;

let world: FairnessWorld;
let victim: Victim;
let alone: Figures;
let restingMb: number;
const found = new Map<string, Figures>();

beforeAll(async () => {
  world = await createFairnessWorld();
  victim = await createVictim(world);
  await victim.workFor(1_500);
  alone = await measure(world, victim, null, seconds);
  restingMb = residentMb(world.portal.pid);
}, 180_000);

afterAll(async () => {
  victim?.end();
  await world?.stop();
  if (isLong && found.size === attacks.length) writeFileSync(pagePath, fairnessPage(alone, found));
}, 120_000);

test.for(chosen)('$name: the other one works on', async ({ name }) => {
  const figures = await measure(world, victim, name, seconds);
  found.set(name, figures);
  console.log(`${name}: ${JSON.stringify({ ...figures, errors: figures.errors.slice(0, 3) })}`);
  expect(figures.errors).toEqual([]);
  expect(figures.p99Ms).toBeLessThan(Math.max(p99MsMax, timesAloneMax * alone.p99Ms));
  expect(figures.grownMb).toBeLessThan(grownMbMax);
  expect(figures.logLines).toBeLessThanOrEqual(logLinesMax);
});

test('afterwards the portal is as small as before', async () => {
  await until('the memory to be given back', () => residentMb(world.portal.pid) < restingMb + grownMbMax, 60_000);
});
