/** Archives that tar, zip, gzip and zstd made, and ones that lie, unpacked into real folders. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  mkdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  linkSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pax, rawEntry, tarEnd, type RawEntry } from '../../../kit/archive/testing/raw-tar.ts';
import { createRandom } from '../../../test/simulation/random.ts';
import { FileFault } from '../file-fault.ts';
import { createNodeFileSystem } from '../node-file-system.ts';
import { unpackTo } from './unpack.ts';

const fs = createNodeFileSystem();
const seed = Number(process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const random = createRandom(seed).next;
let root: string;
let ending: AbortController;
let leftOut: string[];
let read = 0;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svc-unpack-'));
  mkdirSync(at('aqui'));
  ending = new AbortController();
  leftOut = [];
  read = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...names: readonly string[]): string => path.join(root, ...names);
const run = (program: string, ...args: readonly string[]): void => void execFileSync(program, args, { cwd: root });

/** Answers where it is, below the folder. */
async function unpack(name: string): Promise<string> {
  const placed = await unpackTo(fs, Buffer.from(at(name)), Buffer.from(at('aqui')), {
    progress: { signal: ending.signal, bytes: (bytes) => void (read += bytes), file: () => undefined },
    leftOut: (one, { errno }) => leftOut.push(`${path.relative(at('aqui'), one.toString())} ${errno}`),
  });
  return path.relative(at('aqui'), placed.toString());
}
const refused = async (name: string): Promise<string> =>
  await unpack(name).then(
    (placed) => `unpacked to ${placed}`,
    (error: unknown) => (error instanceof FileFault ? error.errno : ((error as { code?: string }).code ?? String(error))),
  );

/** Every file below, with its bytes; a folder ends in `/`, a link says where it leads. */
function seen(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const full = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, full);
    if (entry.isDirectory()) found[`${name}/`] = '';
    else found[name] = entry.isSymbolicLink() ? `→ ${readlinkSync(full)}` : readFileSync(full, 'utf8');
  }
  return found;
}

function project(): void {
  mkdirSync(at('obra', 'vazia'), { recursive: true });
  mkdirSync(at('obra', 'fundo', 'mais'), { recursive: true });
  writeFileSync(at('obra', 'ação.txt'), 'olá '.repeat(50_000));
  writeFileSync(at('obra', 'fundo', 'mais', 'faz.sh'), '#!/bin/sh\n');
  chmodSync(at('obra', 'fundo', 'mais', 'faz.sh'), 0o755);
  writeFileSync(at('obra', `${'n'.repeat(200)}.txt`), 'nome longo');
  symlinkSync('../../ação.txt', at('obra', 'fundo', 'mais', 'atalho'));
  utimesSync(at('obra', 'ação.txt'), 1_000_000_000, 1_000_000_000);
  utimesSync(at('obra', 'vazia'), 1_000_000_000, 1_000_000_000);
}

const made: readonly (readonly [string, readonly string[]])[] = [
  ['obra.tar', ['tar', 'cf', 'obra.tar', 'obra']],
  ['obra.tar.gz', ['tar', 'czf', 'obra.tar.gz', 'obra']],
  ['obra.TGZ', ['tar', '--format=pax', '-czf', 'obra.TGZ', 'obra']],
  ['obra.tar.zst', ['tar', '--zstd', '-cf', 'obra.tar.zst', 'obra']],
  ['obra.zip', ['zip', '-qry', 'obra.zip', 'obra']],
];

test.for(made)('%s: names, bytes, links, modes and times are those of before', async ([name, [program = '', ...args]]) => {
  project();
  run(program, ...args);
  expect(await unpack(name)).toBe('obra');
  expect(seen(at('aqui', 'obra'))).toEqual(seen(at('obra')));
  expect(statSync(at('aqui', 'obra', 'fundo', 'mais', 'faz.sh')).mode & 0o111).toBe(0o111);
  for (const one of ['ação.txt', 'vazia']) expect(statSync(at('aqui', 'obra', one)).mtimeMs).toBe(1_000_000_000_000);
  expect([leftOut, read >= statSync(at(name)).size]).toEqual([[], true]);
  // An existing entry is never touched.
  expect(await unpack(name)).toBe('obra (2)');
  expect(readdirSync(at('aqui')).toSorted()).toEqual(['obra', 'obra (2)']);
});

