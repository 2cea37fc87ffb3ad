/** The programs of examples/ports whose packages are large: used by `npm run test:long`, which installs them. */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../../test/support/portal.ts';
import type { Port } from './port.ts';

/** Deployed by pasting it, as people share flows. */
const flow = [
  {
    id: 'a1',
    type: 'inject',
    name: 'toque',
    props: [{ p: 'payload' }],
    repeat: '',
    crontab: '',
    once: false,
    onceDelay: 0.1,
    topic: '',
    payload: 'sabiá',
    payloadType: 'str',
    x: 150,
    y: 100,
    wires: [['b1']],
  },
  {
    id: 'b1',
    type: 'debug',
    name: 'ouvido',
    active: true,
    tosidebar: true,
    console: false,
    tostatus: false,
    complete: 'payload',
    targetType: 'msg',
    statusVal: '',
    statusType: 'auto',
    x: 350,
    y: 100,
    wires: [],
  },
];

/** Presses the button of the first node, and waits for its message in the sidebar of messages. */
async function injected(app: FrameLocator, page: Page): Promise<void> {
  await app.locator('.red-ui-flow-node-button-button').first().waitFor();
  await page.keyboard.press('Control+g');
  await page.keyboard.press('d');
  await app.locator('.red-ui-flow-node-button-button').first().click();
  await app.locator('.red-ui-debug-msg-payload').getByText('sabiá').first().waitFor();
}

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

const desk = "document.querySelector('svc-shell').shadowRoot.querySelector('svc-desktop').desk";

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

export const largePortUses: Readonly<Record<string, Port>> = {
  'node-red': {
    title: 'Node-RED',
    // It names its process itself.
    program: /^node-red/,
    use: async (app, page) => {
      await app.locator('#red-ui-workspace-chart').click({ position: { x: 300, y: 300 } });
      await page.keyboard.press('Control+i');
      await app.locator('#red-ui-clipboard-dialog-import-text').fill(JSON.stringify(flow));
      // The text is judged at a key.
      await app.locator('#red-ui-clipboard-dialog-import-text').press('End');
      await app.locator('#red-ui-clipboard-dialog-ok').click();
      await app.locator('#red-ui-workspace-chart').click({ position: { x: 300, y: 200 } });
      await app.locator('#red-ui-header-button-deploy').click();
      await app.locator('#red-ui-header-button-deploy.disabled').waitFor();
      await injected(app, page);
    },
    found: injected,
  },
  'code-server': {
    title: 'code-server',
    program: /entry\.js/,
    use: async (app, page, home) => {
      // The editor that the person chose for text gets the file.
      await page.evaluate(`${desk}.preferences.change({ padroes: { editor: 'code-server' } })`);
      const caminho = path.join(realpathSync(home), 'nota.txt');
      writeFileSync(caminho, '');
      await page.evaluate(`${desk}.openFile(${JSON.stringify({ caminho, nome: 'nota.txt' })})`);
      await app.locator('.tab').getByText('nota.txt').waitFor();
      await app.locator('.editor-instance .monaco-editor .view-lines').click();
      await page.keyboard.type('sabiá');
      await page.keyboard.press('Control+s');
      await until('the file is saved', () => read(caminho) === 'sabiá');
      await page.keyboard.press('Control+Backquote');
      await app.locator('.terminal-wrapper.active .xterm-screen').click();
      await page.keyboard.type('echo $((6*7)) > feito\n');
      await until('the command was carried out', () => read(path.join(home, 'feito')) === '42\n');
    },
    found: async (app) => {
      await app.locator('.explorer-folders-view').getByText('nota.txt').dblclick();
      await app.locator('.view-line').getByText('sabiá').waitFor();
    },
    work: {
      begin: async (app, page) => {
        await app.locator('.terminal-wrapper.active .xterm-screen').click();
        await page.keyboard.type('cat\n');
      },
      end: async (app, page) => {
        await app.locator('.terminal-wrapper.active .xterm-screen').click();
        await page.keyboard.press('Control+c');
      },
    },
  },
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
