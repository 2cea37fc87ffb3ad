/** Additions of apps to Settings, and the packages whose scripts the shell gets. */
import type http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { createPortalWorld, type PortalWorld } from '../testing/portal-world.ts';
import { sectionScript } from '../testing/backends.ts';

const manifests: Readonly<Record<string, Partial<Manifest>>> = {
  casa: {
    handles: 'vscode',
    provides: ['dicionario/v1', 'sem-versao'],
    opens: { urls: ['*.Example.org', 'localhost'] },
    contributes: { settings: 'ajustes/secao.js', settingsOptIn: true },
  },
  propria: { instalacao: ['pessoa'], contributes: { settings: 'secao.js' } },
  fugida: { contributes: { settings: '../secao.js' } },
  plana: {},
  motor: { type: 'engine', engine: { loader: 'carregar.js' }, contributes: { browserExtension: { id: 'leitor', razao: 'Lê a página.' } } },
  servido: { type: 'engine', engine: { loader: 'servido/carregar.js' } },
  'da-casa': { type: 'engine', kind: 'service', escopo: 'servidor', engine: { loader: 'servido/carregar.js' } },
  proprio: { type: 'engine', instalacao: ['pessoa'], engine: { loader: 'carregar.js' } },
  janela: { engine: { loader: 'carregar.js' }, contributes: { browserExtension: { id: 'outra' } } },
};

let portal: PortalWorld;
let open: PortalWorld;
beforeAll(async () => {
  portal = await createPortalWorld({ apps: Object.keys(manifests), manifests });
  open = await createPortalWorld({ apps: Object.keys(manifests), manifests, shellScripts: 'person' });
});
afterAll(async () => {
  await portal.close();
  await open.close();
});

interface Told {
  readonly apps: readonly { readonly id: string; readonly secao: { readonly permitida: boolean } | null }[];
}