test('several things get a folder of the archive’s name, one file is itself, nothing an empty folder', async () => {
  for (const name of ['um', 'dois']) writeFileSync(at(name), name);
  run('tar', 'czf', 'v1.2.tar.gz', './um', './dois');
  run('zip', '-q', 'so.zip', 'um');
  run('gzip', '-k', 'dois');
  run('zstd', '-q', 'um', '-o', 'solto.json.zst');
  run('tar', 'cf', 'nada.tar', '-T', '/dev/null');
  for (const name of ['v1.2.tar.gz', 'so.zip', 'dois.gz', 'solto.json.zst', 'nada.tar']) await unpack(name);
  expect(seen(at('aqui'))).toEqual({
    'v1.2/': '',
    'v1.2/um': 'um',
    'v1.2/dois': 'dois',
    um: 'um',
    dois: 'dois',
    'solto.json': 'um',
    'nada/': '',
  });
});

test('names whose bytes are no UTF-8, second names, a file that is there twice', async () => {
  mkdirSync(at('x'));
  const odd = Buffer.concat([Buffer.from(at('x', 'f')), Buffer.from([0xff])]);
  writeFileSync(odd, 'estranho');
  writeFileSync(at('x', 'a'), 'velho');
  linkSync(at('x', 'a'), at('x', 'b'));
  run('tar', 'cf', 'x.tar', 'x');
  writeFileSync(at('x', 'a'), 'novo!');
  run('tar', 'rf', 'x.tar', 'x/a');
  await unpack('x.tar');
  const names = readdirSync(at('aqui', 'x'), 'buffer');
  expect(names.map((name) => name.toString('latin1')).toSorted()).toEqual(['a', 'b', 'f\xff']);
  expect([readFileSync(at('aqui', 'x', 'a'), 'utf8'), readFileSync(at('aqui', 'x', 'b'), 'utf8')]).toEqual(['novo!', 'velho']);
  expect(leftOut).toEqual([]);
});

const forms = ['v7', 'oldgnu', 'gnu', 'ustar', 'posix'] as const;
const sparse = [[], ['-S'], ['-S', '--sparse-version=0.0'], ['-S', '--sparse-version=0.1'], ['-S', '--sparse-version=1.0']] as const;
test('every form of tar, with holes and without: the same tree, or a refusal that says so', async () => {
  mkdirSync(at('arvore', 'p'.repeat(60), 'q'.repeat(60)), { recursive: true });
  writeFileSync(at('arvore', 'p'.repeat(60), 'q'.repeat(60), 'fundo'), 'fundo');
  writeFileSync(at('arvore', 'ação'), 'olá');
  writeFileSync(at('arvore', 'furos'), 'x');
  // Six holes: more than a header of old GNU tar has room for.
  for (let n = 1; n <= 6; n += 1)
    run('dd', 'if=/dev/urandom', `of=${at('arvore', 'furos')}`, 'bs=4096', 'count=1', `seek=${n * 40}`, 'conv=notrunc', 'status=none');
  symlinkSync('ação', at('arvore', 'elo'));
  linkSync(at('arvore', 'ação'), at('arvore', 'outro'));
  const ends = new Map<string, number>();
  let nth = 0;
  const tried = async (name: string, ...args: readonly string[]): Promise<void> => {
    // Tar itself packs some trees in no form.
    if (spawnSync('tar', ['-cf', name, ...args], { cwd: root, stdio: 'ignore' }).status !== 0) return;
    const end = await refused(name);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    const whole = { args, leftOut: [], bytes: bytesOf(at('arvore')) };
    const found = end.startsWith('unpacked') ? { args, leftOut, bytes: bytesOf(at('aqui', end.slice('unpacked to '.length))) } : whole;
    expect(found).toEqual(whole);
    rmSync(at('aqui'), { recursive: true });
    mkdirSync(at('aqui'));
    leftOut = [];
  };
  for (const form of forms)
    for (const how of sparse)
      for (const more of [[], ['--xattrs', '--acls'], ['--numeric-owner']])
        await tried(`t${(nth += 1)}.tar`, `--format=${form}`, ...how, ...more, 'arvore');
  // A second entry behind the sparse one, a label, an incremental archive, a global header.
  for (const form of ['gnu', 'posix']) {
    await tried(`t${(nth += 1)}.tar`, `--format=${form}`, '-V', 'rotulo', 'arvore');
    await tried(`t${(nth += 1)}.tar`, `--format=${form}`, '-g', at(`incremental-${form}`), 'arvore');
  }
  await tried('t-global.tar', '--format=posix', '--pax-option=globexthdr.name=g,comment=nada', 'arvore');
  await tried('t-mtime.tar', '--format=posix', '--mtime=2242-03-16 12:56:32 UTC', 'arvore');
  expect([...ends.keys()].toSorted()).toEqual(['UNPACK_UNSUPPORTED', 'unpacked to arvore']);
  expect([...ends.values()].every((count) => count > 5)).toBe(true);
  mkdirSync(at('latim'));
  writeFileSync(Buffer.concat([Buffer.from(at('latim', 'a')), Buffer.from([0xe7])]), 'x');
  run('tar', '--format=posix', '-cf', 'latim.tar', 'latim');
  // Names are bytes, also in a pax header.
  expect(await refused('latim.tar')).toBe('unpacked to latim');
  expect(readdirSync(at('aqui', 'latim'), 'buffer')).toEqual([Buffer.from([0x61, 0xe7])]);
});

