/** Files that nobody asked for: times before 1970 and far off, long names, files whose size says nothing, pipes in the place of files. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createAccountFileSystem } from '../../controller/files/account-files.ts';
import { createListings } from '../../controller/files/listing.ts';
import type { FileSystem, PinnedFileSystem } from '../../controller/files/file-system.ts';
import { createFileService } from '../../controller/files/service.ts';
import { bytesIn, isSameTree, quiet, removeTree } from '../../controller/files/trees.ts';
import type { PersonFiles } from '../../schema/files.ts';
import type { OperationBody, OperationView } from '../../schema/wire/files.ts';
import { everyNth } from '../support/share.ts';
import { createFilesWorld, type FilesWorld } from './support/files-world.ts';

let world: FilesWorld;
let home: string;
let uid: number;
let byAccount: FileSystem;
let byPortal: FileSystem;
const ways = ['ssh', 'account', 'portal'] as const;
/** A seed takes one for each test; the long run has all. */
const one = (offset: number) => everyNth(3, ways, offset);

beforeAll(async () => {
  world = await createFilesWorld();
  const [ana] = world.accounts;
  if (ana === undefined) throw new Error('no account');
  ({ home, uid } = ana);
  byPortal = createAccountFileSystem(null, systemClock);
  byAccount = createAccountFileSystem({ name: ana.name, uid, gid: Number(execFileSync('id', ['-g', ana.name])), home }, systemClock);
});
afterAll(async () => {
  await byAccount?.close();
  await byPortal?.close();
  await world?.stop();
});

const systemOf = (way: (typeof ways)[number]): FileSystem => ({ ssh: world.fs(0), account: byAccount, portal: byPortal })[way];

