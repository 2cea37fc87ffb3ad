/** Publishing into a folder by real processes: killed at every step, side by side, and against each other. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryPaths } from '../layout/paths.ts';
import { type Catalogue, readCatalogue } from '../layout/records.ts';
import { tellCount } from '../../../test/support/counts.ts';
import { everyNth, shareSeed } from '../../../test/support/share.ts';
import { publishFaultPoints } from '../../faults.ts';
import { compileCache } from '../../testing/compile-cache.ts';
import { indexFiles } from '../reading/index-files.ts';
import { openRepositoryFolder, publishPackage, stage } from './folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svc-repo-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const script = path.join(import.meta.dirname, 'testing/publish-once.ts');

interface End {
  readonly out: string;
  readonly err: string;
  readonly signal: string | null;
}

function publish(kind: 'package' | 'engine', name: string, version: string, text: string, fault = ''): Promise<End> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, ...(fault === '' ? {} : { SVC_FAULT_POINT: fault }) };
  const child = spawn(process.execPath, [script, root, kind, name, version, text], { env });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (_, signal) => resolve({ out, err, signal }));
  });
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The catalogue, after every version in it was found whole on disk. */
function whole(): Catalogue {
  const catalogue = readCatalogue(readFileSync(path.join(root, repositoryPaths.catalogue)));
  for (const { id, versions } of catalogue.apps) {
    for (const { version, sha256: told, icone } of versions) {
      expect(sha256(path.join(root, repositoryPaths.tarball(id, version)))).toBe(told);
      expect(icone === undefined || existsSync(path.join(root, repositoryPaths.icon(id, version, icone)))).toBe(true);
    }
  }
  for (const { nome, versao, sha256: told } of catalogue.motores)
    expect(sha256(path.join(root, repositoryPaths.engine(nome, versao)))).toBe(told);
  return catalogue;
}

const versionsOf = (catalogue: Catalogue): string[] =>
  [
    ...catalogue.apps.flatMap(({ id, versions }) => versions.map(({ version }) => `${id} ${version}`)),
    ...catalogue.motores.map(({ nome, versao }) => `motor ${nome} ${versao}`),
  ].sort((a, b) => a.localeCompare(b));

describe('killed', () => {
  // An engine has no icon; every other step is one of both.
  const cases = (['package', 'engine'] as const).flatMap((kind) =>
    publishFaultPoints.filter((point) => kind === 'package' || !point.startsWith('publish-icon')).map((point) => [kind, point] as const),
  );
  const chosen = everyNth(3, cases);
  afterAll(() => tellCount(`publishing killed: ${chosen.length} of ${cases.length} points tried, seed ${shareSeed}`));
  test.for(chosen)('%s at %s: what was there is whole, and the same publish again completes', async ([kind, point]) => {
    expect(await publish('package', 'base', '1.0.0', 'first bytes')).toMatchObject({ out: 'published', signal: null });
    const killed = await publish(kind, 'nova', '2.0.0', 'second bytes', point);
    expect(killed).toMatchObject({ out: '', signal: 'SIGKILL' });
    const between = versionsOf(whole());
    const name = kind === 'engine' ? 'motor nova 2.0.0' : 'nova 2.0.0';
    expect([['base 1.0.0'], ['base 1.0.0', name]]).toContainEqual(between);
    const again = await publish(kind, 'nova', '2.0.0', 'second bytes');
    expect(again.err).toBe('');
    expect(['published', 'unchanged']).toContain(again.out);
    expect(versionsOf(whole())).toEqual(['base 1.0.0', name]);
  });

  test('before its record is there a version can be published with other bytes', async () => {
    await publish('package', 'nova', '1.0.0', 'failed', 'publish-tarball-placed');
    expect(versionsOf(whole())).toEqual([]);
    expect((await publish('package', 'nova', '1.0.0', 'mended')).out).toBe('published');
    expect(readFileSync(path.join(root, repositoryPaths.tarball('nova', '1.0.0')), 'utf8')).toBe('mended');
    expect(versionsOf(whole())).toEqual(['nova 1.0.0']);
  });
});

