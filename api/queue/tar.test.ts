/** The archive as the system's `tar` reads it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tarOf, type TarFile } from './tar.ts';

const file = (name: string, text: string, bytes = Buffer.byteLength(text)): TarFile => ({
  path: name,
  bytes,
  modifiedMs: 1_700_000_000_000,
  read: async function* () {
    yield await Promise.resolve(Buffer.from(text));
  },
});
async function* each(files: readonly TarFile[]): AsyncGenerator<TarFile> {
  for (const one of files) yield await Promise.resolve(one);
}
const collect = async (files: readonly TarFile[]): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarOf(each(files))) chunks.push(chunk);
  return Buffer.concat(chunks);
};

test('names of any length and script, empty files and sizes around a block come out as they went in', async () => {
  const contents: readonly (readonly [string, string])[] = [
    ['a.txt', 'olá'],
    ['empty', ''],
    [`${'pasta/'.repeat(30)}fundo.txt`, 'x'.repeat(511)],
    ['ação/日本.csv', 'y'.repeat(512)],
    ['with space', 'z'.repeat(513)],
  ];
  const folder = await mkdtemp(path.join(tmpdir(), 'svctar-'));
  try {
    const archive = path.join(folder, 'a.tar');
    await writeFile(archive, await collect(contents.map(([name, text]) => file(name, text))));
    await promisify(execFile)('tar', ['-xf', archive, '-C', folder]);
    for (const [name, text] of contents) expect(await readFile(path.join(folder, name), 'utf8')).toBe(text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a size beyond eleven octal digits is in a pax record', async () => {
  const source = tarOf(each([file('large', '', 9 * 1_024 ** 3)]));
  await source.next();
  expect(Buffer.from((await source.next()).value as Uint8Array).toString()).toContain(' size=9663676416\n');
  await source.return(undefined);
});

test('a file that is shorter than announced breaks the archive off', async () => {
  await expect(collect([file('short', 'abc', 4)])).rejects.toThrow('3 came');
});
