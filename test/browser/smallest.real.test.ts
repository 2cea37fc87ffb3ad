/**
 * The smallest backends, as the specification writes them and as docs/app-authors.md shows them: an author's copy works as it stands, by
 * `svc test-app`, by `svc dev`, and published, installed and opened through a portal. A single portal and browser for all.
 */
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { whenInstalled, writeDesired } from '../integration/world.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { startDev } from '../support/dev.ts';
import { repository, startPortal, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { frameOf, newPage, openApp, signedIn } from './support/browser.ts';

// The specification's own text, word by word.
const designPython = `import pathlib, sys
from svc import servidor, web                      # also: fila, gpu, metricas, salas
RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()                         # log('evento', chave=valor): one JSON line in app.log; also log.info / log.erro
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['extra.js'], ao_avisar=log)

class Pedido(servidor.Pedido):                     # an http.server handler behind the gate; /saude is answered before it
    def atender(self, metodo):
        if metodo == 'GET' and self.path == '/api/ping':
            return self.responder_json(200, {'pong': True})
        if not pagina(self):                       # True when it served the request
            self.responder_json(404, {'error': 'rota desconhecida'})

sys.exit(servidor.escutar(Pedido, sys.argv[1:]))   # SVC_APP_SOCKET, or --tcp host:port
`;
const designNode = `import http from 'node:http'
import { createRequire } from 'node:module'
const { escutar, servidor, web } = createRequire(import.meta.url)('svc')
const log = servidor.criarLog()
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: [], aoAvisar: log })
const server = http.createServer(servidor.portao((req, res) => {   // the gate wraps any (req, res) handler; upgrades pass it too
  if (req.url === '/api/ping') return servidor.responderJson(res, 200, { pong: true })
  if (!pagina(req, res)) servidor.responderJson(res, 404, { error: 'rota desconhecida' })
}))
escutar(server)
`;

const guide = readFileSync(new URL('../../docs/app-authors.md', import.meta.url), 'utf8');
const shown = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)?.[1] ?? '';

const smallest = [
  { id: 'design-py', runtime: 'python3', entrypoint: 'backend/main.py', code: designPython },
  { id: 'design-js', runtime: 'node', entrypoint: 'backend/main.mjs', code: designNode },
  { id: 'guide-py', runtime: 'python3', entrypoint: 'backend/main.py', code: shown('python') },
  { id: 'guide-js', runtime: 'node', entrypoint: 'backend/main.mjs', code: shown('js') },
] as const;
const ofTheDesign = smallest.slice(0, 2);

let folder: string;
let browser: Browser;
let portal: RunningPortal | undefined;

function write({ id, runtime, entrypoint, code }: (typeof smallest)[number]): void {
  const app = join(folder, id);
  for (const part of ['backend', 'frontend']) mkdirSync(join(app, part), { recursive: true });
  const backend = { runtime, entrypoint, healthcheckPath: 'api/ping' };
  writeFileSync(join(app, 'svc-app.json'), JSON.stringify({ id, name: id, version: '1.0.0', icon: 'icon.svg', backend }));
  writeFileSync(join(app, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(app, entrypoint), code);
  writeFileSync(join(app, 'frontend/index.html'), '<!doctype html><html lang="pt"><head></head><body>oi</body></html>');
  // Scripts of the page that the code names.
  for (const script of ['extra.js', 'app.js']) writeFileSync(join(app, 'frontend', script), `document.body.append(' de ${script}');`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-min-'));
  for (const one of smallest) write(one);
  browser = await openBrowser();
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The page with its script, and what the backend answers to it. */
async function works(frame: FrameLocator, id: string): Promise<void> {
  await frame.getByText(id === 'design-py' ? 'oi de extra.js' : 'oi').waitFor();
  const ping = await frame.locator('body').evaluate(async () => await (await fetch('api/ping')).json());
  expect(ping).toEqual({ pong: true });
}

test.concurrent.for(smallest)('svc test-app finds no fault with the backend $id', async ({ id }) => {
  const { code, out, err } = await runSvc(folder, ['test-app', id, '--output', 'json']);
  expect([err, code]).toEqual(['', 0]);
  const { checks } = JSON.parse(out) as { readonly checks: readonly { readonly check: string; readonly verdict: string }[] };
  expect(checks.filter(({ verdict }) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
});

test.for(everyNth(2, ofTheDesign))('svc dev shows $id as it stands', async ({ id, entrypoint, code }) => {
  const dev = await startDev({ app: join(folder, id) });
  try {
    const { page } = await newPage(browser);
    await page.goto(dev.link('ana'));
    await works(frameOf(page, id), id);
    expect(readFileSync(join(dev.folder, entrypoint), 'utf8')).toBe(code);
    await page.context().close();
  } finally {
    await dev.remove();
  }
});

test('published by svc-app-publish they are installed as they stand, and open through the portal', async () => {
  const ids = ofTheDesign.map(({ id }) => id);
  for (const id of ids)
    await promisify(execFile)(join(repository, 'bin/svc-app-publish'), [join(folder, id), '--repository', join(folder, 'published')]);
  const desired = await writeDesired(join(folder, 'desired'), { apps: ids, packages: folder, repository: join(folder, 'published') });
  portal = await startPortal({ desired });
  await whenInstalled(portal, ...ids);
  const { page } = await signedIn(browser, portal, {}, { button: /^design-py/ });
  for (const { id, entrypoint, code } of ofTheDesign) {
    const installed = globSync(join(portal.state, '**/opt/svc-apps', id, entrypoint));
    expect(installed.map((file) => readFileSync(file, 'utf8'))).toEqual([code]);
    await openApp(page, id);
    await works(frameOf(page, id), id);
  }
});
