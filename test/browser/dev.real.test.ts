/**
 * `svc dev` on a copy of Caderno, in Chromium: one portal and one browser for two people. Changes are seen, errors are shown and stay out
 * of force, and its processes are gone at its end. Decision: docs/decisions/0244-svc-dev.md
 */
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type ViteDevServer } from 'vite';
import { limits } from '../../bin/dev/limits.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { startDev, type RunningDev } from '../support/dev.ts';
import { freePort, processesBelow, repository, until } from '../support/portal.ts';
import { axeFindings, frameOf, newPage, windowOf } from './support/browser.ts';

let dev: RunningDev;
let browser: Browser;
let context: BrowserContext;
/** Page of Ana; both are in one browser. */
let page: Page;
let frame: FrameLocator;
let bia: Page;

beforeAll(async () => {
  [dev, browser] = await Promise.all([startDev({ app: join(repository, 'examples/apps/caderno'), args: ['--as', 'bia'] }), openBrowser()]);
  ({ page } = await newPage(browser, { locale: 'en-GB' }));
  context = page.context();
  await page.goto(dev.link('ana'));
  frame = frameOf(page, 'Caderno');
  await frame.getByRole('heading').first().waitFor();
});
afterAll(async () => {
  await closePages(browser);
  await dev?.remove();
});

/** Version that the backend reports. */
const version = async (): Promise<unknown> =>
  await frame.locator('body').evaluate(async () => {
    const answer = await fetch('/api/versao');
    return answer.ok ? await answer.text() : answer.status;
  });

