/**
 * The two minutes of `encerrar` in real time, across the death of the portal (rules 3.3; decision 0025: they count from the moment the last
 * window closed, as an absolute time). Two portals side by side, since waiting is all that they do. `npm run test:long`.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../schema/limits.ts';
import { processesBelow, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { frameOf, openApp, signedIn, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

const long = process.env['SVC_TEST_LONG'] === '1';
let browser: Browser;

beforeAll(async () => {
  if (long) browser = await openBrowser();
});
afterAll(async () => await closePages(browser));

const runs = (portal: RunningPortal): boolean => processesBelow(portal.state).some(({ app }) => app === 'notas');

/** Opens Notas; answers how its person goes: the window closes, or the whole browser is gone. */
async function openNotas(portal: RunningPortal): Promise<{ closeWindow(): Promise<void>; leave(): Promise<void> }> {
  const { page } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  return {
    closeWindow: async () => {
      const told = page.waitForResponse(
        (response) =>
          response.url().endsWith('/api/apps/notas/janelas') && (response.request().postDataJSON() as { abertas: number }).abertas === 0,
      );
      await windowOf(page, 'Notas').getByRole('button', { name: 'Fechar' }).click();
      await told;
    },
    leave: async () => await page.context().close(),
  };
}

/** How long after that moment the app ended; it must not end before `graceMs`. */
async function endsAfter(portal: RunningPortal, fromMs: number): Promise<number> {
  await until('the end of the app', () => !runs(portal), limits.lastWindowGraceMs + 60_000);
  return performance.now() - fromMs;
}

test.runIf(long)(
  'the time goes on while the portal is dead, and begins at the restart for a window that was open when it died',
  async () => {
    const [closed, vanished] = await Promise.all([startPortal({ apps: ['notas'] }), startPortal({ apps: ['notas'] })]);
    try {
      const [one, other] = [await openNotas(closed), await openNotas(vanished)];
      await one.closeWindow();
      const closedAtMs = performance.now();
      await Promise.all([closed.kill(), vanished.kill()]);
      await other.leave();
      expect([runs(closed), runs(vanished)]).toEqual([true, true]);
      await Promise.all([closed.again(), vanished.again()]);
      const restartedAtMs = performance.now();
      const [first, second] = await Promise.all([endsAfter(closed, closedAtMs), endsAfter(vanished, restartedAtMs)]);
      // A window that was open counts as closed at some moment of the restart.
      expect(first).toBeGreaterThan(limits.lastWindowGraceMs - 1_000);
      expect(first).toBeLessThan(limits.lastWindowGraceMs + 15_000);
      expect(second).toBeGreaterThan(limits.lastWindowGraceMs - 15_000);
      expect(second).toBeLessThan(limits.lastWindowGraceMs + 15_000);
    } finally {
      await Promise.all([closed.stop(), vanished.stop()]);
    }
  },
  300_000,
);
