/** A server that is taken out of use, as a person at the desktop meets it: the strip over the page, the deadline while they work, a start that is refused. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { processesBelow, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { frameOf, openApp, signedIn, windowOf } from './support/browser.ts';
import { expectLooks } from './support/looks.ts';

let dir: string;
let portal: RunningPortal;
let browser: Browser;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svcd-'));
  const desired = await exampleDesired(dir, ['notas', 'relogio']);
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(dir, { recursive: true, force: true });
});

const drain = async (...more: readonly string[]): Promise<void> => {
  const { code, err } = await runSvc(dir, ['server', 'drain', 'casa', ...more, '--state', portal.state]);
  expect([code, err]).toEqual([0, '']);
};
const running = (id: string): number => processesBelow(portal.state).filter(({ app }) => app === id).length;

test('whoever works on a drained server is told, goes on until the deadline, and starts nothing there', { timeout: 480_000 }, async () => {
  const { page, problems } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  const notes = windowOf(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await drain();
  const strip = notes.locator('.strip');
  await strip.getByText('Notas para quando você o fechar').waitFor();
  for (const width of [1_280, 768, 320]) {
    await expectLooks(page, 'drain', width);
    const { left, right } = await strip.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
    expect(left >= 0 && right <= width).toBe(true);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });

  await openApp(page, 'Relógio');
  const panel = frameOf(page, 'Relógio');
  await panel.getByText('O servidor está saindo de uso').first().waitFor();
  expect(await panel.getByRole('button').allTextContents()).toEqual(['Tentar de novo']);
  expect(running('relogio')).toBe(0);

  await drain('--deadline', '1m');
  await strip.getByText(/Notas para até /).waitFor();
  expect(running('notas')).toBeGreaterThan(0);
  await until('the end of what is in use, at the deadline', () => running('notas') === 0, 120_000);
  await strip.getByText('O servidor está saindo de uso').waitFor();
  expect(await strip.getByRole('button').count()).toBe(0);

  await drain('--undo');
  await strip.getByRole('button', { name: 'Iniciar' }).click();
  await until('notas runs again', () => running('notas') > 0);
  await panel.getByRole('button', { name: 'Iniciar' }).waitFor();
  // Requests that the pages sent while their backends were not there.
  expect(problems.filter((problem) => !/50[23]/.test(problem))).toEqual([]);
});
