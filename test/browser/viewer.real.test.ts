/** The viewer on a real portal and real files: pictures, text, sound, what can't be shown; files that would run something run nothing. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPage, useDesk, windowOf } from './support/browser.ts';
import { expectLooks, pictured } from './support/looks.ts';
import { openFileOn } from './support/open-file.ts';

let page: Page;
let browser: Browser;
let problems: readonly string[];
useDesk((made) => ({ page, browser, problems } = made), ['notas']);

let folder: string;
/** Whatever asks it was run, or loaded, by a file. */
const beacon = { asked: [] as string[], url: '', server: http.createServer() };
const at = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-viewer-')));
  beacon.server.on('request', (req, res) => {
    beacon.asked.push(req.url ?? '');
    const file = /^\/raw\/(.*)$/.exec(req.url ?? '')?.[1];
    res.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': file === undefined ? 'text/plain' : typeOf(file) });
    res.end(file === undefined ? 'oi' : hostile('control').get(file));
  });
  await new Promise<void>((ready) => void beacon.server.listen(0, '127.0.0.1', ready));
  beacon.url = `http://127.0.0.1:${(beacon.server.address() as AddressInfo).port}`;
  writeFileSync(at('1.png'), png(400, 300));
  writeFileSync(at('2.png'), png(2_000, 1_000));
  writeFileSync(
    at('3.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="teal"/></svg>',
  );
  writeFileSync(at('quebrada.png'), 'isto não é uma imagem');
  writeFileSync(at('som.wav'), wav());
  writeFileSync(at('grande.html'), '<p>linha</p>\n'.repeat(40_000));
  writeFileSync(at('pacote.zzz'), Buffer.alloc(1_500));
  writeFileSync(at('doc.pdf'), pdf());
  for (const [name, content] of hostile('ran')) writeFileSync(at(name), content);
});
afterAll(() => {
  beacon.server.close();
  beacon.server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const typeOf = (name: string): string => (name.endsWith('.svg') ? 'image/svg+xml' : 'text/html');

/** `where`: of the beacon, what is run asks below it. */
function hostile(where: 'ran' | 'control'): ReadonlyMap<string, string> {
  const run = (by: string): string =>
    `fetch('${beacon.url}/${where}/${by}', { mode: 'no-cors' }); document.title = 'ran'; try { parent.document.title = 'ran' } catch {}`;
  const html = (by: string): string =>
    `<!doctype html><script>${run(by)}</script><img src="${beacon.url}/${where}/${by}-img" onerror="${run(by)}"><iframe src="${beacon.url}/${where}/${by}-frame"></iframe>`;
  return new Map([
    ['mau.html', html('html')],
    ['mau-html.png', html('png')],
    ['mau-html.pdf', html('pdf')],
    ['mau-html.mp3', html('mp3')],
    [
      'mau.svg',
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="50" height="50" onload="${run('svg-onload').replaceAll('"', "'")}"><script>${run('svg').replaceAll('&', '&amp;')}</script><image href="${beacon.url}/${where}/svg-image" width="9" height="9"/><foreignObject width="50" height="50"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${beacon.url}/${where}/svg-frame"></iframe></foreignObject></svg>`,
    ],
  ]);
}

/** Eight groups, each of ten of the one before. */
function groupsOf(one: (before: number) => string, element = 'g'): string {
  const groups = Array.from({ length: 7 }, (_, n) => `<${element} id="g${n + 1}">${one(n).repeat(10)}</${element}>`);
  return `<${element} id="g0"><rect width="1" height="1"/></${element}>${groups.join('')}${one(7)}`;
}

function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((1 + width * 3) * height, 0x60);
  for (let y = 0; y < height; y += 1) rows[y * (1 + width * 3)] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Two seconds of silence. */
function wav(): Buffer {
  const data = Buffer.alloc(16_000, 0x80);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

function pdf(): string {
  const words = 'BT /F1 24 Tf 20 100 Td (Ola mundo) Tj ET';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${words.length}>>stream\n${words}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((each, n) => {
    const place = text.length;
    text += `${n + 1} 0 obj\n${each}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  return `${text}xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

const viewer = (): Locator => page.locator('svc-window[top]:has(svc-viewer)');
const picture = (): Locator => viewer().getByRole('img');

/** By "Open with": HTML has the viewer as its first, text the editor. */
async function open(name: string): Promise<void> {
  await openFileOn(page, { caminho: at(name), nome: name });
  await windowOf(page, name).waitFor();
}
const isLoaded = (): Promise<boolean> =>
  picture().evaluate((image) => (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth > 0);

async function showsPdf(frame: Locator): Promise<void> {
  await frame.waitFor();
  expect(await frame.getAttribute('src')).toMatch(/^http:\/\/xn--prvia-csa\./);
  await expect.poll(() => page.frames().filter((each) => each.url().startsWith('http://xn--prvia-csa.')).length).toBeGreaterThan(1);
}

test('pictures fit, are enlarged, and the next of the folder comes by key; nothing for axe to find at 1280, 768 and 320 px', async () => {
  await open('2.png');
  await picture().waitFor();
  await expect.poll(isLoaded).toBe(true);
  expect(await picture().getAttribute('src')).toMatch(/^http:\/\/xn--prvia-csa\.svc\.localhost:\d+\//);
  const fitted = await picture().evaluate((image) => image.clientWidth);
  expect(fitted).toBeLessThan(1_100);
  await page.keyboard.press('+');
  await expect.poll(() => picture().evaluate((image) => image.clientWidth)).toBeGreaterThan(fitted);
  await page.keyboard.press('0');
  await expect.poll(() => picture().evaluate((image) => image.clientWidth)).toBe(fitted);
  for (const width of [1_280, 768, 320]) await expectLooks(page, 'viewer', width);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await viewer().getByText('2 de 6').waitFor();
  await viewer().getByRole('region').focus();
  await page.keyboard.press('ArrowRight');
  await windowOf(page, '3.svg').waitFor();
  await expect.poll(isLoaded).toBe(true);
  await viewer().getByRole('button', { name: 'Imagem anterior' }).click();
  await windowOf(page, '2.png').waitFor();
  // After a reload the window has what it showed.
  await page.reload();
  await windowOf(page, '2.png').waitFor();
  await expect.poll(isLoaded).toBe(true);
  expect(problems).toEqual([]);
});

test('text to its first part, sound with ranges, and of all else what it is', async () => {
  await open('grande.html');
  await viewer()
    .getByText(/^Aqui estão os primeiros 262,1 kB de 520 kB/)
    .waitFor();
  expect(await viewer().locator('pre').innerText()).toMatch(/^<p>linha<\/p>\n/);
  const seen = page.waitForResponse((response) => response.url().includes('xn--prvia-csa') && response.status() === 206);
  await open('som.wav');
  await viewer()
    .locator('audio')
    .evaluate((sound) => {
      (sound as HTMLAudioElement).currentTime = 1.5;
      (sound as HTMLAudioElement).load();
    });
  await seen;
  await expect
    .poll(() =>
      viewer()
        .locator('audio')
        .evaluate((sound) => (sound as HTMLAudioElement).duration),
    )
    .toBe(2);
  await open('doc.pdf');
  const frame = viewer().locator('iframe');
  if (await page.evaluate(() => navigator.pdfViewerEnabled)) await showsPdf(frame);
  else await viewer().getByText('O visualizador não mostra este tipo de arquivo.').waitFor();
  await pictured(page, 'viewer-pdf')(`-${String(await page.evaluate(() => navigator.pdfViewerEnabled))}`);
  await open('quebrada.png');
  await viewer().getByText('O navegador não conseguiu mostrar este arquivo.').waitFor();
  await viewer().getByText('Imagem PNG').waitFor();
  await viewer().getByRole('button', { name: 'Abrir com…' }).last().click();
  await page.getByRole('dialog', { name: /Abrir quebrada.png com/ }).waitFor();
  await page.keyboard.press('Escape');
  expect(problems).toEqual([]);
});

test('a text, a picture and a PDF reach the print of the browser with what is in them; what can not be printed has no such entry', async () => {
  const debugging = await page.context().newCDPSession(page);
  await debugging.send('Page.enable');
  const told = `document.title + '|' + (document.querySelector('img')?.naturalWidth ?? document.body?.innerText.slice(0, 12)) + '|' + origin`;
  const { identifier } = await debugging.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `window.print = () => console.log('printed ' + ${told} + '|' + document.contentType)`,
  });
  const printed: string[] = [];
  page.on('console', (message) => message.text().startsWith('printed ') && printed.push(message.text().slice(8)));
  await page.evaluate((caminho) => {
    const desktop = document.querySelector('svc-shell')?.shadowRoot?.querySelector('svc-desktop') as unknown as {
      desk: { open(window: string, path: string): void };
    };
    desktop.desk.open('@files', caminho);
  }, folder);
  const entry = (name: string): Locator => page.locator(`svc-window[top] svc-file-view [data-name="${name}"]`);
  const shell = new URL(page.url()).origin;
  await entry('grande.html').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Imprimir' }).click();
  await expect.poll(() => printed).toEqual([`grande.html|<p>linha</p>|${shell}|text/html`]);
  // By keyboard.
  await entry('2.png').click();
  await page.keyboard.press('Control+p');
  await expect.poll(() => printed.slice(1)).toEqual([`2.png|2000|${shell}|text/html`]);
  await entry('doc.pdf').click();
  await page.keyboard.press('Control+p');
  // A browser without a viewer of PDF has nothing that prints it.
  const pdfs = (await page.evaluate(() => navigator.pdfViewerEnabled))
    ? [`||${shell.replace('//', '//xn--prvia-csa.')}|application/pdf`]
    : [];
  await expect.poll(() => printed.slice(2)).toEqual(pdfs);
  await entry('quebrada.png').click();
  await page.keyboard.press('Control+p');
  await page.getByText('O navegador não conseguiu mostrar este arquivo.').first().waitFor();
  for (const name of ['pacote.zzz', 'som.wav']) {
    await entry(name).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Baixar' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Imprimir' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  }
  // From the viewer.
  await open('3.svg');
  await viewer().getByRole('button', { name: 'Imprimir' }).click();
  await expect.poll(() => printed.at(-1)).toBe(`3.svg|90|${shell}|text/html`);
  await debugging.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  await debugging.detach();
  expect(problems).toEqual([]);
});

test.for([
  ['uses within uses', groupsOf((before) => `<use href="#g${before}"/>`), true],
  ['masks within masks', groupsOf((before) => `<rect width="9" height="9" mask="url('#g${before}')"/>`, 'mask'), true],
  ['uses in a circle', '<g id="g1"><use href="#g2"/></g><g id="g2"><use href="#g1"/></g><use href="#g1"/>', false],
  ['a thousand uses of one', `<g id="g0"><rect width="9" height="9"/></g>${'<use href="#g0"/>'.repeat(1_000)}`, false],
] as const)('a drawing of %s', async ([, inner, isTooMuch]) => {
  writeFileSync(at('desenho.svg'), `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60">${inner}</svg>`);
  await open('desenho.svg');
  const refused = viewer().getByText('O navegador não conseguiu mostrar este arquivo.');
  const shown = viewer().locator('img[alt="desenho.svg"]');
  await refused.or(shown).waitFor();
  expect(await refused.count()).toBe(isTooMuch ? 1 : 0);
  await open('1.png');
  rmSync(at('desenho.svg'));
  await viewer().locator('img[alt="1.png"]').waitFor();
});

test('sound whose address is over goes on from where it was', async () => {
  // The first address is over at once.
  await page.evaluate(() => {
    const ask = window.fetch;
    window.fetch = async (to, options) => {
      const answer = await ask(to, options);
      if (!answer.url.endsWith('/api/arquivos/previa')) return answer;
      window.fetch = ask;
      return Response.json({ ...((await answer.json()) as object), expiraMs: Date.now() });
    };
  });
  await open('som.wav');
  const sound = viewer().locator('audio');
  const position = async (): Promise<number> => await sound.evaluate((audio) => (audio as HTMLAudioElement).currentTime);
  const address = async (): Promise<string> => (await sound.getAttribute('src')) ?? '';
  await expect.poll(async () => await sound.evaluate((audio) => (audio as HTMLAudioElement).readyState)).toBeGreaterThan(0);
  const first = await address();
  await sound.evaluate((audio) => {
    (audio as HTMLAudioElement).currentTime = 1.5;
    // The browser's event when a part of the file is no longer answered.
    audio.dispatchEvent(new Event('error'));
  });
  await expect.poll(address).not.toBe(first);
  await expect.poll(position).toBe(1.5);
  expect(problems).toEqual([]);
});

test('files that would run something run nothing, in the viewer and by their address; the same files elsewhere do', async () => {
  const control = await newPage(browser);
  await control.page.goto(`${beacon.url}/raw/mau.html`);
  await control.page.goto(`${beacon.url}/raw/mau.svg`);
  await expect
    .poll(() => ['html', 'html-frame', 'svg', 'svg-image', 'svg-onload'].filter((each) => !beacon.asked.includes(`/control/${each}`)))
    .toEqual([]);
  const looked: string[] = [];
  for (const name of hostile('ran').keys()) {
    await open(name);
    await viewer().locator('.stage, .other h3').first().waitFor();
    // By its address: at the top of a tab, which nothing frames.
    const { url, tipo } = await page.evaluate(async (caminho) => {
      const answer = await fetch('/api/arquivos/previa', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ caminho }),
      });
      return (await answer.json()) as { url: string; tipo: string };
    }, at(name));
    if (tipo === 'application/pdf') continue;
    const tab = await page.context().newPage();
    const failure = await tab.goto(url).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(/^$|Download is starting|ERR_ABORTED/);
    const reached = await tab.evaluate(() => {
      const tries = { cookie: () => document.cookie, storage: () => localStorage.length, origin: () => globalThis.origin };
      return Object.entries(tries).map(([what, run]) => {
        try {
          return `${what}: ${String(run())}`;
        } catch {
          return `${what}: refused`;
        }
      });
    });
    const isShown = tab.url() === url;
    if (isShown) looked.push(name);
    expect([name, ...(isShown ? reached : [])]).toEqual([
      name,
      ...(isShown ? ['cookie: refused', 'storage: refused', 'origin: null'] : []),
    ]);
    expect(await tab.title()).not.toBe('ran');
    await tab.close();
  }
  // Some are shown by the browser there, and were asked what they reach.
  expect(looked.length).toBeGreaterThan(0);
  expect(beacon.asked.filter((each) => each.startsWith('/ran'))).toEqual([]);
  expect(await page.title()).not.toBe('ran');
  await control.page.context().close();
});

test('a page of another origin can not frame it', async () => {
  const url = await page.evaluate(async (caminho) => {
    const answer = await fetch('/api/arquivos/previa', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ caminho }),
    });
    return ((await answer.json()) as { url: string }).url;
  }, at('grande.html'));
  const other = await newPage(browser);
  await other.page.goto(`${beacon.url}/`);
  const refused = other.page.waitForEvent(
    'console',
    (message) => message.text().includes('frame-ancestors') || message.text().includes('Framing'),
  );
  await other.page.evaluate((src) => {
    const frame = document.createElement('iframe');
    frame.src = src;
    document.body.append(frame);
  }, url);
  expect((await refused).type()).toBe('error');
  await other.page.context().close();
});