describe('the link', () => {
  test('leads into the real desktop, with the app in a window that says dev', async () => {
    await windowOf(page, 'Caderno').waitFor();
    const badge = windowOf(page, 'Caderno').locator('svc-app-icon .badge').first();
    expect(await badge.evaluate((one) => getComputedStyle(one, '::after').content)).toBe('"dev"');
    await page.getByRole('button', { name: 'dev: development of Caderno' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(new URL(await frame.locator('body').evaluate(() => location.origin)).hostname).toBe('caderno.svc.localhost');
  });

  test('of another person makes two people of one browser, who write in one room', async () => {
    bia = await context.newPage();
    await bia.goto(dev.link('bia'));
    const theirs = frameOf(bia, 'Caderno');
    await theirs.getByRole('heading').first().waitFor();
    await frame
      .locator('body')
      .evaluate("svc.salas.criar('Ata').then(({ id }) => svc.salas.darAcesso(id, 'bia', 'editar')).then(() => undefined)");
    for (const one of [frame, theirs]) {
      await one.locator('[data-sala]').filter({ hasText: 'Ata' }).click();
      await one.locator('#estado[data-estado="sincronizado"]').waitFor();
    }
    await frame.locator('.cm-content').click();
    await page.keyboard.insertText('de Ana');
    await theirs.getByText('de Ana').waitFor();
    await theirs.locator('.cm-content').click();
    await bia.keyboard.insertText('e de Bia, ');
    await expect.poll(async () => await frame.locator('.cm-content').innerText()).toContain('e de Bia, ');
    // Both are in it again once their backends were restarted, and go on.
    const from = await dev.edit('backend/main.js', (text) => `${text}\n// restarted\n`);
    await dev.says(/backend\/main\.js → backend ready/, from);
    for (const one of [frame, theirs]) await one.locator('#estado[data-estado="sincronizado"]').waitFor();
    await theirs.locator('.cm-content').click();
    await bia.keyboard.insertText('e outra vez, ');
    await frame.getByText('e outra vez, ').waitFor();
    await bia.close();
  });
});

describe('a change', () => {
  test('of the page is loaded, and the backend goes on', async () => {
    const backend = processesBelow(dev.state).find(({ app }) => app === 'caderno')?.pid;
    const from = await dev.edit('frontend/index.html', (text) => text.replace('</body>', '<p id="novo">agora</p></body>'));
    await frame.locator('#novo').waitFor({ state: 'attached' });
    await dev.says('frontend/index.html → page reloaded', from);
    expect(processesBelow(dev.state).find(({ app }) => app === 'caderno')?.pid).toBe(backend);
  });

  test('of a style sheet takes its place without loading the page', async () => {
    await frame.locator('body').evaluate(() => Object.assign(globalThis, { kept: true }));
    await appendFile(join(dev.folder, 'frontend/caderno.css'), '\nbody { outline-color: rgb(1, 2, 3); }\n');
    await expect.poll(async () => await frame.locator('body').evaluate((body) => getComputedStyle(body).outlineColor)).toBe('rgb(1, 2, 3)');
    expect(await frame.locator('body').evaluate(() => 'kept' in globalThis)).toBe(true);
  });

  test('of the backend answers, and the page is loaded again', async () => {
    expect(await version()).toBe(404);
    await dev.edit('backend/main.js', (text) =>
      text.replace('return pagina(req, res)', "if (req.url === '/api/versao') return void res.end('um');\n    return pagina(req, res)"),
    );
    await expect.poll(version).toBe('um');
    await expect.poll(async () => await frame.locator('body').evaluate(() => 'kept' in globalThis)).toBe(false);
  });

  test('of what editors leave is none', async () => {
    const from = dev.output().length;
    for (const name of ['backend/.main.js.swp', 'backend/main.js~', 'backend/4913', 'data-passa.tmp'])
      await writeFile(join(dev.folder, name), 'x');
    await dev.edit('frontend/index.html', (text) => text.replace('agora', 'depois'));
    await dev.says('frontend/index.html → page reloaded', from);
    expect(dev.output().slice(from)).not.toContain('backend');
  });
});

describe('an error', () => {
  test('of the manifest is shown with its place while the last good one is in force, and goes when it is mended', async () => {
    const good = readFileSync(join(dev.folder, 'svc-app.json'), 'utf8');
    const from = await dev.edit('svc-app.json', (text) => text.replace('"category"', '"categoria"'));
    await dev.says(/svc-app\.json:6:3 UNKNOWN_FIELD .*\n.*\n.*\^+ did you mean "category"\?/, from);
    const strip = windowOf(page, 'Caderno').getByRole('alert');
    await strip.getByText('svc-app.json:6:3').waitFor();
    expect(await version()).toBe('um');
    await strip.getByRole('button', { name: 'Details' }).click();
    const panel = windowOf(page, 'Development');
    await panel.getByText('did you mean "category"?').waitFor();
    await panel.getByText('escutando em').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await writeFile(join(dev.folder, 'svc-app.json'), good.replace('"1.0.0"', '"1.1.0"'));
    await panel.getByText('did you mean "category"?').waitFor({ state: 'detached' });
    await strip.waitFor({ state: 'detached' });
    await expect
      .poll(async () => await frame.locator('body').evaluate(async () => (await (await fetch('/saude')).json()).versao))
      .toBe('1.1.0');
  });

  test('of the backend is shown with exit code and last lines, and the next change tries again at once', async () => {
    const good = readFileSync(join(dev.folder, 'backend/main.js'), 'utf8');
    const from = await dev.edit('backend/main.js', (text) => `${text}\nthrow new Error('planted');\n`);
    await dev.says(/the backend crashed: .*exit code 1/, from);
    await dev.says('Error: planted', from);
    await dev.says(`${dev.folder}/backend/main.js`, from);
    const bar = windowOf(page, 'Caderno').getByRole('alert').getByText('exit code 1');
    await bar.waitFor();
    // A page that is loaded again starts no backend.
    const page2 = await dev.edit('frontend/index.html', (text) => `${text}\n`);
    await dev.says('page reloaded; the backend is still not up', page2);
    expect(await bar.count()).toBe(1);
    expect(dev.output()).not.toContain('node:internal');
    const mended = dev.output().length;
    await writeFile(join(dev.folder, 'backend/main.js'), good);
    await dev.says(/backend\/main\.js → backend ready/, mended);
    await expect.poll(version).toBe('um');
  });

  test('in a burst of saves nothing is lost: what was written last is what answers', async () => {
    for (const word of ['dois', 'três', 'quatro']) {
      await dev.edit('backend/main.js', (text) => text.replace(/res\.end\('\S+'\)/, `res.end('${word}')`));
      await until('a moment in which the restart is under way', () => dev.output().length > 0);
    }
    await expect.poll(version).toBe('quatro');
  });
});

describe('the end', () => {
  test('by SIGKILL blocks nothing: the next one finds the same port, people signed in and the backend', async () => {
    const { port } = new URL(dev.link('ana'));
    await dev.end('SIGKILL');
    await dev.again(['--as', 'bia']);
    expect(new URL(dev.link('ana')).port).toBe(port);
    await expect.poll(version).toBe('quatro');
  });

  test('by Ctrl-C leaves no process; one that comes twice is one, a second one kills a backend that does not hear SIGTERM', async () => {
    const good = readFileSync(join(dev.folder, 'backend/main.js'), 'utf8');
    const deaf = "const { on } = process;\nprocess.on = (name, run) => on.call(process, name, name === 'SIGTERM' ? () => {} : run);\n";
    const from = await dev.edit('backend/main.js', (text) => deaf + text);
    await dev.says(/backend\/main\.js → backend ready/, from);
    const ended = dev.end('SIGINT');
    process.kill(dev.pid, 'SIGINT');
    await dev.says('ending; Ctrl-C once more kills the backends', from);
    await sleep(limits.sameSignalMs);
    process.kill(dev.pid, 'SIGINT');
    await dev.says('the backends are killed', from);
    expect(await ended).toBe(0);
    expect(processesBelow(dev.state)).toEqual([]);
    expect(readdirSync(dev.state)).not.toContain('svc.sock');
    await writeFile(join(dev.folder, 'backend/main.js'), good);
  });

  test('a folder without a good manifest waits for one', async () => {
    await rm(join(dev.state, 'desired'), { recursive: true });
    await dev.edit('svc-app.json', () => '{ "id": "caderno" }');
    const started = dev.again([]);
    await dev.says('MISSING_FIELD "version" is missing');
    await dev.edit('svc-app.json', () => readFileSync(join(repository, 'examples/apps/caderno/svc-app.json'), 'utf8'));
    await started;
    expect(await dev.end('SIGTERM')).toBe(0);
  });
});

describe('a frontend with its own dev server', () => {
  let vite: ViteDevServer;
  let other: RunningDev;

  beforeAll(async () => {
    other = await startDev({
      app: join(repository, 'examples/apps/notas'),
      args: ['--frontend', `http://127.0.0.1:${await viteAt((made) => (vite = made))}`],
    });
  });
  afterAll(async () => {
    await other?.remove();
    await vite?.close();
    await rm(vite.config.root, { recursive: true, force: true });
  });

  test('is shown on the origin of the app, with the SDK, its hot reload and the backend', async () => {
    const { page: own } = await newPage(browser, { locale: 'en-GB' });
    await own.goto(other.link('ana'));
    const notes = frameOf(own, 'Notas');
    await notes.getByText('um', { exact: true }).waitFor();
    const body = notes.locator('body');
    expect(new URL(await body.evaluate(() => location.origin)).hostname).toBe('notas.svc.localhost');
    expect(await body.evaluate('svc.noAmbiente')).toBe(true);
    await expect.poll(async () => await body.evaluate(async () => (await fetch('api/notas')).status)).toBe(200);
    await body.evaluate(() => Object.assign(globalThis, { kept: true }));
    await writeFile(join(vite.config.root, 'palavra.js'), "export const palavra = 'dois';");
    await notes.getByText('dois', { exact: true }).waitFor();
    expect(await body.evaluate(() => 'kept' in globalThis)).toBe(true);
    await own.context().close();
  });
});

/** A page that takes a changed module without being loaded again. Answers the port. */
async function viteAt(made: (server: ViteDevServer) => void): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'svcv-'));
  await writeFile(
    join(root, 'index.html'),
    '<!doctype html><html><head><title>x</title></head><body><p id="p"></p><script type="module" src="/main.js"></script></body></html>',
  );
  await writeFile(join(root, 'palavra.js'), "export const palavra = 'um';");
  await writeFile(
    join(root, 'main.js'),
    `import { palavra } from './palavra.js';
const show = (text) => (document.getElementById('p').textContent = text);
show(palavra);
import.meta.hot.accept('./palavra.js', (module) => show(module.palavra));
`,
  );
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: await freePort(), strictPort: true },
  });
  await server.listen();
  made(server);
  return server.config.server.port;
}
