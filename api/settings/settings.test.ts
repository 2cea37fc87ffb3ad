/** What apps add to Settings, and whose scripts the shell gets. */
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
      secao: { endereco: '/api/apps/casa/secao.js?v=1.0.0', permitida: true, optIn: true },
    });
    expect(apps.map(({ id, secao }) => [id, secao?.permitida])).toEqual([
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