describe('what apps add to Settings', () => {
  test('is read from manifests; what is not as the spec says it is left out', async () => {
    const answer = await (await portal.signedIn('ana')).call('GET', '/api/configuracoes');
    const { apps } = answer.json() as unknown as Told;
    expect(apps.find(({ id }) => id === 'casa')).toEqual({
      id: 'casa',
      nome: 'casa',
      escopo: 'sistema',
      papel: 'ide',
      oferece: ['dicionario/v1'],
      hosts: ['*.example.org'],
      tipos: [],
      midias: [],
      proprios: [],
      menu: [],
      secao: { endereco: '/api/apps/casa/secao.js?v=1.0.0', permitida: true, optIn: true },
      extensao: null,
    });
    expect(apps.slice(0, 4).map(({ id, secao }) => [id, secao?.permitida])).toEqual([
      ['casa', true],
      ['propria', false],
      ['fugida', undefined],
      ['plana', undefined],
    ]);
  });

  test.for([
    ['casa', 200],
    ['propria', 403],
    ['fugida', 404],
    ['plana', 404],
    ['nenhuma', 404],
  ] as const)('the script of %s: %i, also while the app is stopped', async ([app, status]) => {
    const answer = await (await portal.signedIn('ana')).call('GET', `/api/apps/${app}/secao.js`);
    expect(answer.status).toBe(status);
    if (status !== 200) return;
    expect([answer.text, answer.headers['content-type'], answer.headers['x-content-type-options']]).toEqual([
      sectionScript,
      'text/javascript; charset=utf-8',
      'nosniff',
    ]);
  });

  test('a refusal says who can write to the folder, whoever installed the package', async () => {
    const answer = await (await portal.signedIn('ana')).call('GET', '/api/apps/propria/secao.js');
    expect(answer.json().detail).toContain('installed for one person, in a folder that their apps can write to');
  });

  test('with Portal.spec.shellScripts: person, what a person installed alone counts too', async () => {
    const ana = await open.signedIn('ana');
    expect((await ana.call('GET', '/api/apps/propria/secao.js')).status).toBe(200);
    const { apps } = (await ana.call('GET', '/api/configuracoes')).json() as unknown as Told;
    expect(apps.find(({ id }) => id === 'propria')?.secao?.permitida).toBe(true);
  });

  test('nobody who is not signed in, and no page of an app, gets a script', async () => {
    expect((await portal.browser().call('GET', '/api/apps/casa/secao.js')).status).toBe(401);
    const ana = await portal.signedIn('ana');
    const foreign = { headers: { origin: `http://casa.${portal.host}`, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' } };
    expect((await ana.request('/api/apps/casa/secao.js', foreign)).status).toBe(403);
  });
});

/** Started for ana, with a view that says so. */
async function running(world: PortalWorld, app: string, respond?: http.RequestListener): Promise<void> {
  const backend = world.world.backend('ana', app);
  if (respond !== undefined) backend.respond = respond;
  await backend.start();
}

describe('the loader of an engine', () => {
  test('is told with the app, and with whether it may run in the shell', async () => {
    const { apps } = (await (await portal.signedIn('ana')).call('GET', '/api/apps')).json() as {
      readonly apps: readonly { readonly id: string; readonly loader: unknown }[];
    };
    expect(Object.fromEntries(apps.flatMap(({ id, loader }) => (loader === null ? [] : [[id, loader]])))).toEqual({
      motor: { endereco: '/api/apps/motor/loader.js?v=1.0.0', permitido: true },
      servido: { endereco: '/api/apps/servido/loader.js?v=1.0.0', permitido: true },
      'da-casa': { endereco: '/api/apps/da-casa/loader.js?v=1.0.0', permitido: true },
      proprio: { endereco: '/api/apps/proprio/loader.js?v=1.0.0', permitido: false },
    });
  });

  test('is there while the backend answers, from the package on the disk and not from the socket', async () => {
    const ana = await portal.signedIn('ana');
    const asked = () => ana.call('GET', '/api/apps/motor/loader.js?v=1.0.0');
    const stopped = await asked();
    expect([stopped.status, stopped.json().code]).toEqual([503, 'APP_NOT_RUNNING']);
    await running(portal, 'motor');
    const answer = await asked();
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, sectionScript, 'text/javascript; charset=utf-8']);
    expect(portal.world.backend('ana', 'motor').seen).toEqual([]);
    portal.world.backend('ana', 'motor').become('backoff', 'Crashed');
    expect((await asked()).status).toBe(503);
  });

  test('that only the backend has is not run: any app of the person could answer there; with shellScripts: person it is', async () => {
    const script: http.RequestListener = (req, res) => void res.end(`// ${req.url}`);
    await running(portal, 'servido', script);
    const refused = await (await portal.signedIn('ana')).call('GET', '/api/apps/servido/loader.js');
    expect([refused.status, refused.json().detail]).toEqual([403, expect.stringContaining('frontend/servido/carregar.js')]);
    expect(portal.world.backend('ana', 'servido').seen).toEqual([]);
    await running(open, 'servido', script);
    const answer = await (await open.signedIn('ana')).call('GET', '/api/apps/servido/loader.js');
    expect([answer.status, answer.text]).toEqual([200, '// /servido/carregar.js']);
  });

  test.for<readonly [string, http.RequestListener, number]>([
    ['a script', (_req, res) => void res.end('registerEngine({})'), 200],
    ['nothing', (_req, res) => void res.writeHead(404).end('x'), 404],
    ['a redirect', (_req, res) => void res.writeHead(302, { location: '/api/sessao' }).end(), 404],
    ['too much', (_req, res) => void res.end('x'.repeat(2 * 1_024 * 1_024 + 1)), 413],
    ['a broken answer', (_req, res) => void res.destroy(), 502],
  ])('of an app of server scope is asked of its backend, which answers %s', async ([, respond, status]) => {
    await running(portal, 'da-casa', respond);
    expect((await (await portal.signedIn('ana')).call('GET', '/api/apps/da-casa/loader.js')).status).toBe(status);
  });

  test.for([
    ['proprio', 403],
    ['janela', 404],
    ['nenhuma', 404],
  ] as const)('of %s: %i', async ([app, status]) => {
    if (app !== 'nenhuma') await running(portal, app);
    const ana = await portal.signedIn('ana');
    expect((await ana.call('GET', `/api/apps/${app}/loader.js`)).status).toBe(status);
    expect((await ana.call('POST', `/api/apps/${app}/loader`, { falha: 'x' })).status).toBe(status);
  });

  test('that fails is a line in the log of the app and in that of the portal', async () => {
    const ana = await portal.signedIn('ana');
    expect((await ana.call('POST', '/api/apps/motor/loader', { falha: 'sem sorte' })).status).toBe(204);
    expect((await ana.call('GET', '/api/apps/motor/log?tail=1')).text).toContain('svc: the loader failed in the shell: sem sorte\n');
    expect(portal.logLines.some((line) => line.includes('"falha":"sem sorte"'))).toBe(true);
    for (const falha of ['', 'a\nb', 'x'.repeat(501)])
      expect((await ana.call('POST', '/api/apps/motor/loader', { falha })).status).toBe(400);
  });
});

test('the extension that an app suggests is told by what the catalogue says of it; one that the catalogue lacks is not', async () => {
  const ana = await portal.signedIn('ana');
  const told = async () =>
    Object.fromEntries(
      ((await ana.call('GET', '/api/configuracoes')).json() as { apps: { id: string; extensao: unknown }[] }).apps.flatMap(
        ({ id, extensao }) => (extensao === null ? [] : [[id, extensao]]),
      ),
    );
  expect(await told()).toEqual({});
  const navegadores = [{ navegador: 'firefox' as const, endereco: 'https://addons.example/leitor' }];
  portal.world.shop.extensions = [{ id: 'leitor', nome: 'Leitor', navegadores }];
  expect(await told()).toEqual({ motor: { id: 'leitor', nome: 'Leitor', razao: 'Lê a página.', navegadores } });
});