/** As `seen`, by bytes. */
function bytesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const full = path.join(entry.parentPath, entry.name);
    found[path.relative(folder, full)] = entry.isFile() ? readFileSync(full, 'latin1') : entry.isSymbolicLink() ? readlinkSync(full) : '';
  }
  return found;
}

test('a zip by another method, or in parts, is told as that', async () => {
  const script = [
    'import sys, zipfile, struct',
    'for name, method in (("bzip2", 12), ("lzma", 14)):',
    '    zipfile.ZipFile(name + ".zip", "w", method).writestr("a.txt", b"ola " * 1000)',
    'plain = zipfile.ZipFile("plano.zip", "w", 8); plain.writestr("a.txt", b"ola " * 1000); plain.close()',
    'data = open("plano.zip", "rb").read()',
    'central = data.rindex(b"PK\\x01\\x02"); end = data.rindex(b"PK\\x05\\x06")',
    'for name, method in (("deflate64", 9), ("zstd", 93), ("xz", 95), ("ppmd", 98), ("method 77", 77)):',
    '    other = bytearray(data); struct.pack_into("<H", other, 8, method); struct.pack_into("<H", other, central + 10, method); open(name + ".zip", "wb").write(other)',
    'other = bytearray(data); struct.pack_into("<H", other, end + 4, 2); open("parts.zip", "wb").write(other)',
    'other = bytearray(data); struct.pack_into("<H", other, 6, 0x41); struct.pack_into("<H", other, central + 8, 0x41); open("forte.zip", "wb").write(other)',
  ].join('\n');
  run('python3', '-c', script);
  const words = async (name: string): Promise<string> =>
    await unpack(`${name}.zip`).then(String, (error: unknown) => `${(error as { code: string }).code} ${(error as Error).message}`);
  for (const method of ['bzip2', 'lzma', 'deflate64', 'zstd', 'xz', 'ppmd', 'method 77'])
    expect(await words(method)).toBe(`UNPACK_UNSUPPORTED the archive is not unpacked: it is compressed by ${method}, not by deflate`);
  expect(await words('parts')).toBe('UNPACK_UNSUPPORTED the archive is not unpacked: it is one of several parts');
  expect(await words('forte')).toBe('UNPACK_REFUSED the archive is not unpacked: it is locked by a password');
  expect(await words('plano')).toBe('a.txt');
  // Numbers of zip64.
  run(
    'python3',
    '-c',
    'import zipfile; z = zipfile.ZipFile("zip64.zip", "w"); f = z.open("b.txt", "w", force_zip64=True); f.write(b"x"); f.close(); z.close()',
  );
  expect(await words('zip64')).toBe('b.txt');
});

