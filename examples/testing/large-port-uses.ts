/** The programs of examples/ports whose packages are large: used by `npm run test:long`, which installs them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../../test/support/portal.ts';
import type { Port } from './port.ts';

const inCell = async (app: FrameLocator, page: Page, code: string): Promise<void> => {
  await app.locator('.cell.selected .CodeMirror').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(code);
  await page.keyboard.press('Shift+Enter');
};

const inTerminal = async (app: FrameLocator, page: Page, line: string): Promise<void> => {
  await app.locator('#noVNC_container canvas').click({ position: { x: 200, y: 150 } });
  await page.keyboard.type(`${line}\n`);
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

export const largePortUses: Readonly<Record<string, Port>> = {
  jupyter: {
    title: 'Jupyter',
    program: /jupyter-notebook/,
    use: async (app, page) => {
      await app.locator('#kernel-python3').waitFor({ state: 'attached' });
      await app.locator('#new-dropdown-button').click();
      await app.locator('#kernel-python3 a').click();
      await inCell(app, page, 'x = 6 * 7; x');
      await app.locator('.output_result').getByText('42').waitFor();
      await page.keyboard.press('Control+s');
      await app.locator('.checkpoint_status').getByText('Last Checkpoint').waitFor();
      // The kernel goes on without a page.
      await app.locator('body').evaluate("document.body.dataset.before = ''; location.reload()");
      await app.locator('body:not([data-before])').waitFor();
      await app.locator('#kernel_indicator').getByText('Python 3').waitFor();
      await inCell(app, page, 'x + 1');
      await app.locator('.output_result').getByText('43').waitFor();
    },
    found: async (app) => {
      await app.locator('#notebook_list').getByText('Untitled.ipynb').waitFor();
    },
    work: {
      begin: async (app, page) => await inCell(app, page, 'while True: pass'),
      end: async (app) => await app.locator('[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click(),
    },
  },
  'desktop-x': {
    title: 'Área X',
    program: /websockify/,
    use: async (app, page, home) => {
      await inTerminal(app, page, 'echo sabia > feito');
      await until('the command was carried out', () => read(path.join(home, 'feito')) === 'sabia\n');
    },
    found: async (app, page, home) => {
      await inTerminal(app, page, 'cat feito feito > de-novo');
      await until('the command was carried out', () => read(path.join(home, 'de-novo')) === 'sabia\nsabia\n');
    },
  },
};
