import { expect, test } from 'vitest';
import type { CatalogueManifest } from './records.ts';
import { type Offers, storeView } from './store-view.ts';

function offers(manifest: CatalogueManifest, ...versions: string[]): Offers {
  const entry = (version: string) => ({ version, tamanho: 1, publicadoEm: null, novidades: '', manifest });
  return { apps: [{ id: 'notas', versions: (versions.length > 0 ? versions : ['1.0.0']).map((one) => entry(one)) }], problem: null };
}

const own = { instalacao: ['pessoa'] } as const;
const has = (id: string, version: string, ...provides: string[]) => ({ id, version, provides });

test.for([
  ['fits', own, []],
  ['a newer shell', { ...own, minShellVersion: '2.1' }, ['shell']],
  ['this very shell', { ...own, minShellVersion: '2.0.5' }, []],
  ['an older shell', { ...own, minShellVersion: '1' }, []],
  ['a capability that is there', { ...own, requires: ['texto/v1'] }, []],
  ['another version of a capability', { ...own, requires: ['texto/v2'] }, ['capability']],
  ['its own capability', { ...own, requires: ['mapa/v1'], provides: ['mapa/v1'] }, ['capability']],
  ['an optional capability', { ...own, usa: ['nada/v1'] }, []],
  ['nothing said: for everybody', {}, ['escopo']],
  [
    'engines: for everybody whatever is declared',
    { ...own, motores: [{ nome: 'm', versao: '1', url: 'http://h/1', sha256: 'a', tamanho: 1 }] },
    ['escopo'],
  ],
] as const)('refused and why: %s', ([, manifest, wanted]) => {
  const [app] = storeView(offers(manifest), { shellVersion: '2.0.5', installed: [has('editor', '1.0.0', 'texto/v1')] });
  expect(app?.refused.map(({ motivo }) => motivo)).toEqual(wanted);
});

test.for([
  [['2.0.0', '1.0.0'], '1.0.0', true],
  [['1.10.0', '1.9.0'], '1.9.0', true],
  [['1.0.0'], '1.0.0', false],
  [['1.0.0'], '1.0.1', false],
  [['1.0.0'], '1.0.0-beta.2', true],
  [['1.0.0'], null, false],
] as const)('offered %s, installed %s: updatable %s', ([versions, installed, wanted]) => {
  const view = storeView(offers(own, ...versions), { shellVersion: '1', installed: installed === null ? [] : [has('notas', installed)] });
  expect(view[0]).toMatchObject({ installed, updatable: wanted });
});
