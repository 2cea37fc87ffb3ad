/**
 * A seeded walk over the desktop as it is shipped, by mouse, keys and touch, with reloads, restarts of the portal and losses of the network. After each act
 * the invariants hold; in the end nothing that was typed is lost. A walk that fails is made shorter until each act that is left is needed.
 * usage: node test/journeys/monkey.ts SEED [ACTS] [--whole]
 */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/chromium.ts';
import { lastingBreaches } from './invariants.ts';
import { lookAtShell } from './look-at-shell.ts';
import { goOnline, nameOfAct, runAct, startAgain, walkOf, type Act } from './monkey-acts.ts';
import { lostOf } from './monkey-typing.ts';
import { monkeyAt, type Monkey, type MonkeyWorld } from './monkey-world.ts';
import { startShipped } from './shipped-portal.ts';
import { shippedTree } from './shipped-tree.ts';
import { isStillOpen } from './still-open.ts';
import { layOutFiles } from './window-acts.ts';

export interface Failure {
  /** The acts up to the one that failed. */
  readonly acts: readonly Act[];
  readonly lines: readonly string[];
}

/** null: everything held. */
export async function walk(
  world: MonkeyWorld,
  seed: number,
  acts: readonly Act[],
  told: (line: string) => void = () => {},
): Promise<Failure | null> {
  const monkey = await monkeyAt(world, seed);
  try {
    for (const [index, act] of acts.entries()) {
      const startMs = performance.now();
      const lines = (await linesAfter(monkey, act)).filter((line) => !isStillOpen(`act: ${line}`));
      told(`${index} ${nameOfAct(act)} ${Math.round(performance.now() - startMs)} ms`);
      if (lines.length > 0) return { acts: acts.slice(0, index + 1), lines };
    }
    const lines = await atTheEnd(world, monkey);
    return lines.length > 0 ? { acts, lines } : null;
  } finally {
    if (!monkey.isUp) await world.portal.again();
    await monkey.page.context().close();
  }
}

async function linesAfter(monkey: Monkey, act: Act): Promise<readonly string[]> {
  try {
    await runAct(monkey, act);
    const lines = [...(await lastingBreaches(monkey.page, monkey.focus)).found, ...monkey.takeProblems()];
    return lines.length > 0 ? [...lines, await whereIs(monkey)] : [];
  } catch (error) {
    return [`act: ${String(error).split('\n').slice(0, 12).join(' ')}`, await whereIs(monkey)];
  }
}

/** The shown page and the portal's log, for somebody who was not there. */
async function whereIs({ page, pressed, portal }: Monkey): Promise<string> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 2_000 })
    .catch((error: unknown) => String(error));
  // The last one is in front.
  const { windows } = await page.evaluate(lookAtShell).catch(() => ({ windows: [] as readonly string[] }));
  const said = portal.output().trimEnd().split('\n').slice(-12).join('\n  ');
  return `pressed ${pressed}; windows ${windows.join(', ')}; at ${page.url()}: ${shown.replaceAll(/\s+/g, ' ').slice(0, 1_500)}
panels: ${(await panelsOf(page)).join('; ')}
the portal's last lines:
  ${said}`;
}

/** The technical detail of each error panel that stands in the window of an app. */
async function panelsOf(page: Page): Promise<readonly string[]> {
  const details = page.frames().map(async (frame) => {
    const text = await frame
      .locator('body.panel #detalhe')
      .textContent({ timeout: 500 })
      .catch(() => '');
    return text === null || text === '' ? [] : [`${frame.url()}: ${text.replaceAll(/\s+/g, ' ').trim()}`];
  });
  return (await Promise.all(details)).flat();
}

async function atTheEnd(world: MonkeyWorld, monkey: Monkey): Promise<readonly string[]> {
  try {
    await goOnline(monkey);
    await startAgain(monkey);
    return await lostOf(world, monkey);
  } catch (error) {
    return [`end: ${String(error).split('\n').slice(0, 12).join(' ')}`, await whereIs(monkey)];
  }
}

/** Kind of a breach: a shorter walk must fail in the same way. */
const kindOf = ({ lines }: Failure): string => /^[^:]*/.exec(lines[0] ?? '')?.[0] ?? '';

/** Leaves out ever smaller parts as long as the walk still fails in the same way, within a number of tries. */
export async function shrink(
  world: MonkeyWorld,
  seed: number,
  failure: Failure,
  triesMax = 40,
  told: (line: string) => void = () => {},
): Promise<Failure> {
  let best = failure;
  let tries = 0;
  for (let part = Math.ceil(best.acts.length / 2); part >= 1 && tries < triesMax; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let from = 0; from < best.acts.length - 1 && tries < triesMax;) {
      tries += 1;
      const kept = best.acts.filter((_, index) => index < from || index >= from + part || index === best.acts.length - 1);
      const again = await walk(world, seed, kept);
      if (again !== null && kindOf(again) === kindOf(failure)) best = again;
      else from += part;
      told(`${tries}: ${best.acts.length} acts`);
    }
  }
  return best;
}

export const wordsOf = (seed: number, { acts, lines }: Failure): string =>
  [`seed ${seed} fails after ${acts.length} acts:`, ...acts.map((act) => `  ${nameOfAct(act)}`), ...lines.map((line) => `→ ${line}`)].join(
    '\n',
  );

/** `tree`: what was unpacked. */
export async function monkeyWorld(tree: string): Promise<MonkeyWorld & { readonly stop: () => Promise<void> }> {
  const [portal, browser] = await Promise.all([startShipped(tree), launchBrowser()]);
  await layOutFiles(portal);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(portal.link);
  for (const name of ['Caderno', 'Leitor', 'Moinho', 'Vitrine'])
    await page.locator('svc-home .tile').filter({ hasText: name }).first().waitFor({ timeout: 120_000 });
  const signedIn = await context.storageState();
  await context.close();
  return {
    portal,
    browser,
    signedIn,
    stop: async () => {
      await browser.close();
      await portal.stop();
    },
  };
}

/** From the command line: one seed, or those of a range. */
async function main([range = '1', count = '400']: readonly string[], isWhole: boolean): Promise<void> {
  const [first = 1, last = first] = range.split('-').map(Number);
  const world = await monkeyWorld(await shippedTree());
  try {
    for (let seed = first; seed <= last; seed += 1) {
      const startMs = performance.now();
      const failure = await walk(world, seed, walkOf(seed, Number(count)), first === last ? console.log : undefined);
      const seconds = Math.round((performance.now() - startMs) / 1_000);
      console.log(
        failure === null
          ? `seed ${seed}: ${count} acts in ${seconds} s`
          : wordsOf(seed, isWhole ? failure : await shrink(world, seed, failure, 40, console.log)),
      );
      if (failure !== null) process.exitCode = 1;
    }
  } finally {
    await world.stop();
  }
}

if (path.resolve(process.argv[1] ?? '') === import.meta.filename)
  await main(
    process.argv.slice(2).filter((each) => !each.startsWith('--')),
    process.argv.includes('--whole'),
  );