/** With a folder of its own. */
function under(way: (typeof ways)[number], name: string): { readonly files: PersonFiles; readonly folder: string } {
  const folder = `${home}/${name}-${way}`;
  mkdirSync(folder);
  const isRoot = way === 'portal';
  if (!isRoot) chownSync(folder, uid, uid);
  const options = {
    fs: systemOf(way),
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

async function ended(files: PersonFiles, order: OperationBody): Promise<OperationView> {
  const { id } = await files.begin(order);
  for (;;) {
    const view = await files.operation(id, 5_000, new AbortController().signal);
    if (view.estado !== 'correndo') return view;
  }
}

async function operate(files: PersonFiles, order: OperationBody): Promise<string> {
  const { erros, resultados } = await ended(files, order);
  return erros[0]?.code ?? resultados[0]?.para ?? '';
}

async function failure(files: PersonFiles, order: OperationBody): Promise<string> {
  const [first] = (await ended(files, order)).erros;
  return `${first?.code} ${first?.caminho}`;
}

const folderOf = (path: string): void => {
  mkdirSync(path);
  chownSync(path, uid, uid);
};

async function textOf(files: PersonFiles, path: string): Promise<string> {
  const content = await files.open(Buffer.from(path));
  const parts: Uint8Array[] = [];
  if (content.bytes > 0) for await (const part of content.read(0, content.bytes - 1)) parts.push(part);
  await content.close();
  return Buffer.concat(parts).toString();
}

/** OpenSSH has 32 bits without a sign for it. */
const toldTime = (way: (typeof ways)[number], seconds: number): number =>
  (way === 'ssh' ? seconds - Math.floor(seconds / 2 ** 32) * 2 ** 32 : seconds) * 1_000;

test.for(one(1))('%s: times before 1970 and after 2106 are read, and copied', async (way) => {
  const { files, folder } = under(way, 'tempos');
  for (const [name, at] of [
    ['antes', -1e9],
    ['depois', 7e9],
  ] as const) {
    make(`${folder}/${name}`);
    utimesSync(`${folder}/${name}`, new Date(at * 1_000), new Date(at * 1_000));
    const { modificadoMs } = await files.item(Buffer.from(`${folder}/${name}`));
    expect(modificadoMs).toBe(toldTime(way, at));
  }
  mkdirSync(`${folder}/p`);
  chownSync(`${folder}/p`, uid, uid);
  expect(await operate(files, { tipo: 'copiar', itens: [`${folder}/antes`, `${folder}/depois`], destino: `${folder}/p` })).toBe(
    `${folder}/p/antes`,
  );
  const copied = ['antes', 'depois'].map((name) => lstatSync(`${folder}/p/${name}`).mtimeMs);
  // A copy has them whole: they are set on the server, not over SFTP.
  expect(copied).toEqual([-1e12, 7e12]);
});

test.for(one(2))('%s: a name of 255 bytes is saved, copied beside itself, deleted and restored', async (way) => {
  const { files, folder } = under(way, 'longos');
  const path = `${folder}/${'é'.repeat(125)}.text`;
  await files.write(Buffer.from(path), once('velho'), { matches: null, isNew: true, bytes: null });
  await files.write(Buffer.from(path), once('novo'), { matches: null, isNew: false, bytes: null });
  expect(await textOf(files, path)).toBe('novo');
  expect(await operate(files, { tipo: 'copiar', itens: [path], destino: folder, conflito: 'renomear' })).toContain('(2)');
  const id = await operate(files, { tipo: 'lixo', itens: [path] });
  expect(await operate(files, { tipo: 'restaurar', itens: [id] })).toBe(path);
  const deep = `${folder}/${`${'d'.repeat(250)}/`.repeat(17)}x`;
  await expect(files.item(Buffer.from(deep))).rejects.toMatchObject({
    code: expect.stringMatching(/^(FILE_NAME_REFUSED|NOT_FOUND)$/) as string,
  });
});

test.for(one(0))('%s: a file whose size says nothing is read to its end, a pipe is no file', async (way) => {
  const { files, folder } = under(way, 'tamanhos');
  expect(await textOf(files, '/proc/version')).toContain('Linux');
  expect(await textOf(files, '/proc/self/status')).toContain('VmRSS');
  execFileSync('mkfifo', [`${folder}/cano`]);
  await expect(files.open(Buffer.from(`${folder}/cano`))).rejects.toMatchObject({ code: 'FILE_KIND' });
  await expect(files.open(Buffer.from('/dev/zero'))).rejects.toMatchObject({ code: 'FILE_KIND' });
});

test.for(one(1))('%s: a folder that goes under an upload, and two uploads of one name', async (way) => {
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

test.for(one(2))('%s: no file takes the place of a pipe, a socket, a device or a folder', async (way) => {
  const { files, folder } = under(way, 'lugares');
  make(`${folder}/a`, 'de fora');
  folderOf(`${folder}/p`);
  const there = (name: string): string => `${folder}/p/${name}`;
  execFileSync('mkfifo', [there('cano')]);
  execFileSync('python3', ['-c', 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])', there('tomada')]);
  symlinkSync('/dev/null', there('nada'));
  folderOf(there('pasta'));
  for (const name of ['cano', 'tomada', 'nada', 'pasta']) {
    const order = { path: Buffer.from(there(name)), bytes: 1, conflict: 'substituir', resume: null } as const;
    await expect(files.beginUpload(order)).rejects.toMatchObject({ code: 'FILE_KIND' });
    await expect(files.open(order.path)).rejects.toMatchObject({ code: 'FILE_KIND' });
    renameSync(`${folder}/a`, `${folder}/${name}`);
    const placed = await operate(files, { tipo: 'copiar', itens: [`${folder}/${name}`], destino: `${folder}/p`, conflito: 'substituir' });
    expect([name, placed]).toEqual([name, name === 'pasta' ? 'FILE_EXISTS' : 'FILE_KIND']);
    renameSync(`${folder}/${name}`, `${folder}/a`);
  }
  // It came there while the bytes did.
  const late = await files.beginUpload({ path: Buffer.from(there('b')), bytes: 1, conflict: 'substituir', resume: null });
  await files.putPiece(late.id, 0, once('x'));
  execFileSync('mkfifo', [there('b')]);
  await expect(files.endUpload(late.id, null)).rejects.toMatchObject({ code: 'FILE_KIND' });
  expect(['cano', 'tomada', 'b'].map((name) => lstatSync(there(name)).isFile())).toEqual([false, false, false]);
});

test.for(one(0))('%s: what fails in a folder is told by its own path, with the reason that it has', async (way) => {
  const { files, folder } = under(way, 'razoes');
  for (const name of ['p', 'p/fundo', 'q', 'r', 'r/so-ler']) folderOf(`${folder}/${name}`);
  make(`${folder}/p/a`);
  execFileSync('mkfifo', [`${folder}/p/fundo/cano`]);
  make(`${folder}/r/so-ler/x`);
  expect(await failure(files, { tipo: 'copiar', itens: [`${folder}/p`], destino: `${folder}/q` })).toBe(`FILE_KIND ${folder}/p/fundo/cano`);
  expect(readdirSync(`${folder}/q`)).toEqual([]);
  for (const tipo of ['copiar', 'mover'] as const)
    expect(await operate(files, { tipo, itens: [`${folder}/p`], destino: `${folder}/p/fundo` })).toBe('FILE_INSIDE');
  expect(await operate(files, { tipo: 'lixo', itens: [folder] })).toBe('FILE_INSIDE');
  if (way === 'portal') return;
  chmodSync(`${folder}/r/so-ler`, 0o500);
  const id = await operate(files, { tipo: 'lixo', itens: [`${folder}/r`] });
  expect(await failure(files, { tipo: 'esvaziar', itens: [id] })).toBe(`FILE_REFUSED ${id}/so-ler/x`);
  make(`${folder}/q/fechado`);
  chmodSync(`${folder}/q/fechado`, 0);
  expect(await failure(files, { tipo: 'copiar', itens: [`${folder}/q`], destino: `${folder}/p` })).toBe(`FILE_REFUSED ${folder}/q/fechado`);
});

test.for(one(1))('%s: a file that says it is empty and is not is copied whole, and compared as it is', async (way) => {
  const { files, folder } = under(way, 'sem-tamanho');
  expect(await operate(files, { tipo: 'copiar', itens: ['/proc/version'], destino: folder })).toBe(`${folder}/version`);
  expect(readFileSync(`${folder}/version`, 'utf8')).toBe(readFileSync('/proc/version', 'utf8'));
  const same = (name: string) => isSameTree(systemOf(way), Buffer.from('/proc/version'), Buffer.from(`${folder}/${name}`), quiet.signal);
  make(`${folder}/vazio`, '');
  expect([await same('version'), await same('vazio')]).toEqual([true, false]);
});

test.for(one(2))('%s: a cancel ends between two pieces of a large folder', async (way) => {
  const { folder } = under(way, 'muitos');
  for (let n = 0; n < 1_500; n += 1) writeFileSync(`${folder}/${n}`, '');
  const fs = systemOf(way);
  for (const work of [bytesIn, (each: FileSystem, path: Buffer, signal: AbortSignal) => removeTree(each, path, { ...quiet, signal })]) {
    const ending = new AbortController();
    let pieces = 0;
    const listing = (inner: FileSystem): FileSystem['list'] =>
      async function* (path) {
        for await (const piece of inner.list(path)) {
          pieces += 1;
          ending.abort();
          yield piece;
        }
      };
    const pinned = async (): Promise<PinnedFileSystem> => {
      const inner = await fs.pinned();
      return { ...inner, list: listing(inner) };
    };
    await expect(work({ ...fs, list: listing(fs), pinned }, Buffer.from(folder), ending.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(pieces).toBe(1);
  }
  expect(readdirSync(folder)).toHaveLength(1_500);
});

test.for(one(0))('%s: a large file that was changed at the same size and time is another one, where a server tells it', async (way) => {
  const { files, folder } = under(way, 'mesmo-tempo');
  const path = Buffer.from(`${folder}/grande`);
  const text = 'x'.repeat(4 * 1_024 * 1_024 + 1);
  make(path.toString(), text);
  utimesSync(path, 1e9, 1e9);
  const { etag } = await lookedAt(files, path);
  expect((await lookedAt(files, path)).etag).toBe(etag);
  writeFileSync(path, text.replaceAll('x', 'y'));
  utimesSync(path, 1e9, 1e9);
  const save = files.write(path, once('meu'), { matches: etag, isNew: false, bytes: null });
  const became = await save.then(
    () => 'saved',
    ({ code }: { code: string }) => code,
  );
  expect(became).toBe(way === 'ssh' ? 'saved' : 'FILE_CHANGED');
});

async function lookedAt(files: PersonFiles, path: Buffer): Promise<{ readonly etag: string }> {
  const content = await files.open(path);
  await content.close();
  return content;
}