function tarOf(name: string, entries: readonly (RawEntry | Buffer)[]): void {
  writeFileSync(at(name), Buffer.concat([...entries.map((one) => (Buffer.isBuffer(one) ? one : rawEntry(one))), tarEnd]));
}

test('nothing leaves the new folder: names that lead out, links that lead out, files written through links', async () => {
  writeFileSync(at('alvo'), 'de antes');
  tarOf('sai.tar', [{ name: '../alvo', data: 'mau' }]);
  tarOf('fundo.tar', [{ name: 'a/b/../../../alvo', data: 'mau' }]);
  tarOf('raiz.tar', [{ name: `${root}/alvo`, data: 'mau' }]);
  tarOf('por-atalho.tar', [
    { name: 'x/porta', type: '2', link: root },
    { name: 'x/porta/alvo', data: 'mau' },
    { name: 'x/cima', type: '2', link: '../../alvo' },
    { name: 'x/volta', type: '2', link: 'porta/../../alvo' },
    { name: 'x/outro', type: '1', link: '../alvo' },
    { name: 'x/passwd', type: '1', link: '/etc/passwd' },
    { name: 'x/cano', type: '6' },
    { name: 'x/disco', type: '4' },
    { name: 'x/bom', type: '2', link: 'porta/alvo' },
  ]);
  tarOf('só.tar', [{ name: 'outro', type: '1', link: 'não-há' }]);
  expect([await unpack('só.tar'), seen(at('aqui')), leftOut.splice(0)]).toEqual(['só', { 'só/': '' }, ['só/outro EKIND']]);
  // By its own words, not as damage.
  execFileSync(
    'python3',
    [
      '-c',
      'import sys, zipfile\nfor n, name in enumerate(sys.argv[1:]):\n  zipfile.ZipFile(f"fora{n}.zip", "w").writestr(name, "mau")',
      '../../alvo',
      `${root}/alvo`,
      'a\\..\\..\\alvo',
    ],
    { cwd: root },
  );
  for (const name of ['fora0.zip', 'fora1.zip', 'fora2.zip'])
    await expect(unpack(name)).rejects.toMatchObject({ code: 'UNPACK_REFUSED', message: expect.stringContaining('leads out') as string });
  expect([await refused('sai.tar'), await refused('fundo.tar')]).toEqual(['UNPACK_REFUSED', 'UNPACK_REFUSED']);
  // As tar does, a name from the root is one below.
  expect(await unpack('raiz.tar')).toBe(root.split('/')[1]);
  expect(await unpack('por-atalho.tar')).toBe('x');
  expect(seen(at('aqui', 'x'))).toEqual({ 'porta/': '', 'porta/alvo': 'mau', bom: '→ porta/alvo' });
  expect(leftOut.toSorted()).toEqual(
    ['x/cano', 'x/cima', 'x/disco', 'x/outro', 'x/passwd', 'x/porta', 'x/volta'].map((name) => `${name} EKIND`),
  );
  // They are reported by the paths where they would be.
  leftOut = [];
  expect(await unpack('por-atalho.tar')).toBe('x (2)');
  expect(leftOut).toContain('x (2)/cano EKIND');
  tarOf('dois.tar', [
    { name: 'só/um', data: 'um' },
    { name: 'cano', type: '6' },
  ]);
  leftOut = [];
  expect([await unpack('dois.tar'), leftOut]).toEqual(['só (2)', ['cano EKIND']]);
  expect(readFileSync(at('alvo'), 'utf8')).toBe('de antes');
});

