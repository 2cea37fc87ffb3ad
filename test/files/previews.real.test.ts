/** Files on an origin of their own, and as a zip, through a portal with real files. */
import { mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../../api/testing/portal-world.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createListings } from '../../controller/files/listing.ts';
import { createNodeFileSystem } from '../../controller/files/node-file-system.ts';
import { createFileService } from '../../controller/files/service.ts';
import { createManualClock } from '../../api/testing/manual-clock.ts';

let world: PortalWorld;
let home: string;
let ana: Browser;
const clock = createManualClock();

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'svc-previa-'));
  world = await open();
  ana = await world.signedIn('ana');
});
afterEach(async () => {
  await world.close();
  await rm(home, { recursive: true, force: true });
});

async function open(origins: 'subdomain' | 'path' = 'subdomain'): Promise<PortalWorld> {
  const made = await createPortalWorld({ clock, origins });
  const files = createFileService({
    fs: createNodeFileSystem(),
    person: 'ana',
    account: 'ana',
    home: Buffer.from(home),
    listings: createListings(systemClock),
    clock: systemClock,
  });
  made.world.filesOf = async () => files;
  return made;
}

const at = (name: string): string => path.join(home, name);
const preview = (name: string, by = ana): Promise<Answer> => by.call('POST', '/api/arquivos/previa', { caminho: at(name) });
/** As a browser that has no cookie for that origin. */
async function get(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  const { host, pathname } = new URL(url);
  return await world.browser().request(pathname, { method, headers: { host, ...headers } });
}

test('the address is of another origin, needs no cookie, and what comes from it may run nothing', async () => {
  await writeFile(at('a.svg'), '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
  const made = (await preview('a.svg')).json();
  expect(made.tipo).toBe('image/svg+xml');
  expect(new URL(made.url).host).toBe(`xn--prvia-csa.${world.host}`);
  const answer = await get(made.url);
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('<script>');
  const policy = String(answer.headers['content-security-policy']).split('; ');
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", 'sandbox', `frame-ancestors ${world.url}`]));
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-site',
    'cache-control': 'private, no-store',
  });
  expect(answer.headers['set-cookie']).toBe(undefined);
  // The shell's origin knows no such path.
  expect((await ana.request(new URL(made.url).pathname)).status).toBe(404);
});

test.for([
  ['p.html', 'text/plain; charset=utf-8'],
  ['p.xhtml', 'text/plain; charset=utf-8'],
  ['p.js', 'text/plain; charset=utf-8'],
  ['sem', 'text/plain; charset=utf-8'],
  ['F.JPEG', 'image/jpeg'],
  ['d.pdf', 'application/pdf'],
] as const)('%s is shown as %s, whatever is in it', async ([name, type]) => {
  await writeFile(at(name), '<!doctype html><script>fetch("/")</script>');
  const answer = await get((await preview(name)).json().url);
  expect(answer.headers['content-type']).toBe(type);
  expect(String(answer.headers['content-security-policy']).includes('sandbox')).toBe(type !== 'application/pdf');
});

test('ranges, as a video asks for them, and no other methods', async () => {
  await writeFile(at('v.mp4'), '0123456789');
  const { url } = (await preview('v.mp4')).json();
  const part = await get(url, { range: 'bytes=2-4' });
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
  expect((await get(url, { range: 'bytes=10-' })).status).toBe(416);
  const head = await get(url, {}, 'HEAD');
  expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '10', '']);
  expect((await get(url, {}, 'POST')).status).toBe(405);
});

test('it ends with its time, with the session and with the file; another key opens nothing', async () => {
  await writeFile(at('a.txt'), 'oi');
  const { url } = (await preview('a.txt')).json();
  expect((await get(url.slice(0, -1))).status).toBe(404);
  await rm(at('a.txt'));
  expect((await get(url)).status).toBe(404);
  await writeFile(at('a.txt'), 'oi');
  expect((await get(url)).status).toBe(200);
  clock.advance(10 * 60_000);
  expect((await get(url)).status).toBe(404);
  const second = (await preview('a.txt')).json().url;
  expect((await get(second)).status).toBe(200);
  await ana.call('DELETE', '/api/sessao');
  expect((await get(second)).status).toBe(404);
});

test('only a PDF has a page that prints it: one script of ours, framed by the shell alone, with the name as text', async () => {
  const name = '<script>"&.pdf';
  await writeFile(at(name), '%PDF-1.4');
  await writeFile(at('a.html'), '<script>1</script>');
  const { url } = (await preview(name)).json();
  const page = await get(`${url}/imprimir`);
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(String(page.headers['content-security-policy']).replaceAll(/sha256-[\w+/=]+/g, 'H')).toBe(
    `default-src 'none'; script-src 'H'; style-src 'H'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${world.url}`,
  );
  expect(page.text.match(/<script>/g)).toHaveLength(1);
  expect(page.text).toContain('&lt;script&gt;');
  expect(String((await get(url)).headers['content-security-policy'])).toContain(`frame-ancestors 'self' ${world.url}`);
  expect((await get(`${url}/imprimir`, {}, 'HEAD')).text).toBe('');
  expect((await get(`${(await preview('a.html')).json().url}/imprimir`)).status).toBe(404);
  expect((await get(`${url}/imprimir/imprimir`)).status).toBe(404);
});

test('what is no file, and a portal without origins, have none', async () => {
  await mkdir(at('pasta'));
  expect((await preview('pasta')).json()).toMatchObject({ status: 409, code: 'FILE_KIND' });
  expect((await preview('nada')).status).toBe(404);
  await world.close();
  world = await open('path');
  await writeFile(at('a.txt'), 'oi');
  expect((await preview('a.txt', await world.signedIn('ana'))).json()).toMatchObject({ status: 409, code: 'CONFLICT' });
});

test('the session keeps its latest addresses', async () => {
  await writeFile(at('a.txt'), 'oi');
  const urls: string[] = [];
  for (let n = 0; n < 257; n += 1) urls.push((await preview('a.txt')).json().url);
  expect((await get(urls[0] as string)).status).toBe(404);
  expect((await get(urls[1] as string)).status).toBe(200);
  expect((await get(urls[256] as string)).status).toBe(200);
});

test('a zip is a download with a name, and an error when there is nothing to send', async () => {
  await mkdir(at('Fotos'));
  await writeFile(at('Fotos/a.txt'), 'oi');
  const one = (...names: readonly string[]): Promise<Answer> =>
    ana.call('GET', `/api/arquivos/zip?${new URLSearchParams(names.map((name): [string, string] => ['caminho', at(name)])).toString()}`);
  const whole = await one('Fotos');
  expect([whole.status, whole.headers['content-type'], whole.text.slice(0, 4)]).toEqual([200, 'application/zip', 'PK\u0003\u0004']);
  expect(whole.headers['content-disposition']).toContain('filename="Fotos.zip"');
  expect((await one('Fotos', 'Fotos/a.txt')).headers['content-disposition']).toContain('filename="arquivos.zip"');
  // Many that fail take no place of those that come after them.
  for (let n = 0; n < 40; n += 1) expect((await one('Fotos', 'nada')).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect((await one('Fotos')).status).toBe(200);
});
