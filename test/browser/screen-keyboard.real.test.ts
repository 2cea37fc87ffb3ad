/**
 * A keyboard on the screen of a phone, as browsers do it: the page is made smaller, or covered. The focused field and its actions stay in
 * sight.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boxOf, dialogOf, openApp, useDesk, windowOf } from './support/browser.ts';
import { pictured } from './support/looks.ts';
import { openFileOn } from './support/open-file.ts';
import { touchScreen } from './support/touch.ts';

let page: Page;
let problems: readonly string[];
useDesk((made) => ({ page, problems } = made), ['notas']);

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-teclado-')));
  for (let n = 10; n < 40; n += 1) writeFileSync(path.join(folder, `nota ${n}.txt`), 'x');
  writeFileSync(path.join(folder, 'longo.txt'), Array.from({ length: 200 }, (_, n) => `linha ${n}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const screen = { width: 320, height: 568 };
const keyboardPx = 260;
const leftPx = screen.height - keyboardPx;

type Way = 'smaller' | 'covered';

/** `covered`: the browser says it by `visualViewport`, as Safari on a phone does. Chromium has no such keyboard to be asked for. */
async function keyboard(way: Way, isUp: boolean): Promise<void> {
  if (way === 'smaller') return await page.setViewportSize({ ...screen, height: isUp ? leftPx : screen.height });
  await page.evaluate(
    (height) => {
      const view = visualViewport as VisualViewport;
      if (height === null) delete (view as { height?: number }).height;
      else Object.defineProperty(view, 'height', { configurable: true, get: () => height });
      view.dispatchEvent(new Event('resize'));
    },
    isUp ? leftPx : null,
  );
}

/** Expects the element in the remaining part of the screen. */
async function expectInSight(what: Locator): Promise<void> {
  const place = async (): Promise<string> => {
    const { x, y, width, height } = await boxOf(what);
    const isOnTop = await what.evaluate((element) => {
      const { left: from, width: wide, bottom } = element.getBoundingClientRect();
      const seen = (element.getRootNode() as ShadowRoot).elementFromPoint(from + wide / 2, bottom - 3);
      return element.matches('[class*=cursor]') || element === seen || element.contains(seen);
    });
    if (!isOnTop) return 'covered by something';
    return y >= -1 && y + height <= leftPx + 1 && x >= -1 && x + Math.min(width, 20) <= screen.width
      ? 'in sight'
      : `from ${y} to ${y + height}`;
  };
  await expect.poll(place).toBe('in sight');
}

test.for(['smaller', 'covered'] as const)('320 × 568, the page is %s: names, text, shell and dialogs', async (way) => {
  await page.setViewportSize(screen);
  const finger = await touchScreen(page);
  await page.evaluate((caminho) => {
    const desktop = document.querySelector('svc-shell')?.shadowRoot?.querySelector('svc-desktop') as unknown as {
      desk: { open(window: string, path: string): void };
    };
    desktop.desk.open('@files', caminho);
  }, folder);
  const top = page.locator('svc-window[top]');
  // Gone, and the keyboard with it: a shell has Ctrl+K for itself.
  const closeTop = async (): Promise<void> => {
    await top.getByRole('button', { name: 'Fechar', exact: true }).click();
    await page.locator('svc-window').waitFor({ state: 'detached' });
  };
  const seen = async (name: string): Promise<void> => await pictured(page, `keyboard-${way}-${name}`)('');

  await top.locator('[data-name="nota 15.txt"]').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Renomear' }).click();
  const name = page.getByRole('textbox', { name: 'Novo nome de nota 15.txt' });
  await name.waitFor();
  await keyboard(way, true);
  await seen('rename');
  await expectInSight(name);
  await expectInSight(top.getByRole('button', { name: 'Fechar', exact: true }));
  await page.keyboard.press('Escape');
  await keyboard(way, false);
  await closeTop();

  await openFileOn(page, { caminho: path.join(folder, 'longo.txt'), nome: 'longo.txt' });
  await top.locator('.cm-content').waitFor();
  await top.locator('.cm-line').nth(20).click();
  await keyboard(way, true);
  await page.keyboard.type('aqui');
  await seen('editor');
  await expectInSight(top.locator('.cm-cursor-primary'));
  await expectInSight(top.getByRole('button', { name: 'Salvar', exact: true }));
  await page.keyboard.press('Control+s');
  // A text that is closed before it is saved asks.
  await page.locator('svc-window[aria-label="longo.txt"]').waitFor();
  await keyboard(way, false);
  await closeTop();

  await openApp(page, 'Terminal');
  const shell = top.locator('svc-screen[shown]');
  await shell.locator('textarea').focus();
  await page.keyboard.type('seq 1 80\n');
  await shell.getByText('80', { exact: true }).first().waitFor();
  await keyboard(way, true);
  await page.keyboard.type('echo vista');
  await seen('terminal');
  await expectInSight(shell.locator('.xterm-cursor').first());
  await keyboard(way, false);
  await closeTop();

  await page.keyboard.press('Control+k');
  await keyboard(way, true);
  await page.getByRole('combobox').fill('Not');
  await seen('launcher');
  await expectInSight(page.getByRole('combobox'));
  await expectInSight(page.getByRole('option', { name: 'Notas' }).first());
  await keyboard(way, false);
  await page.keyboard.press('Escape');

  await openFileOn(page, { caminho: path.join(folder, 'x.zzz'), nome: 'x.zzz' });
  const dialog = page.getByRole('dialog', { name: /^Abrir x.zzz/ });
  await dialog.waitFor();
  await keyboard(way, true);
  await seen('dialog');
  await expectInSight(dialog);
  await expectInSight(dialogOf(page, /^Abrir x.zzz/).getByRole('button', { name: 'Abrir', exact: true }));
  await keyboard(way, false);
  expect(await page.evaluate(() => document.documentElement.getAttribute('style') ?? '')).not.toContain('--keyboard');
  await finger.end();
  expect(problems).toEqual([]);
});

test('on a tablet windows are where they were once the keyboard is gone', async () => {
  await page.setViewportSize({ width: 768, height: 1_024 });
  const finger = await touchScreen(page);
  await openApp(page, 'Terminal');
  const shell = windowOf(page, 'Terminal');
  await shell.locator('textarea').first().focus();
  const before = await boxOf(shell);
  await page.setViewportSize({ width: 768, height: 624 });
  await pictured(page, 'keyboard-tablet')('');
  await expect.poll(async () => ((box) => box.y >= 0 && box.y + box.height <= 624)(await boxOf(shell))).toBe(true);
  await page.setViewportSize({ width: 768, height: 1_024 });
  await expect.poll(async () => await boxOf(shell)).toEqual(before);
  await finger.end();
  expect(problems).toEqual([]);
});