test('what is damaged, locked, endless or of another kind is refused, and nothing of it stays', async () => {
  project();
  run('tar', 'czf', 'obra.tgz', 'obra');
  run('zip', '-qr', 'obra.zip', 'obra');
  run('zip', '-qr', '-P', 'senha', 'senha.zip', 'obra');
  const [tgz, zip] = [readFileSync(at('obra.tgz')), readFileSync(at('obra.zip'))];
  const bent = Buffer.from(zip);
  const from = bent.indexOf('ação.txt') + 60;
  for (let byte = 0; byte < 40; byte += 1) bent[from + byte] = 0xa5;
  const files: Readonly<Record<string, Uint8Array>> = {
    'cortado.tgz': tgz.subarray(0, tgz.length / 2),
    'cortado.zip': zip.subarray(0, zip.length / 2),
    'torto.zip': bent,
    'texto.tar': Buffer.from('isto não é um tar'.repeat(100)),
    'vazio.zip': Buffer.alloc(0),
    'outro.gz': Buffer.from('BZh9 não é gzip'),
    'fim.gz': gzipSync('x'.repeat(1_000)).subarray(0, 12),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(at(name), bytes);
  for (const name of [...Object.keys(files), 'senha.zip']) expect([name, await refused(name)]).toEqual([name, 'UNPACK_REFUSED']);
  tarOf('duas-vezes.tar', [
    { name: 'a', data: 'x' },
    { name: 'a/b', data: 'y' },
  ]);
  expect(await refused('duas-vezes.tar')).toBe('UNPACK_REFUSED');
  expect(await refused('obra')).toBe('EISDIR');
  expect(await refused('não-há.zip')).toBe('ENOENT');
  expect(readdirSync(at('aqui'))).toEqual([]);
});

test('archives with bytes that were changed, or cut anywhere: whole, or refused with nothing left', async () => {
  writeFileSync(at('um'), 'um'.repeat(3_000));
  writeFileSync(at('dois'), 'dois');
  run('tar', 'czf', 'a.tgz', 'um', 'dois');
  run('tar', 'cf', 'a.tar', 'um', 'dois');
  run('zip', '-q', 'a.zip', 'um', 'dois');
  run('tar', '--zstd', '-cf', 'a.tar.zst', 'um', 'dois');
  const codes = new Set<string>();
  for (const name of ['a.tgz', 'a.tar', 'a.zip', 'a.tar.zst']) {
    const whole = readFileSync(at(name));
    for (let n = 0; n < 60; n += 1) {
      const bytes = Buffer.from(n % 3 === 0 ? whole.subarray(0, random() * whole.length) : whole);
      for (let k = 0; k <= n % 4; k += 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      writeFileSync(at(name), bytes);
      const answer = await refused(name);
      if (answer.startsWith('unpacked to ')) rmSync(at('aqui', answer.slice('unpacked to '.length)), { recursive: true });
      else codes.add(answer);
      expect([name, n, seed, readdirSync(at('aqui'))]).toEqual([name, n, seed, []]);
    }
  }
  // A changed byte may name another form or method.
  expect([...codes]).toContain('UNPACK_REFUSED');
  expect([...codes].filter((code) => !['UNPACK_REFUSED', 'UNPACK_UNSUPPORTED'].includes(code))).toEqual([]);
});

const huge = (type: string, size: number): Buffer => rawEntry({ name: 'x', type, size });
const sized = (size: string): Buffer => Buffer.concat([pax({ size }), rawEntry({ name: 'a', data: 'x' })]);
const bytesAs = (first: number, rest: number): Buffer => Buffer.concat([Buffer.from([first]), Buffer.alloc(11, rest)]);
/** Keys of five bytes each. */
const keys = (count: number): string => Array.from({ length: count }, () => '5 k=\n').join('');
test.for<readonly [string, readonly (RawEntry | Buffer)[]]>([
  ['pax of 700 MB', [huge('x', 700_000_000)]],
  ['global pax of 8 GB', [huge('g', 8_589_934_591)]],
  ['long name of 700 MB', [huge('L', 700_000_000)]],
  ['long target of 700 MB', [huge('K', 700_000_000)]],
  [
    'global pax with 60,000 keys',
    [
      { name: 'g', type: 'g', data: keys(60_000) },
      { name: 'a', data: 'x' },
    ],
  ],
  ['size that is no number', [sized('NaN')]],
  ['size less than 0', [sized('-5')]],
  ['size with a fraction', [sized('1.5')]],
  ['size over 2^53', [sized('9007199254740993')]],
  ['size with an exponent', [sized('1e9')]],
  ['base-256 size less than 0', [{ name: 'a', size: bytesAs(0xff, 0xff) }]],
  ['base-256 size over 2^53', [{ name: 'a', size: bytesAs(0x80, 0x7f) }]],
  ['size in no digits', [{ name: 'a', size: Buffer.from('nine bytes  ') }]],
  ['record longer than its header', [{ name: 'x', type: 'x', data: '99999 path=a\n' }]],
  ['record of no length', [{ name: 'x', type: 'x', data: '0 path=a\n' }]],
  ['content that is not there', [rawEntry({ name: 'a', size: 5_000_000_000 })]],
])('a tar with a %s is refused, and nothing of it stays', async ([, entries]) => {
  tarOf('mau.tar', entries);
  expect([await refused('mau.tar'), readdirSync(at('aqui'))]).toEqual(['UNPACK_REFUSED', []]);
});

test('a time far off, a global header of a kind that git writes, headers without an entry: taken', async () => {
  tarOf('bom.tar', [
    pax({ comment: 'a'.repeat(40), path: 'ignored', mtime: '1000000000' }, 'g'),
    { name: 'b/longe', data: 'x' },
    pax({ mtime: '999999999999999' }),
    { name: 'b/alem', data: 'y' },
    pax({ path: 'b/ninguem' }),
  ]);
  expect([await unpack('bom.tar'), seen(at('aqui', 'b'))]).toEqual(['b', { longe: 'x', alem: 'y' }]);
  expect(statSync(at('aqui', 'b', 'longe')).mtimeMs).toBe(1_000_000_000_000);
});

test('a zip whose entries lie in one another, or whose list says more than there is, is refused; a zstd that looks far back is not read', async () => {
  const script = [
    'import zipfile, struct',
    'z = zipfile.ZipFile("a.zip", "w"); [z.writestr(f"{n}.txt", b"x" * 5000) for n in range(3)]; z.close()',
    'data = open("a.zip", "rb").read(); first = data.index(b"PK\\x01\\x02"); end = data.rindex(b"PK\\x05\\x06")',
    'one = data[first:data.index(b"PK\\x01\\x02", first + 4)]',
    'def write(name, list, count, offset=first): open(name, "wb").write(data[:first] + list + struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, count, count, len(list), offset, 0))',
    'write("dentro.zip", b"".join(one.replace(b"0.txt", bytes([48 + n // 10, 48 + n % 10]) + b".tx") for n in range(50)), 50)',
    'write("mais.zip", data[first:end], 60000)',
    'write("longe.zip", data[first:end], 3, 0xfffffff0)',
  ].join('\n');
  run('python3', '-c', script);
  for (const name of ['dentro.zip', 'mais.zip', 'longe.zip']) expect([name, await refused(name)]).toEqual([name, 'UNPACK_REFUSED']);
  writeFileSync(at('um'), Buffer.alloc(40 * 1_024 * 1_024, 'um'));
  run('zstd', '-q', '--long=27', 'um', '-o', 'longo.zst');
  expect([await refused('longo.zst'), readdirSync(at('aqui'))]).toEqual(['UNPACK_UNSUPPORTED', []]);
  run('zstd', '-q', '-19', 'um', '-o', 'bom.zst');
  expect(await unpack('bom.zst')).toBe('bom');
});

test('a bomb ends at so many times its size; a cancel leaves nothing', async () => {
  writeFileSync(at('bomba.gz'), gzipSync(Buffer.alloc(320 * 1_024 * 1_024), { level: 6 }));
  expect(await refused('bomba.gz')).toBe('UNPACK_REFUSED');
  expect(readdirSync(at('aqui'))).toEqual([]);
  const cancelled = unpack('bomba.gz').catch((error: Error) => error.name);
  await expect.poll(() => readdirSync(at('aqui')).length).toBe(1);
  ending.abort();
  expect(await cancelled).toBe('AbortError');
  expect(readdirSync(at('aqui'))).toEqual([]);
});