test('the same version: the same bytes change nothing, other bytes are refused', async () => {
  await publish('package', 'notas', '1.0.0', 'bytes');
  const before = readFileSync(path.join(root, repositoryPaths.catalogue));
  expect((await publish('package', 'notas', '1.0.0', 'bytes')).out).toBe('unchanged');
  const refused = await publish('package', 'notas', '1.0.0', 'others');
  expect(refused.out).toBe('');
  expect(refused.err).toContain('VERSION_TAKEN');
  expect(readFileSync(path.join(root, repositoryPaths.catalogue))).toEqual(before);
  expect(readdirSync(path.join(root, '.svc/tmp'))).toEqual([]);
});

test('publishers side by side lose nothing', async () => {
  const many = Array.from({ length: 6 }, (_, index) => publish('package', `app-${index % 3}`, `1.${index}.0`, `bytes ${index}`));
  for (const end of await Promise.all(many)) expect(end).toMatchObject({ out: 'published', err: '' });
  expect(versionsOf(whole())).toHaveLength(6);
});

test('publishers side by side in one process lose nothing, and one of two with other bytes is refused', async () => {
  await openRepositoryFolder(root);
  const put = async (version: string, text: string) => {
    const staged = await stage(root, chunks(text), 1_000);
    const manifest = { id: 'notas', version, backend: { runtime: 'node', entrypoint: 'x' } } as const;
    return publishPackage(root, staged, { manifest }, 0);
  };
  const ends = await Promise.allSettled([
    put('1.0.0', 'a'),
    put('1.0.0', 'b'),
    ...Array.from({ length: 20 }, (_, n) => put(`2.${n}.0`, `${n}`)),
  ]);
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(versionsOf(whole())).toHaveLength(21);
});

test('a lost or cut tarball is put back by publishing the same bytes; a lost catalogue by opening the folder', async () => {
  await publish('package', 'notas', '1.0.0', 'the bytes');
  const tarball = path.join(root, repositoryPaths.tarball('notas', '1.0.0'));
  truncateSync(tarball, 3);
  expect((await publish('package', 'notas', '1.0.0', 'the bytes')).out).toBe('unchanged');
  expect(readFileSync(tarball, 'utf8')).toBe('the bytes');
  const before = readFileSync(path.join(root, repositoryPaths.catalogue));
  unlinkSync(path.join(root, repositoryPaths.catalogue));
  await openRepositoryFolder(root);
  expect(readFileSync(path.join(root, repositoryPaths.catalogue))).toEqual(before);
});

test('records that can not be read now are not taken out of the catalogue', async () => {
  await publish('package', 'notas', '1.0.0', 'the bytes');
  const folder = path.join(root, repositoryPaths.packages, 'notas');
  renameSync(folder, `${folder}.away`);
  symlinkSync('notas', folder);
  await expect(openRepositoryFolder(root)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(indexFiles(root)).rejects.toMatchObject({ code: 'ELOOP' });
  expect((await publish('package', 'nova', '1.0.0', 'more bytes')).out).toBe('');
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  expect(versionsOf(whole())).toEqual(['notas 1.0.0']);
});

test('what the dead left is swept after its time, files and folders, and nothing younger', async () => {
  await openRepositoryFolder(root);
  const tmp = path.join(root, '.svc/tmp');
  for (const name of ['1-old', 'check-old', 'check-new']) {
    if (name.startsWith('check')) mkdirSync(path.join(tmp, name, 'backend'), { recursive: true });
    else writeFileSync(path.join(tmp, name), 'x');
    if (name.endsWith('old')) utimesSync(path.join(tmp, name), 1, 1);
  }
  await openRepositoryFolder(root);
  expect(readdirSync(tmp)).toEqual(['check-new']);
});

test('a stream that breaks or is too long leaves nothing', async () => {
  await openRepositoryFolder(root);
  await expect(stage(root, chunks('0123456789'), 9)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(stage(root, broken(), 9)).rejects.toThrow('cut');
  expect(readdirSync(path.join(root, '.svc/tmp'))).toEqual([]);
});

async function* chunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function* broken(): AsyncGenerator<Buffer> {
  yield Buffer.from('012');
  throw new Error('cut');
}
