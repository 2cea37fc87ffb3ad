/** The catalogue from folders and from a server that comes and goes. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { type PackageRecord, catalogueOf } from '../layout/records.ts';
import type { Clock } from '../../../schema/clock.ts';
import { createOffersReader } from './offers.ts';
import type { Repository, RepositoryLocation } from './location.ts';

let dir: string;
let skipMs: number;
/** Real time, with the age of what was read put forward by hand. */
const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now() + skipMs,
  at: (atMs, fn) => {
    const timer = setTimeout(fn, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-off-'));
  skipMs = 0;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (location: RepositoryLocation, groups: readonly string[] | null = null): Repository => ({
  ...location,
  place: location.kind === 'url' ? location.url : location.folder,
  key: null,
  groups,
});

const record = (version: string, id = 'notas'): PackageRecord => ({
  formato: 1,
  manifest: { id, version, backend: { runtime: 'node', entrypoint: 'main.js' } },
  sha256: 'a'.repeat(64),
  tamanho: 10,
  publicadoEm: '2026-11-21T05:00:00Z',
  novidades: '',
});

function catalogue(...versions: string[]): string {
  return JSON.stringify(
    catalogueOf(
      versions.map((one) => record(one)),
      [],
    ),
  );
}

const extensoes = (...ids: readonly string[]): string =>
  JSON.stringify({
    formato: 1,
    extensoes: ids.map((id) => ({ id, nome: id, navegadores: [{ navegador: 'firefox', endereco: `https://loja.example/${id}` }] })),
  });

test('browser extensions: beside unpacked packages, in v1/ of packed ones; a broken catalogue leaves the last good one and says so', async () => {
  const reader = createOffersReader(clock);
  const read = async (folder: string) => {
    skipMs += limits.offersCacheMs;
    const { extensions, problem } = await reader.read([at({ kind: 'folder', folder })]);
    return [extensions?.map(({ id }) => id), problem];
  };
  const unpacked = path.join(dir, 'unpacked');
  mkdirSync(unpacked);
  expect(await read(unpacked)).toEqual([[], null]);
  writeFileSync(path.join(unpacked, 'extensoes.json'), extensoes('leitor', 'nota'));
  expect(await read(unpacked)).toEqual([['leitor', 'nota'], null]);
  writeFileSync(path.join(unpacked, 'extensoes.json'), extensoes('Leitor'));
  expect(await read(unpacked)).toEqual([['leitor', 'nota'], expect.stringContaining('/extensoes/0/id')]);
  rmSync(path.join(unpacked, 'extensoes.json'));
  mkdirSync(path.join(unpacked, 'extensoes.json'));
  expect(await read(unpacked)).toEqual([['leitor', 'nota'], expect.stringContaining('this is a folder')]);
  const packed = path.join(dir, 'packed');
  mkdirSync(path.join(packed, 'v1/pacote'), { recursive: true });
  writeFileSync(path.join(packed, 'v1/catalogo.json'), catalogue('1.0.0'));
  writeFileSync(path.join(packed, 'extensoes.json'), extensoes('leitor'));
  expect(await read(packed)).toEqual([[], null]);
  writeFileSync(path.join(packed, 'v1/extensoes.json'), extensoes('mapa'));
  expect(await read(packed)).toEqual([['mapa'], null]);
});

test('a folder with packed versions and one with unpacked packages; a package with errors is not offered', async () => {
  const packed = path.join(dir, 'packed');
  mkdirSync(path.join(packed, 'v1/pacote'), { recursive: true });
  writeFileSync(path.join(packed, 'v1/catalogo.json'), catalogue('1.0.0', '1.1.0'));
  const offers = await createOffersReader(clock).read([at({ kind: 'folder', folder: packed })]);
  expect(offers.apps[0]?.versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
  const examples = path.resolve(import.meta.dirname, '../../../examples/apps');
  const unpacked = await createOffersReader(clock).read([at({ kind: 'folder', folder: examples })]);
  expect(unpacked.apps.map(({ id }) => id)).toEqual(expect.arrayContaining(['notas', 'relogio']));
  const bad = path.join(dir, 'unpacked/ruim');
  mkdirSync(bad, { recursive: true });
  writeFileSync(path.join(bad, 'svc-app.json'), '{"id":"ruim"}');
  expect(await createOffersReader(clock).read([at({ kind: 'folder', folder: path.dirname(bad) })])).toEqual({
    apps: [],
    extensions: [],
    problem: null,
  });
});

test('an unpacked package that can not be read now is offered as before, and that is told', async () => {
  const reader = createOffersReader(clock);
  const notas = path.join(dir, 'notas');
  const manifest = path.join(notas, 'svc-app.json');
  mkdirSync(notas);
  writeFileSync(manifest, JSON.stringify(record('1.0.0').manifest));
  const read = async () => {
    skipMs += limits.offersCacheMs;
    const { apps, problem } = await reader.read([at({ kind: 'folder', folder: dir })]);
    return [apps.map(({ id }) => id), problem];
  };
  expect(await read()).toEqual([['notas'], null]);
  rmSync(manifest);
  symlinkSync('svc-app.json', manifest);
  expect(await read()).toEqual([['notas'], expect.stringContaining('ELOOP')]);
  rmSync(manifest);
  expect(await read()).toEqual([[], null]);
});

test('an address: not sent twice, and the last good one stays while it is away or talks nonsense', async () => {
  const say = { body: catalogue('1.0.0'), status: 200, extensions: '' };
  const asked: (string | undefined)[] = [];
  const server = http.createServer((req, res) => {
    if (req.url === '/v1/extensoes.json') {
      res.writeHead(say.extensions === '' ? 404 : 200).end(say.extensions);
      return;
    }
    if (req.url === '/v1/loja.json') {
      res.writeHead(404).end();
      return;
    }
    asked.push(req.headers['if-none-match']);
    const etag = `"${say.body.length}"`;
    if (req.headers['if-none-match'] === etag) res.writeHead(304, { etag }).end();
    else res.writeHead(say.status, { etag }).end(say.body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reader = createOffersReader(clock);
  const read = async () => {
    const { apps, problem } = await reader.read([at({ kind: 'url', url })]);
    skipMs += limits.offersCacheMs;
    return [apps.flatMap(({ versions }) => versions.map(({ version }) => version)), problem];
  };
  expect(await read()).toEqual([['1.0.0'], null]);
  expect(await read()).toEqual([['1.0.0'], null]);
  expect(asked).toEqual([undefined, `"${say.body.length}"`]);
  say.body = catalogue('1.0.0', '2.0.0');
  expect(await read()).toEqual([['2.0.0', '1.0.0'], null]);
  say.extensions = extensoes('leitor');
  expect(await read()).toEqual([['2.0.0', '1.0.0'], null]);
  expect(reader.last().extensions?.map(({ id }) => id)).toEqual(['leitor']);
  say.extensions = '{"formato":1}';
  expect(await read()).toEqual([['2.0.0', '1.0.0'], expect.stringContaining('"extensoes" is missing')]);
  say.body = '{"formato":1}';
  expect(await read()).toEqual([['2.0.0', '1.0.0'], expect.stringContaining('"apps" is missing')]);
  say.status = 500;
  expect(await read()).toEqual([['2.0.0', '1.0.0'], expect.stringContaining('answers 500')]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await read()).toEqual([['2.0.0', '1.0.0'], expect.stringContaining('does not answer')]);
  expect(reader.last().extensions?.map(({ id }) => id)).toEqual(['leitor']);
});

test('several: the first that has an app offers it; one that is away hides nothing of the others, and nothing that it had', async () => {
  const packed = (name: string, ...apps: readonly [id: string, version: string][]): Repository => {
    const folder = path.join(dir, name);
    mkdirSync(path.join(folder, 'v1/pacote'), { recursive: true });
    const text = catalogueOf(
      apps.map(([id, version]) => record(version, id)),
      [],
    );
    writeFileSync(path.join(folder, 'v1/catalogo.json'), JSON.stringify(text));
    return at({ kind: 'folder', folder }, name === 'theirs' ? ['ti'] : null);
  };
  const own = packed('own', ['notas', '1.0.0']);
  const theirs = packed('theirs', ['notas', '9.0.0'], ['mapa', '2.0.0']);
  const away = at({ kind: 'url', url: 'http://127.0.0.1:9' });
  const reader = createOffersReader(clock);
  const read = async (...repositories: readonly Repository[]) => {
    skipMs += limits.offersCacheMs;
    const { apps, problem, unread } = await reader.read(repositories);
    const shown = apps.map(({ id, versions, repository }) => `${id} ${versions[0]?.version} ${repository.groups?.join() ?? 'all'}`);
    return [shown, problem, unread !== undefined];
  };
  expect(await read(own, theirs)).toEqual([['notas 1.0.0 all', 'mapa 2.0.0 ti'], null, false]);
  expect(await read(theirs, own)).toEqual([['mapa 2.0.0 ti', 'notas 9.0.0 ti'], null, false]);
  expect(await read(away, own, theirs)).toEqual([
    ['notas 1.0.0 all', 'mapa 2.0.0 ti'],
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not answer/),
    true,
  ]);
  rmSync(own.place, { recursive: true });
  expect(await read(own, theirs)).toEqual([['notas 1.0.0 all', 'mapa 2.0.0 ti'], expect.stringContaining('ENOENT'), true]);
});
