/**
 * Keys typed into a question of the desktop arrive in the question, whatever the page of an app does for the keyboard. In Chromium as a
 * person has it, without Playwright's changes to the focus. Decision: docs/decisions/0380-the-keyboard-of-a-question.md
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whenInstalled, writeDesired } from '../integration/world.ts';
import { startPortal, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { newLink } from './support/browser.ts';
import { launchPlainChromium, type PlainChromium, type PlainPage } from './support/plain-chromium.ts';

/** Each begins once its page is pressed. `tomar()` takes the keyboard by all that there is. */
const ways: Readonly<Record<string, string>> = {
  'each 0 ms': 'setInterval(tomar, 0);',
  'each 16 ms': 'setInterval(tomar, 16);',
  'each 300 ms': 'setInterval(tomar, 300);',
  'each 1000 ms': 'setInterval(tomar, 1000);',
  'once it lost it': `addEventListener('blur', () => setTimeout(tomar)); addEventListener('blur', tomar); i.addEventListener('blur', tomar);`,
  'once it is seen again': `document.addEventListener('visibilitychange', tomar); setInterval(() => document.hidden || tomar(), 200);`,
  'by autofocus': `setInterval(() => { const f = document.createElement('input'); f.autofocus = true; document.body.append(f); tomar(); }, 150);`,
  'by a frame of its own': `const f = document.createElement('iframe'); f.src = 'dentro'; document.body.append(f); setInterval(() => f.contentWindow.focus(), 90);`,
  'by a popup': `setInterval(() => { open('ladra', 'ladra', 'width=200,height=200')?.focus(); tomar(); }, 250);`,
  'by scrolling to it': `setInterval(() => { i.scrollIntoView(); tomar(); }, 120);`,
  'by the whole screen and the pointer': `setInterval(() => { document.body.requestFullscreen().catch(() => 0); document.body.requestPointerLock().catch(() => 0); tomar(); }, 200);`,
};

/** Writes reported keys to `ouvido`, which outlives its page. */
const backendOf = (folder: string): string => `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
const inside = \`<!doctype html><meta charset="utf-8"><title>ladra</title><body style="height:2000px"><input id="i"><script>
addEventListener('keydown', ({ key }) => key.length === 1 && navigator.sendBeacon('/tecla', key));
const tomar = () => { window.focus(); i.focus(); };
\`;
http.createServer((req, res) => {
  if (req.url === '/comeca') return void (writeFileSync(${JSON.stringify(`${folder}/comecou`)}, ''), res.end());
  if (req.url === '/tecla') return void req.on('data', (data) => appendFileSync(${JSON.stringify(`${folder}/ouvido`)}, data)).on('end', () => res.end());
  res.setHeader('content-type', 'text/html; charset=utf-8');
  if (req.url === '/dentro') return res.end(inside + 'setInterval(tomar, 70);</script>');
  const way = readFileSync(${JSON.stringify(`${folder}/maneira`)}, 'utf8');
  res.end(inside + \`addEventListener('pointerdown', () => { navigator.sendBeacon('/comeca'); \${way} }, { once: true });</script>\`);
}).listen(process.env.SVC_APP_SOCKET);
process.on('SIGTERM', () => process.exit(0));
`;

const manifest = {
  id: 'ladra',
  name: 'Ladra',
  version: '1.0.0',
  backend: { runtime: 'node', entrypoint: 'backend/main.mjs' },
  secrets: [{ name: 'CHAVE', description: 'Uma chave.', required: true }],
};
const secret = 'segredo-muito-longo-mesmo';

let portal: RunningPortal;
let folder: string;
let browser: PlainChromium;
let page: PlainPage;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svct-'));
  await mkdir(path.join(folder, 'p/ladra/backend'), { recursive: true });
  await writeFile(path.join(folder, 'p/ladra/svc-app.json'), JSON.stringify(manifest));
  await writeFile(path.join(folder, 'p/ladra/backend/main.mjs'), backendOf(folder));
  await writeFile(path.join(folder, 'maneira'), '');
  const desired = await writeDesired(path.join(folder, 'd'), { apps: ['ladra'], packages: path.join(folder, 'p') });
  [portal, browser] = await Promise.all([startPortal({ desired }), launchPlainChromium()]);
  await whenInstalled(portal, 'ladra');
  page = await browser.open();
  await page.go(await newLink(portal));
});
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

const frame = `deep('iframe[title="Ladra"]')`;
const field = `deep('ui-field', deep('svc-secrets').shadowRoot)?.shadowRoot.querySelector('input')`;

/** The window of the app alone, its page pressed, and over it the dialog with the field of a secret. */
async function openField(): Promise<void> {
  await rm(path.join(folder, 'comecou'), { force: true });
  await page.run(`sessionStorage.clear()`);
  await page.go(`http://svc.localhost:${portal.port}/`);
  await page.press(`[...deep('svc-home').shadowRoot.querySelectorAll('button')].find((each) => each.textContent.includes('Ladra'))`);
  await page.until(`deep('svc-app-frame')?.loaded`);
  // Until the page has drawn what takes the press.
  for (let tries = 0; !existsSync(path.join(folder, 'comecou')); tries += 1) {
    if (tries === 600) throw new Error('the page was never pressed');
    await page.press(frame);
    await sleep(100);
  }
  // Its popup may be before it.
  await page.show();
  await page.press(`deep('.strip.secrets ui-button')`);
  await page.press(`deep('li[data-secret] ui-button[data-verb=set]')`);
  await page.until(`${field} !== undefined`);
}

describe('what is typed into the field of a secret is in it, and not in the page of an app that takes the keyboard', () => {
  test.for(everyNth(3, Object.entries(ways)))('%s', async ([name, way]) => {
    await writeFile(path.join(folder, 'maneira'), way);
    await writeFile(path.join(folder, 'ouvido'), '');
    await openField();
    if (name === 'once it is seen again') {
      await (await browser.open()).show();
      await page.show();
    }
    // Caught in the act: its page is gone, and the keyboard is in the field.
    await page.until(
      `deep('svc-secrets').shadowRoot.querySelector('[slot=notice][role=alert]')?.textContent.includes('a página foi fechada')`,
    );
    expect(await page.run(`deep('svc-app-frame').shadowRoot.querySelector('iframe')`)).toBeNull();
    await page.type(secret, 20);
    expect({ field: await page.run(`${field}.value`), heard: await readFile(path.join(folder, 'ouvido'), 'utf8') }).toEqual({
      field: secret,
      heard: '',
    });
    await page.key('Escape');
    await page.key('Escape');
    await page.until(`deep('svc-secrets') === null`);
  });
});
