/** `svc.fila` the whole way: the page of Moinho, bridge, shell, portal, and the portal's own machine as the cluster. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whenInstalled } from '../integration/world.ts';
import { emptyServer, repository, startPortal, type RunningPortal } from '../support/portal.ts';
import { axeFindingsIn, frameAt, frameOf, launchBrowser, openApp, signedIn } from './support/browser.ts';

let folder: string;
let portal: RunningPortal;
let browser: Browser;
let page: Page;

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svcb-'));
  await mkdir(path.join(folder, 'd'));
  const documents = [
    document('Portal', 'casa', `{ repository: ${JSON.stringify(path.join(repository, 'examples/apps'))}, fila: {} }`),
    document('Server', 'casa', '{ local: { prefix: ".", trusted: true } }'),
    document('Person', 'ana', '{ nome: Ana Souza, login: ana, server: casa, account: ana }'),
    document('Package', 'moinho', '{ app: moinho, versao: "1.0.0", server: casa, instalacao: sistema }'),
    document('Package', 'notas', '{ app: notas, versao: "1.0.0", server: casa, instalacao: sistema }'),
  ];
  await writeFile(path.join(folder, 'd/casa.yaml'), documents.join('---\n'));
  [portal, browser] = await Promise.all([startPortal({ desired: path.join(folder, 'd'), state: path.join(folder, 's') }), launchBrowser()]);
  await whenInstalled(portal, 'moinho', 'notas');
  ({ page } = await signedIn(browser, portal, {}, { button: /^Moinho/ }));
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
  await emptyServer(path.join(folder, 's'));
  await rm(folder, { recursive: true, force: true });
});

async function pageOf(title: string): Promise<Frame> {
  await openApp(page, title);
  const frame = await frameAt(page, title);
  await frame.waitForFunction('window.svc?.noAmbiente === true');
  return frame;
}

test('a page submits, follows through the death of the portal, fetches what came whole, and cancels', { timeout: 180_000 }, async () => {
  const notas = await pageOf('Notas');
  expect(await notas.evaluate('svc.fila.disponivel()')).toMatchObject({ disponivel: false, codigo: 'SEM_ESCOPO' });
  expect(await notas.evaluate(`svc.fila.submeter({ comando: ['true'] }).catch(({ code }) => code)`)).toBe('FORBIDDEN');
  const frame = await pageOf('Moinho');
  expect(await frame.evaluate('svc.fila.disponivel()')).toEqual({ disponivel: true, motivo: null, codigo: null });

  // More than one piece each way.
  const script = `sha256sum <entrada/a.bin; cp entrada/a.bin saida/b.bin; for i in 1 2 3 4 5 6; do echo "linha $i"; sleep 1; done; printf fim >saida/fim.txt`;
  const id = await frame.evaluate<string>(`(async () => {
    window.sent = new Uint8Array(5_000_000).map((_, at) => at * 7 + (at >> 8));
    window.submission = { chave: 'da-pagina', nome: 'página', comando: ['bash', '-c', ${JSON.stringify(script)}], entradas: { 'entrada/a.bin': sent } };
    const { id } = await svc.fila.submeter(submission);
    window.news = [];
    window.over = (async () => { for await (const one of svc.fila.acompanhar(id)) news.push(one); })();
    return id;
  })()`);
  expect(await frame.evaluate('svc.fila.submeter(submission).then((job) => job.id)')).toBe(id);
  await frame.waitForFunction(`news.some(({ linhas }) => linhas.includes('linha 1'))`);
  await portal.kill();
  expect(await frame.evaluate('svc.fila.disponivel()')).toMatchObject({ disponivel: false, codigo: 'SEM_REDE' });
  await portal.again();
  await frame.evaluate('over');
  const lines = await frame.evaluate<string[]>('news.flatMap(({ linhas }) => linhas)');
  expect(lines).toEqual([expect.stringMatching(/^[0-9a-f]{64} {2}-$/), ...Array.from({ length: 6 }, (_, at) => `linha ${at + 1}`)]);
  expect(await frame.evaluate('news.at(-1)')).toMatchObject({ id, estado: 'terminado', codigo: 0, app: 'moinho' });

  expect(await frame.evaluate(`svc.fila.saidas('${id}').then((all) => all.map(({ caminho }) => caminho).sort())`)).toEqual([
    'b.bin',
    'fim.txt',
  ]);
  const isSame = `svc.fila.baixar('${id}', 'b.bin').then(async ([{ blob }]) => {
    const came = new Uint8Array(await blob.arrayBuffer());
    return came.length === sent.length && came.every((byte, at) => byte === sent[at]);
  })`;
  expect(await frame.evaluate(isSame)).toBe(true);
  expect(await frame.evaluate(`svc.fila.baixar('${id}').then((all) => all.length)`)).toBe(2);
  expect(await frame.evaluate(`svc.fila.baixar('${id}', 'nada').catch(({ code }) => code)`)).toBe('NOT_FOUND');
  // A job of one app is none of another's.
  expect(await notas.evaluate(`svc.fila.acompanhar('${id}').next().catch(({ code }) => code)`)).toBe('NOT_FOUND');

  const states = await frame.evaluate<string[]>(`(async () => {
    const { id } = await svc.fila.submeter({ comando: ['sleep', '300'] });
    const seen = [];
    for await (const { estado } of svc.fila.acompanhar(id)) {
      if (seen.at(-1) !== estado) seen.push(estado);
      if (estado === 'a-correr') await svc.fila.cancelar(id);
    }
    return seen;
  })()`);
  expect(states.at(-1)).toBe('cancelado');
});

test('Moinho shows what its job counted, at 320 px and in both themes', { timeout: 60_000 }, async () => {
  const moinho = frameOf(page, 'Moinho');
  await moinho.getByLabel('Texto').fill('a casa e a rua\ne a ponte');
  await moinho.getByRole('button', { name: 'Contar as palavras' }).click();
  await moinho.getByText(/terminado .* a 3, e 2, casa 1/).waitFor();
  const frame = await frameAt(page, 'Moinho');
  expect(await axeFindingsIn(frame)).toEqual([]);
  if (process.env['PICTURES'] !== undefined) await page.screenshot({ path: path.join(process.env['PICTURES'], 'moinho.png') });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await frame.locator('html[data-svc-tema="escuro"]').waitFor({ state: 'attached' });
  expect(await axeFindingsIn(frame, 'colours')).toEqual([]);
  if (process.env['PICTURES'] !== undefined) await page.screenshot({ path: path.join(process.env['PICTURES'], 'moinho-320-dark.png') });
  const overflow = await frame.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBe(0);
});
