/** A zip of real files, as Python reads it. */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFault } from './file-fault.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { createZipWriter } from './zip-format.ts';
import { zip } from './zip.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svc-zip-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const fs = createNodeFileSystem();
const signal = new AbortController().signal;
const target = (): string => path.join(folder, 'saida.zip');

/** Reads all of it, checksums too; answers names, sizes and modes. */
const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    names = z.infolist()
    print(json.dumps({'count': len(names), 'entries': [[i.filename, i.file_size, oct((i.external_attr >> 16) & 0o7777), i.date_time[0]] for i in names[:50]],
      'text': z.read('LEIA-ME.txt').decode() if 'LEIA-ME.txt' in z.namelist() else None}))
`;
interface Seen {
  readonly count: number;
  readonly entries: readonly (readonly [string, number, string, number])[];
  readonly text: string | null;
}
async function byPython(): Promise<Seen> {
  const { stdout } = await promisify(execFile)('python3', ['-c', script, target()], { env: { ...process.env, PYTHONIOENCODING: 'utf-8' } });
  return JSON.parse(stdout) as Seen;
}
async function make(...names: readonly string[]): Promise<void> {
  const paths = names.map((name) => Buffer.from(path.join(folder, name)));
  await pipeline(Readable.from(zip(fs, paths, signal), { objectMode: false }), createWriteStream(target()));
}

test('files and folders come with their names, modes and bytes; links and pipes are left out and told', async () => {
  const made = (name: string): string => path.join(folder, name);
  await mkdir(made('Fotos/vazia'), { recursive: true });
  await writeFile(made('Fotos/ação.txt'), 'olá '.repeat(100_000));
  await writeFile(made('Fotos/foto.png'), Buffer.alloc(300_000, 7));
  await writeFile(made('Fotos/vazio'), '');
  await chmod(made('Fotos/vazio'), 0o750);
  await utimes(made('Fotos/vazio'), 0, 0);
  await symlink('/etc/passwd', made('Fotos/atalho'));
  await promisify(execFile)('mkfifo', [made('Fotos/cano')]);
  await writeFile(Buffer.concat([Buffer.from(made('Fotos/f')), Buffer.from([0xff])]), 'bytes');
  await writeFile(made('Fotos/f%FF'), 'outro');
  await writeFile(made('Fotos/..\\..\\fora'), 'barra');
  await writeFile(made('nota.txt'), 'nota');
  await make('Fotos', 'nota.txt');
  const { entries, text } = await byPython();
  expect(Object.fromEntries(entries.map(([name, bytes]) => [name, bytes]))).toEqual({
    'Fotos/': 0,
    'Fotos/vazia/': 0,
    'Fotos/ação.txt': Buffer.byteLength('olá '.repeat(100_000)),
    'Fotos/foto.png': 300_000,
    'Fotos/vazio': 0,
    'Fotos/f%FF': 5,
    'Fotos/f%FF (2)': 5,
    'Fotos/..%5C..%5Cfora': 5,
    'nota.txt': 4,
    'LEIA-ME.txt': Buffer.byteLength(text ?? ''),
  });
  expect(entries.find(([name]) => name === 'Fotos/vazio')).toEqual(['Fotos/vazio', 0, '0o750', 1980]);
  expect(entries.at(-1)?.[0]).toBe('LEIA-ME.txt');
  for (const line of [
    '- Fotos/atalho: atalho',
    '- Fotos/cano: não é arquivo',
    '- Fotos/f%FF (2): outro nome',
    '- Fotos/..%5C..%5Cfora: outro nome',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('nota.txt');
});

test('without anything to tell there is no such file, two of one name are two, and what is not there is an error before the first byte', async () => {
  for (const sub of ['a', 'b']) {
    await mkdir(path.join(folder, sub));
    await writeFile(path.join(folder, sub, 'x.txt'), sub);
  }
  await make('a/x.txt', 'b/x.txt');
  const { entries, text } = await byPython();
  expect([entries.map(([name]) => name).slice(0, 2), text?.includes('x.txt (2): outro nome')]).toEqual([['x.txt', 'x.txt (2)'], true]);
  await make('a');
  expect(await byPython()).toMatchObject({ count: 2, text: null });
  const first = zip(fs, [Buffer.from(path.join(folder, 'a')), Buffer.from(path.join(folder, 'nada'))], signal).next();
  await expect(first).rejects.toSatisfy((error) => isFault(error, 'ENOENT'));
});

test('70,000 entries are told as such', async () => {
  const writer = createZipWriter();
  const all = function* (): Generator<Buffer> {
    for (let n = 0; n < 70_000; n += 1) {
      const bytes = Buffer.from(String(n));
      yield writer.begin({ name: `n/${n}`, isFolder: false, mode: 0o644, modifiedMs: 1e12, bytesMax: bytes.length, isDeflated: false });
      yield bytes;
      yield writer.end({ crc: crc32(bytes), packed: bytes.length, bytes: bytes.length });
    }
    yield* writer.finish();
  };
  await pipeline(Readable.from(all(), { objectMode: false }), createWriteStream(target()));
  expect((await byPython()).count).toBe(70_000);
});

/** 4.3 GiB are read, packed and written: by hand and in the long run. */
const isLong = process.env['SVC_TEST_LONG'] === '1';
test.runIf(isLong)('a file of more than 4 GiB, packed and not, and one behind it; memory stays small', { timeout: 600_000 }, async () => {
  const bytes = 4.1 * 1_024 ** 3;
  await mkdir(path.join(folder, 'g'));
  for (const name of ['a.bin', 'b.mp4']) {
    const file = await open(path.join(folder, 'g', name), 'w');
    await file.truncate(Math.floor(bytes));
    await file.close();
  }
  await writeFile(path.join(folder, 'g', 'c.txt'), 'fim');
  const peak = { rss: 0 };
  const timer = setInterval(() => (peak.rss = Math.max(peak.rss, process.memoryUsage().rss)), 200);
  const before = process.memoryUsage().rss;
  await make('g');
  clearInterval(timer);
  const { entries } = await byPython();
  expect(Object.fromEntries(entries.map(([name, size]) => [name, size]))).toEqual({
    'g/': 0,
    'g/a.bin': Math.floor(bytes),
    'g/b.mp4': Math.floor(bytes),
    'g/c.txt': 3,
  });
  expect((peak.rss - before) / 1_024 ** 2).toBeLessThan(300);
});
