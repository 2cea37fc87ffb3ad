/** Entries of apps that open files and add to menus, as the portal sends them to the shell: an invalid one is left out alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { icon } from '../testing/backends.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

const path = { id: 'ver', superficie: 'arquivo', rotulo: 'Ver' };
const own = { extensao: '.traco', nome: 'Desenho', cor: '#224466' };
/** As an installer lets it in, which checks a minimum. */
const odd = (value: unknown): Partial<Manifest> => value as Partial<Manifest>;
const manifests: Readonly<Record<string, Partial<Manifest>>> = {
  desenhos: odd({
    opens: {
      extensions: ['.SVG', 'svg', 'traco', 'tar.gz', 'com espaço', 7, 'x'.repeat(254)],
      mimeTypes: ['Image/SVG+xml', `application/${'x'.repeat(127)}`, `application/${'x'.repeat(128)}`, 'image/*', 'nada', null],
      default: true,
      urls: [
        '*.co.uk',
        '*.github.io',
        '*.Desenhos.example',
        'desenhos.example',
        '*',
        '10.0.0.1',
        'localhost',
        `${'a.'.repeat(130)}example`,
      ],
      proprios: [
        { ...own, selo: 'TRAC', icone: 'icones/traco.svg' },
        { ...own, nome: 'Outra vez' },
        { ...own, extensao: 'fora' },
        { ...own, extensao: 'svg', cor: '#FFFF00' },
        'nada',
      ],
    },
    contributes: {
      contextMenu: [
        path,
        { ...path, id: 'mil', ordem: 1_000 },
        { ...path, id: 'ver' },
        { ...path, id: 'so', quando: { extensoes: ['.SVG'] }, ordem: 5 },
      ],
    },
  }),
  fugido: odd({ opens: { extensions: ['x'], proprios: [{ ...own, extensao: 'x', icone: 'a/../../b.svg', selo: 'minusculo' }] } }),
  muitos: odd({ contributes: { contextMenu: Array.from({ length: 12 }, (_each, n) => ({ ...path, id: `i${n}` })) } }),
  motor: odd({ type: 'engine', handles: 'ide', opens: { extensions: ['svg'], urls: ['a.example'] }, contributes: { contextMenu: [path] } }),
  quebrado: odd({ opens: { extensions: 'svg', urls: {}, proprios: 3 }, contributes: { contextMenu: {} } }),
};

let portal: PortalWorld;
let ana: Browser;
interface Told {
  readonly id: string;
  readonly [field: string]: unknown;
}
let told: Readonly<Record<string, Told>>;
beforeAll(async () => {
  portal = await createPortalWorld({ apps: Object.keys(manifests), manifests });
  ana = await portal.signedIn('ana');
  portal.world.files.set('icones/traco.svg', Buffer.from(icon));
  const { apps } = (await ana.call('GET', '/api/configuracoes')).json() as unknown as { readonly apps: readonly Told[] };
  told = Object.fromEntries(apps.map((app) => [app.id, app]));
});
afterAll(async () => await portal.close());

// Source: rules 2.1 `opens`, 2.2, 2.5, 7.
test('what is as the specification says is told, in one spelling, with the app stopped', () => {
  expect(portal.world.backend('ana', 'desenhos').view.status).toBe('stopped');
  expect(told['desenhos']).toMatchObject({
    tipos: ['svg', 'traco', 'tar.gz'].map((extensao) => ({ extensao, pede: true })),
    midias: ['image/svg+xml', `application/${'x'.repeat(127)}`].map((tipo) => ({ tipo, pede: true })),
    hosts: ['*.desenhos.example', 'desenhos.example'],
    proprios: [
      {
        extensao: 'traco',
        nome: 'Desenho',
        cor: '#224466',
        selo: 'TRAC',
        icone: '/api/apps/desenhos/icone-do-tipo?extensao=traco&v=1.0.0',
      },
    ],
    menu: [
      { id: 'ver', superficie: 'arquivo', rotulo: 'Ver', ordem: 100, extensoes: null, rota: null },
      { id: 'so', superficie: 'arquivo', rotulo: 'Ver', ordem: 5, extensoes: ['svg'], rota: null },
    ],
  });
});

test('an icon that leaves the package is none, nor is a badge that is no badge', () => {
  expect(told['fugido']).toMatchObject({ proprios: [{ extensao: 'x', selo: null, icone: null }] });
});

test('an app has at most 8 items of menus', () => {
  expect(told['muitos']?.['menu']).toHaveLength(8);
});

test.for(['motor', 'quebrado'])('%s opens nothing', (app) => {
  expect(told[app]).toMatchObject({ papel: null, hosts: [], tipos: [], midias: [], proprios: [], menu: [] });
});

test('the icon of an own type comes from the package, and runs nothing', async () => {
  const answer = await ana.call('GET', '/api/apps/desenhos/icone-do-tipo?extensao=traco&v=1.0.0');
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, icon, 'image/svg+xml; charset=utf-8']);
  expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
});

test.for([
  ['desenhos', 'svg', 404],
  ['desenhos', 'TRACO', 400],
  ['desenhos', '../traco', 400],
  ['fugido', 'x', 404],
  ['nenhum', 'traco', 404],
] as const)('of %s and %s it is %i', async ([app, extensao, status]) => {
  expect((await ana.call('GET', `/api/apps/${app}/icone-do-tipo?extensao=${encodeURIComponent(extensao)}`)).status).toBe(status);
});

test('nobody who is not signed in gets one', async () => {
  expect((await portal.browser().call('GET', '/api/apps/desenhos/icone-do-tipo?extensao=traco')).status).toBe(401);
});
