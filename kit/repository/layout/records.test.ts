import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../schema/versions.ts';
import { parseRepositoryPath, pathOfItem } from './paths.ts';
import { readOfferedApps } from './minimum.ts';
import { catalogueOf, readCatalogue, readPackageRecord, type PackageRecord } from './records.ts';
import { wordsOf } from '../../../test/support/words.ts';

const record = (id: string, version: string): PackageRecord => ({
  formato: 1,
  manifest: { id, version, name: 'Nome', backend: { runtime: 'node', entrypoint: 'main.js' } },
  sha256: 'a'.repeat(64),
  tamanho: 10,
  publicadoEm: '2026-11-21T05:00:00.000Z',
  novidades: '',
});

test('the catalogue of records reads back, newest first, without what only the record tells', () => {
  const catalogue = catalogueOf([record('b', '1.9.0'), record('a', '1.0.0'), record('b', '1.10.0')], []);
  expect(readCatalogue(JSON.stringify(catalogue))).toEqual(catalogue);
  const oldestFirst = { ...catalogue, apps: catalogue.apps.map((app) => ({ ...app, versions: app.versions.toReversed() })) };
  expect(readOfferedApps(JSON.stringify(oldestFirst))).toEqual(
    catalogue.apps.map(({ id, versions }) => ({
      id,
      versions: versions.map(({ version, sha256, tamanho }) => ({ version, sha256, tamanho, provides: [] })),
    })),
  );
  expect(catalogue.apps.map(({ id, versions }) => [id, versions.map(({ version }) => version)])).toEqual([
    ['a', ['1.0.0']],
    ['b', ['1.10.0', '1.9.0']],
  ]);
  expect(catalogue.apps[0]?.versions[0]?.manifest).toEqual({ name: 'Nome' });
});

describe('refused with REPOSITORY_INVALID', () => {
  const good = catalogueOf([record('a', '1.0.0')], []);
  const version = good.apps[0]!.versions[0]!;
  const withVersion = (change: object) => ({ ...good, apps: [{ id: 'a', versions: [{ ...version, ...change }] }] });
  test.for<[string, unknown]>([
    ['no object', []],
    ['a newer format', { ...good, formato: 2 }],
    ['an app without versions', { ...good, apps: [{ id: 'a', versions: [] }] }],
    ['an app twice', { ...good, apps: [good.apps[0], good.apps[0]] }],
    ['a version twice', { ...good, apps: [{ id: 'a', versions: [version, version] }] }],
    ['an id that is a path', { ...good, apps: [{ id: '../a', versions: [version] }] }],
    ['a version that is a path', withVersion({ version: '1/2' })],
    ['a wrong hash', withVersion({ sha256: 'A'.repeat(64) })],
    ['no bytes', withVersion({ tamanho: 0 })],
    ['capabilities that are no texts', withVersion({ manifest: { provides: [1] } })],
    ['no manifest', withVersion({ manifest: undefined })],
    ['an id that is too long', { ...good, apps: [{ id: 'a'.repeat(50), versions: [version] }] }],
  ])('%s, by the installer too', ([, value]) => {
    for (const read of [readCatalogue, readOfferedApps])
      expect(() => read(JSON.stringify(value))).toThrow(expect.objectContaining({ code: 'REPOSITORY_INVALID' }));
  });
  test.for<[string, unknown]>([
    ['an unknown field', { ...good, mais: 1 }],
    ['a manifest field of a wrong type', withVersion({ manifest: { requires: 'x' } })],
    ['a manifest field that is not known', withVersion({ manifest: { novo: 1 } })],
  ])('%s, which the installer passes over', ([, value]) => {
    expect(() => readCatalogue(JSON.stringify(value))).toThrow(expect.objectContaining({ code: 'REPOSITORY_INVALID' }));
    expect(readOfferedApps(JSON.stringify(value))).toMatchObject([{ id: 'a', versions: [{ version: '1.0.0' }] }]);
  });
  test('what is no JSON, by both', () => {
    for (const read of [readCatalogue, readOfferedApps])
      for (const text of ['', '{', '\uFEFF{}', 'null'])
        expect(() => read(text)).toThrow(expect.objectContaining({ code: 'REPOSITORY_INVALID' }));
  });
  test('a record that tells of another version than its path', () => {
    expect(() => readPackageRecord(JSON.stringify(record('a', '1.0.0')), 'a', '1.0.1')).toThrow(
      expect.objectContaining({ code: 'REPOSITORY_INVALID' }),
    );
  });
});

test.for([
  ['/v1/catalogo.json', 'catalogue'],
  ['/v1/pacote/notas/1.0.0.tgz', 'tarball'],
  ['/v1/pacote/notas/1.0.0.tgz.tgz', 'tarball'],
  ['/v1/pacote/notas/1.0.0+a%2Bb.json', 'record'],
  ['/v1/pacote/notas/1.0.0.svg', 'icon'],
  ['/v1/motor/ocr/1.0.json', 'engine'],
  ['/v1/registro-motor/ocr/1.0.json', 'engine-record'],
  ['/v1/motor/OCR/1', null],
  ['/v1/motor/ocr/..', null],
  ['/v1/pacote/notas/../x.tgz', null],
  ['/v1/pacote/notas%2f1.0.0.tgz', 'tarball'],
  ['/v1/pacote/notas/1.0.0.exe', null],
  ['/v2/catalogo.json', null],
] as const)('%s is %s', ([path, kind]) => {
  const item = parseRepositoryPath(path);
  expect(item?.kind ?? null).toBe(kind);
  expect(item === null || `/${pathOfItem(item)}` === decodeURIComponent(path)).toBe(true);
});

test('versions in their order', () => {
  const sorted = wordsOf(`
    abc 1 2 1.0 0.9.0 1.0.0-alpha 1.0.0-alpha.2 1.0.0-alpha.10 1.0.0 1.0.0+b2 1.2.0 1.10.0
  `);
  expect(sorted.toReversed().sort(compareVersions).slice(-8)).toEqual(sorted.slice(-8));
  for (const a of sorted) for (const b of sorted) expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
});
