/**
 * A person with a mouse, on a phone, with the keyboard alone, and a monkey use all of the desktop as it is shipped. After each act the same
 * must hold (invariants.ts). A single portal and Chromium for all of them.
 * @module-tag carries-state
 */
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { amount } from '../support/amount.ts';
import { launchBrowser } from '../support/chromium.ts';
import { tellCount } from '../support/counts.ts';
import { everyNth } from '../support/share.ts';
import { keptSeeds } from './kept-seeds.ts';
import { keyboardJourney } from './keyboard.ts';
import { shrink, walk, wordsOf } from './monkey.ts';
import { walkOf } from './monkey-acts.ts';
import { mouseJourney } from './mouse.ts';
import { arrive, fingers, type Person } from './person.ts';
import { phoneJourney } from './phone.ts';
import { restartJourney } from './restart.ts';
import { fronts, type Front } from './fronts.ts';
import { startShipped, type ShippedPortal } from './shipped-portal.ts';
import { packMsMax, shippedTree } from './shipped-tree.ts';
import { isStillOpen } from './still-open.ts';
import { layOutFiles } from './window-acts.ts';

let portal: ShippedPortal;
let browser: Browser;
/** The printed link works once: the others come with the cookies of the first. */
let signedIn: Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** Each is many acts, and axe checks every window. */
const journeyMsMax = 1_800_000;

/** Resolves to the breaches of what must hold. */
async function journey(name: string, options: BrowserContextOptions, go: (person: Person) => Promise<void>): Promise<readonly string[]> {
  const startMs = performance.now();
  const person = await arrive(browser, portal.address, { ...options, storageState: signedIn, ignoreHTTPSErrors: true });
  try {
    await go(person);
  } finally {
    await person.page.context().close();
    tellCount(`journey ${name}: ${person.acts()} acts in ${Math.round((performance.now() - startMs) / 1_000)} s`);
  }
  return person.found.filter((line) => !isStillOpen(line));
}

const journeys = {
  'a person with a mouse': async () => await journey('with a mouse', {}, async (person) => await mouseJourney(person, portal)),
  'a person on a phone': async () =>
    await journey(
      'on a phone',
      { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
      async (person) => await phoneJourney(person, await fingers(person.page)),
    ),
  'a person with the keyboard alone': async () => await journey('with the keyboard alone', {}, keyboardJourney),
  'a person while the portal ends and starts again': async () =>
    await journey('through a restart', {}, async (person) => await restartJourney(person, portal)),
} as const;
type Name = keyof typeof journeys;
const names = Object.keys(journeys) as readonly Name[];

/** Each proxy gets what the others don't, one of the last two by the seed, and in the long run all of them. `SVC_JOURNEY_FRONT=NAME,…`: all of them behind these proxies only. */
const only = process.env['SVC_JOURNEY_FRONT']?.split(',');
const isLong = process.env['SVC_TEST_LONG'] === '1';
const restarts = everyNth(2, ['apache', 'haproxy'] as const);
const shares: Readonly<Partial<Record<Front, readonly Name[]>>> = {
  nginx: ['a person on a phone'],
  caddy: ['a person with the keyboard alone'],
  ...Object.fromEntries(restarts.map((front) => [front, ['a person while the portal ends and starts again']])),
};
const shareOf = (front: Front): readonly Name[] => {
  if (only !== undefined) return only.includes(front) ? names : [];
  return isLong ? names : (shares[front] ?? []);
};

async function signIn(): Promise<void> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(portal.link);
  await page.locator('svc-home').waitFor();
  signedIn = await context.storageState();
  await context.close();
}

describe('journeys of a person', () => {
  beforeAll(async () => {
    [portal, browser] = await Promise.all([shippedTree().then(startShipped), launchBrowser('shell', ['--ignore-certificate-errors'])]);
    await layOutFiles(portal);
    await signIn();
  }, packMsMax);
  afterAll(async () => {
    await browser?.close();
    await portal?.stop();
  });

  test.for(only === undefined ? names.filter((name) => isLong || !Object.values(shares).flat().includes(name)) : [])(
    '%s',
    { timeout: journeyMsMax },
    async (name) => expect(await journeys[name]()).toEqual([]),
  );

  /** A walk that once failed, and one that is known to pass, whose failure is news; the long run goes over all and over many. */
  const seeds = isLong ? Array.from({ length: 100 }, (_, n) => n + 1) : [51];
  const actsPerSeed = amount(60, 400);
  const walks =
    only === undefined
      ? [...everyNth(keptSeeds.length, keptSeeds), ...seeds.map((seed) => ({ seed, acts: walkOf(seed, actsPerSeed) }))]
      : [];

  test.for(walks)('a monkey, seed $seed', { timeout: 1_800_000 }, async ({ seed, acts }) => {
    const startMs = performance.now();
    const world = { portal, browser, signedIn };
    const failure = await walk(world, seed, acts);
    tellCount(`monkey, seed ${seed}: ${acts.length} acts in ${Math.round((performance.now() - startMs) / 1_000)} s`);
    expect(failure === null ? '' : wordsOf(seed, await shrink(world, seed, failure, 20))).toBe('');
  });

  describe.each(fronts.filter((front) => shareOf(front).length > 0))('behind %s', (front) => {
    beforeAll(async () => {
      const { address } = portal;
      await portal.behind(front);
      if (portal.address !== address) await signIn();
    });

    test.for(shareOf(front))('%s', { timeout: journeyMsMax }, async (name) => expect(await journeys[name]()).toEqual([]));
  });
});
