/** The icon of a window is served by the portal from the package: its app need not run. Decision: docs/decisions/0042-who-may-call-an-app.md */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { icon } from '../testing/backends.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import { windowIconFiles } from './icons.ts';

const png = Buffer.from('89504e470d0a1a0a00', 'hex');
const declared = (url: string) => ({ window: { icone: { url } } });
const manifests = {
  dentro: declared('img/janela.svg'),
  raiz: declared('/janela.png'),
  falso: declared('falso.png'),
  fora: declared('https://fora.example/i.svg'),
  nada: declared('nada.svg'),
  pesado: declared('pesado.svg'),
  sem: {},
};

let portal: PortalWorld;
let ana: Browser;
beforeAll(async () => {
  portal = await createPortalWorld({ apps: Object.keys(manifests), manifests });
  ana = await portal.signedIn('ana');
  const { files } = portal.world;
  files.set('frontend/img/janela.svg', Buffer.from(icon));
  files.set('img/janela.svg', Buffer.from('<svg>another</svg>'));
  files.set('janela.png', png);
  files.set('frontend/falso.png', Buffer.from('<script>alert(1)</script>'));
  files.set('falso.png', png);
  const groups = Array.from({ length: 6 }, (_, n) => `<g id="g${n}"><path/>${`<use href="#g${n - 1}"/>`.repeat(10)}</g>`);
  files.set('pesado.svg', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${groups.join('')}</svg>`));
});
afterAll(async () => await portal.close());

test('it comes from what the page serves, else from the package, with the app stopped; it runs nothing, and its version may be kept', async () => {
  expect(portal.world.backend('ana', 'dentro').view.status).toBe('stopped');
  const answer = await ana.call('GET', '/api/apps/dentro/icone-da-janela?v=1.0.0');
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, icon, 'image/svg+xml; charset=utf-8']);
  expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
  expect(answer.headers['cache-control']).toBe('private, max-age=86400');
  const again = await ana.request('/api/apps/dentro/icone-da-janela', { headers: { 'if-none-match': answer.headers.etag ?? '' } });
  expect([again.status, again.headers['cache-control']]).toEqual([304, 'private, no-cache']);
  const root = await ana.call('GET', '/api/apps/raiz/icone-da-janela');
  expect([root.status, root.headers['content-type']]).toEqual([200, 'image/png']);
});

test.for([
  ['falso', 'a script that is called png'],
  ['fora', 'an address of elsewhere'],
  ['nada', 'a file that is not there'],
  ['pesado', 'a drawing of a million parts'],
  ['sem', 'no icon declared'],
  ['nenhum', 'no such app'],
])('%s: %s is not found', async ([app]) => {
  expect((await ana.call('GET', `/api/apps/${app}/icone-da-janela`)).status).toBe(404);
});

test('without a session there is none', async () => {
  expect((await portal.browser().call('GET', '/api/apps/dentro/icone-da-janela')).status).toBe(401);
});

describe('the file of an address', () => {
  test.for<[unknown, readonly string[]]>([
    ['a/b.PNG?x#y', ['frontend/a/b.PNG', 'a/b.PNG']],
    ['a/../i.jpg', ['frontend/i.jpg', 'i.jpg']],
    ['../../i.svg', ['frontend/i.svg', 'i.svg']],
    ['i.html', []],
    ['.env.svg', []],
    ['a%2f..%2fi.svg', []],
    ['%00.svg', []],
    ['//fora/i.svg', []],
    ['data:image/svg+xml,x.svg', []],
    ['javascript:x.svg', []],
    [7, []],
  ])('%j: %j', ([url, files]) => expect(windowIconFiles(url)).toEqual(files));
});
