/** The page of an app in the shop, from its author's folder to what a portal offers: packed, by its address, and not packed. */
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { publishApp } from '../kit/repository/publishing/publish.ts';
import { createRepositoryWriter } from '../kit/repository/publishing/receive.ts';
import type { Repository } from '../kit/repository/reading/location.ts';
import { createOfferedFiles } from '../kit/repository/reading/offered-file.ts';
import { createOffersReader } from '../kit/repository/reading/offers.ts';
import type { Offers } from '../schema/shop-view.ts';
import { createManualClock } from '../api/testing/manual-clock.ts';
import { createRepositoryHandler } from '../api/repository/serve.ts';

const clock = createManualClock();
const chunk = (type: string, ...numbers: readonly number[]): Buffer => {
  const body = Buffer.alloc(numbers.length * 4);
  for (const [at, one] of numbers.entries()) body.writeUInt32BE(one, at * 4);
  return Buffer.concat([Buffer.from([0, 0, 0, body.length]), Buffer.from(type, 'latin1'), body]);
};
const png = (width: number, height: number): Buffer =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', width, height), Buffer.alloc(5)]);
/** With a segment before that of the frame. */
const jpeg = (width: number, height: number): Buffer => {
  const frame = Buffer.from('ffd8ffe000040000ffffc2000b080000000001', 'hex');
  frame.writeUInt16BE(height, 14);
  frame.writeUInt16BE(width, 16);
  return Buffer.concat([frame, Buffer.alloc(8)]);
};

let folder: string;
let source: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svc-page-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  source = path.join(await mkdtemp(path.join(folder, 'p-')), 'agenda');
  await mkdir(path.join(source, 'loja'), { recursive: true });
  const manifest = { name: 'Agenda', id: 'agenda', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'main.py' } };
  await writeFile(path.join(source, 'svc-app.json'), JSON.stringify(manifest));
  await writeFile(path.join(source, 'main.py'), '');
  await writeFile(path.join(source, 'loja/mês.PNG'), png(640, 400));
  await writeFile(path.join(source, 'loja/dia.jpg'), jpeg(320, 200));
});
const page = (text: unknown): Promise<void> => writeFile(path.join(source, 'loja.json'), JSON.stringify(text));
const whole = {
  documentacao: 'https://agenda.example/ajuda',
  imagens: [
    { arquivo: 'loja/mês.PNG', texto: 'O mês' },
    { arquivo: 'loja/dia.jpg', texto: 'Um dia' },
  ],
};
const publish = (to: string) => publishApp(source, { destination: { kind: 'folder', dir: to }, nowMs: 0 });
const at = (location: { kind: 'folder'; folder: string } | { kind: 'url'; url: string }): Repository => {
  const place = location.kind === 'url' ? location.url : location.folder;
  return { ...location, place, key: null, groups: null };
};

async function offered(repository: Repository): Promise<Offers['apps'][number]['versions'][number]['page']> {
  const offers = await createOffersReader(clock).read([repository]);
  expect(offers.problem).toBe(null);
  const { page: found } = offers.apps[0]!.versions[0]!;
  const files = createOfferedFiles();
  for (const { file, width, height } of found?.pictures ?? []) {
    const picture = await files.read([repository], offers, 'agenda', '1.0.0', file);
    expect(Buffer.from(picture!.bytes)).toEqual(width === 640 ? png(width, height) : jpeg(width, height));
  }
  for (const other of ['main.py', '../agenda/svc-app.json', 'loja/outra.png'])
    expect(await files.read([repository], offers, 'agenda', '1.0.0', other)).toBe(null);
  return found;
}

test('a page is offered by a packed repository, by its address, and by a folder of packages', async () => {
  await page(whole);
  const packed = path.join(folder, 'packed');
  await publish(packed);
  const pictures = [
    { text: 'O mês', width: 640, height: 400 },
    { text: 'Um dia', width: 320, height: 200 },
  ];
  const expected = { documentation: whole.documentacao, pictures: pictures.map((one) => expect.objectContaining(one) as object) };
  expect(await offered(at({ kind: 'folder', folder: packed }))).toEqual(expected);
  expect(await offered(at({ kind: 'folder', folder: path.dirname(source) }))).toEqual(expected);
  const options = { root: packed, writer: createRepositoryWriter(packed, clock), clock, log: pino({ level: 'silent' }) };
  const server = http.createServer(createRepositoryHandler(options)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await offered(at({ kind: 'url', url }))).toEqual(expected);
  server.close();
});

test('the same bytes published again bring the page of a repository that lost it; a version without one has none', async () => {
  const packed = path.join(folder, 'again');
  await page(whole);
  await publish(packed);
  await rm(path.join(packed, 'v1/loja'), { recursive: true });
  await rm(path.join(packed, 'v1/loja.json'));
  expect(await offered(at({ kind: 'folder', folder: packed }))).toBe(undefined);
  expect((await publish(packed)).outcome).toBe('unchanged');
  expect(await offered(at({ kind: 'folder', folder: packed }))).toMatchObject({ documentation: whole.documentacao });
  expect((await readdir(path.join(packed, 'v1/loja/agenda'))).length).toBe(3);
});

describe('refused when it is published, and not shown where it is not packed', () => {
  const one = (arquivo: string, texto = 'x') => ({ imagens: [{ arquivo, texto }] });
  test.for<[string, unknown, string]>([
    ['another field', { ...whole, mais: 1 }, 'UNKNOWN_FIELD'],
    ['documentation that is a script', { documentacao: 'javascript:alert(1)' }, 'PATTERN'],
    ['a picture that is not there', one('loja/outra.png'), 'FILE_MISSING'],
    ['a picture outside', one('../agenda/loja/mês.PNG'), 'PATTERN'],
    ['a drawing', one('loja/x.svg'), 'PATTERN'],
    ['a script with the name of a picture', one('loja/script.png'), 'FORMAT'],
    ['a picture that fills a memory', one('loja/bomb.png'), 'FORMAT'],
    ['a picture that is too large', one('loja/large.png'), 'FILE_TOO_LARGE'],
    ['words that turn around', one('loja/dia.jpg', 'a\u202eb'), 'CONTROL_CHARACTER'],
    ['seven pictures', { imagens: Array.from({ length: 7 }, () => whole.imagens[0]) }, 'LENGTH'],
  ])('%s', async ([, text, code]) => {
    await writeFile(path.join(source, 'loja/script.png'), '<script>alert(1)</script>');
    await writeFile(path.join(source, 'loja/bomb.png'), png(60_000, 60_000));
    await writeFile(path.join(source, 'loja/large.png'), Buffer.concat([png(10, 10), Buffer.alloc(512 * 1_024)]));
    await page(text);
    await expect(publish(path.join(folder, 'refused'))).rejects.toMatchObject({
      code: 'PACKAGE_REFUSED',
      message: expect.stringMatching(new RegExp(`loja\\.json:\\d+:\\d+ .*${code}`)) as string,
    });
    expect((await offered(at({ kind: 'folder', folder: path.dirname(source) })))?.pictures ?? []).toEqual([]);
  });
});
