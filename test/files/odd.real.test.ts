/** What a file system holds that nobody asked for: times before 1970 and far off, long names, files whose size says nothing, pipes in the place of files. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createAccountFileSystem } from '../../controller/files/account-files.ts';
import { createListings } from '../../controller/files/listing.ts';
import { createNodeFileSystem } from '../../controller/files/node-file-system.ts';
import type { FileSystem } from '../../controller/files/file-system.ts';
import { createFileService } from '../../controller/files/service.ts';
import type { PersonFiles } from '../../schema/files.ts';
import type { OperationBody } from '../../schema/wire/files.ts';
import { createFilesWorld, type FilesWorld } from './support/files-world.ts';

let world: FilesWorld;
let home: string;
let uid: number;
let byAccount: FileSystem;
const ways = ['ssh', 'account', 'portal'] as const;

beforeAll(async () => {
  world = await createFilesWorld();
  const [ana] = world.accounts;
  if (ana === undefined) throw new Error('no account');
  ({ home, uid } = ana);
  byAccount = createAccountFileSystem({ name: ana.name, uid, gid: Number(execFileSync('id', ['-g', ana.name])), home }, systemClock);
});
afterAll(async () => {
  await byAccount?.close();
  await world?.stop();
});

/** With a folder of its own. */
function under(way: (typeof ways)[number], name: string): { readonly files: PersonFiles; readonly folder: string } {
  const folder = `${home}/${name}-${way}`;
  mkdirSync(folder);
  const isRoot = way === 'portal';
  if (!isRoot) chownSync(folder, uid, uid);
  const fs = { ssh: world.fs(0), account: byAccount, portal: createNodeFileSystem() }[way];
  const options = {
    fs,
    person: `${way}-${name}`,
    account: 'ana',
    home: Buffer.from(folder),
    listings: createListings(systemClock),
    clock: systemClock,
  };
  return { files: createFileService(options), folder };
}

const make = (path: string, text = 'x'): void => {
  writeFileSync(path, text);
  chownSync(path, uid, uid);
};

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function operate(files: PersonFiles, order: OperationBody): Promise<string> {
  const { id } = await files.begin(order);
  for (;;) {
    const view = await files.operation(id, 5_000, new AbortController().signal);
    if (view.estado === 'correndo') continue;
    return view.erros[0]?.code ?? view.resultados[0]?.para ?? '';
  }
}

async function textOf(files: PersonFiles, path: string): Promise<string> {
  const content = await files.open(Buffer.from(path));
  const parts: Uint8Array[] = [];
  if (content.bytes > 0) for await (const part of content.read(0, content.bytes - 1)) parts.push(part);
  await content.close();
  return Buffer.concat(parts).toString();
}

test.for(ways)('%s: times before 1970 and after 2106 are read, and copied', async (way) => {
  const { files, folder } = under(way, 'tempos');
  for (const [name, at] of [
    ['antes', -1e9],
    ['depois', 7e9],
  ] as const) {
    make(`${folder}/${name}`);
    utimesSync(`${folder}/${name}`, at, at);
    const { modificadoMs } = await files.item(Buffer.from(`${folder}/${name}`));
    expect(modificadoMs).toBeGreaterThanOrEqual(0);
  }
  mkdirSync(`${folder}/p`);
  chownSync(`${folder}/p`, uid, uid);
  expect(await operate(files, { tipo: 'copiar', itens: [`${folder}/antes`, `${folder}/depois`], destino: `${folder}/p` })).toBe(
    `${folder}/p/antes`,
  );
});

test.for(ways)('%s: a name of 255 bytes is saved, copied beside itself, deleted and restored', async (way) => {
  const { files, folder } = under(way, 'longos');
  const path = `${folder}/${'é'.repeat(125)}.text`;
  await files.write(Buffer.from(path), once('velho'), { matches: null, isNew: true, bytes: null });
  await files.write(Buffer.from(path), once('novo'), { matches: null, isNew: false, bytes: null });
  expect(await textOf(files, path)).toBe('novo');
  expect(await operate(files, { tipo: 'copiar', itens: [path], destino: folder, conflito: 'renomear' })).toContain('(2)');
  const id = await operate(files, { tipo: 'lixo', itens: [path] });
  expect(await operate(files, { tipo: 'restaurar', itens: [id] })).toBe(path);
  const deep = `${folder}/${`${'d'.repeat(250)}/`.repeat(17)}x`;
  await expect(files.item(Buffer.from(deep))).rejects.toMatchObject({ code: expect.stringMatching(/^(BAD_REQUEST|NOT_FOUND)$/) as string });
});

test.for(ways)('%s: a file whose size says nothing is read to its end, a pipe is no file', async (way) => {
  const { files, folder } = under(way, 'tamanhos');
  expect(await textOf(files, '/proc/version')).toContain('Linux');
  expect(await textOf(files, '/proc/self/status')).toContain('VmRSS');
  execFileSync('mkfifo', [`${folder}/cano`]);
  await expect(files.open(Buffer.from(`${folder}/cano`))).rejects.toMatchObject({ code: 'FILE_KIND' });
  await expect(files.open(Buffer.from('/dev/zero'))).rejects.toMatchObject({ code: 'FILE_KIND' });
});

test.for(ways)('%s: a folder that goes under an upload, and two uploads of one name', async (way) => {
  const { files, folder } = under(way, 'envios');
  const order = { path: Buffer.from(`${folder}/p/a`), bytes: 6, conflict: 'recusar', resume: null } as const;
  mkdirSync(`${folder}/p`);
  chownSync(`${folder}/p`, uid, uid);
  const [one, two] = [await files.beginUpload(order), await files.beginUpload(order)];
  await Promise.all([files.putPiece(one.id, 0, once('abcdef')), files.putPiece(two.id, 0, once('abcdef'))]);
  const ends = await Promise.all(
    [one, two].map(({ id }) =>
      files.endUpload(id, null).then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
    ),
  );
  expect(ends.toSorted()).toEqual(['FILE_EXISTS', 'done']);
  const gone = await files.beginUpload({ ...order, path: Buffer.from(`${folder}/p/b`) });
  execFileSync('rm', ['-r', `${folder}/p`]);
  await expect(files.putPiece(gone.id, 0, once('abcdef')).then(() => files.endUpload(gone.id, null))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
