/**
 * Root at work in folders whose owner exchanges files and folders for links meanwhile: no byte of root's comes out, and nothing outside changes owner,
 * mode or content. Needs root.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { packFolder } from '../archive/pack.ts';
import { extractArchive } from '../archive/extract.ts';
import { removeTree } from '../archive/folder-writer.ts';
import { packageArchive } from '../archive/rules.ts';
import { walkFolder } from '../archive/walk.ts';
import { giveTree } from '../service/give.ts';
import { stage } from './source.ts';
import { testServer, type TestServer } from './test-server.ts';
import { canaryFiles, canaryFolders, harmless, leaked, makeCanary, stateOf } from './testing/canary.ts';
import { startSwapper, type Swapper } from './testing/swapper.ts';
import { unpack } from './unpack.ts';
import { removeAll, versionsOf } from './versions.ts';

const owner = 61_001;
const inside = [...canaryFolders, ...canaryFiles];
const long = process.env['SVC_TEST_LONG'] === '1';
const rounds = long ? 400 : 30;
const installations = long ? 12 : 2;
const extractions = long ? 15 : 3;
let base: string;
let swapper: Swapper | undefined;
let server: TestServer | undefined;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-swap-'));
  chmodSync(base, 0o755);
  makeCanary(join(base, 'canary'));
  mkdirSync(join(base, 'place'));
  chownSync(join(base, 'place'), owner, owner);
});
afterEach(() => {
  swapper?.kill();
  server?.dispose();
  rmSync(base, { recursive: true, force: true });
});

async function start(): Promise<() => Promise<number>> {
  const program = join(import.meta.dirname, 'testing/swap-source.ts');
  swapper = await startSwapper(program, [join(base, 'place'), join(base, 'canary')], owner);
  return swapper.stop;
}

/** Outcomes of the attempts: taken whole, or refused in words that say so. */
type Count = { taken: number; refused: number; readonly leaks: string[]; readonly failed: string[] };
const count = (): Count => ({ taken: 0, refused: 0, leaks: [], failed: [] });

async function round(counted: Count, result: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    counted.taken += 1;
  } catch (error) {
    const { code = 'none', message } = error as Error & { readonly code?: string };
    if (['PACKAGE_REFUSED', 'PACKAGE_SOURCE_MISSING', 'ARCHIVE_REFUSED'].includes(code)) counted.refused += 1;
    else counted.failed.push(`${code} ${message}`);
  }
  if (existsSync(result)) counted.leaks.push(...leaked(result));
  rmSync(result, { recursive: true, force: true });
}

const told = (what: string, { taken, refused, leaks, failed }: Count, swaps: number): void =>
  tellCount(
    `${what} beside a swapper: ${taken} taken, ${refused} refused, ${swaps} swaps; files of root that came out: ${leaks.length}, failed otherwise: ${failed.length}`,
  );

/** Resolves when a link was seen in the place of a file, or something that is no folder in the place of one: the other side is in the middle of its work. */
async function seenAtWork(app: string): Promise<void> {
  const exchanged = (name: string): boolean => {
    try {
      return lstatSync(join(app, name), { throwIfNoEntry: false })?.isSymbolicLink() === true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return true;
      throw error;
    }
  };
  while (!inside.some(exchanged)) await new Promise((resolve) => setImmediate(resolve));
}

test.for(['', 'dentro/'])('a second name of a file of root in a folder that was delivered is refused: %s', async (inside) => {
  const delivered = join(base, 'place');
  mkdirSync(join(delivered, 'dentro'));
  writeFileSync(join(delivered, 'svc-app.json'), '{}');
  writeFileSync(join(base, 'segredo'), 'de root', { mode: 0o600 });
  linkSync(join(base, 'segredo'), join(delivered, `${inside}nome`));
  chownSync(join(delivered, 'svc-app.json'), owner, owner);
  const staging = join(base, 'staging');
  mkdirSync(staging);
  const made = stage(
    { source: { kind: 'folder', path: delivered } },
    staging,
    async (folder) => mkdirSync(folder),
    () => undefined,
  );
  await expect(made).rejects.toMatchObject({ code: 'PACKAGE_REFUSED', message: expect.stringContaining('nome') as string });
  expect(() => walkFolder(delivered, packageArchive)).toThrow('second name');
});

test(`${rounds} copies of a folder, and ${installations} whole installations: 0 bytes of root's files`, { timeout: 300_000 }, async () => {
  const before = stateOf(join(base, 'canary'));
  const stop = await start();
  const source = join(base, 'place/app');
  const copies = count();
  for (let nth = 0; nth < rounds; nth += 1) {
    const staging = join(base, `staging${nth}`);
    await round(copies, staging, async () => {
      mkdirSync(staging, { mode: 0o700 });
      await stage(
        { source: { kind: 'folder', path: source } },
        staging,
        async (path) => mkdirSync(path, { mode: 0o700 }),
        () => undefined,
      );
    });
  }
  server = testServer();
  const installs = count();
  for (let nth = 0; nth < installations; nth += 1) {
    const { code, last } = await server.run([source, '--force']);
    if (code === 0) installs.taken += 1;
    else if (last?.event === 'error' && last.code === 'PACKAGE_REFUSED') installs.refused += 1;
    else installs.failed.push(JSON.stringify(last));
    if (existsSync(server.apps))
      installs.leaks.push(...leaked(join(server.apps, '.versions')).filter((name) => !name.endsWith('previous')));
  }
  const swaps = await stop();
  told('copies', copies, swaps);
  told('installations', installs, swaps);
  expect([copies.leaks, installs.leaks, copies.failed, installs.failed]).toEqual([[], [], [], []]);
  expect(copies.taken + copies.refused).toBe(rounds);
  expect(copies.refused).toBeGreaterThan(0);
  expect(swaps).toBeGreaterThan(rounds);
  expect(stateOf(join(base, 'canary'))).toBe(before);
});

test(`${rounds} packed tarballs: 0 bytes of root's files`, { timeout: 300_000 }, async () => {
  const stop = await start();
  const packs = count();
  for (let nth = 0; nth < rounds; nth += 1) {
    const workshop = join(base, `workshop${nth}`);
    await round(packs, workshop, async () => {
      mkdirSync(workshop);
      const out = join(workshop, 'p.tgz');
      await packFolder(join(base, 'place/app'), { root: 'notas-1', out, level: 1 });
      await extractArchive(out, join(workshop, 'opened'), { limits: packageArchive });
      rmSync(out);
    });
  }
  const swaps = await stop();
  told('packings', packs, swaps);
  expect([packs.leaks, packs.failed]).toEqual([[], []]);
  expect(packs.taken + packs.refused).toBe(rounds);
  expect(swaps).toBeGreaterThan(rounds);
});

test(`${rounds} changes of the owner of a state folder: nothing outside changes`, { timeout: 300_000 }, async () => {
  const before = stateOf(join(base, 'canary'));
  const stop = await start();
  const [given, failed] = [{ whole: 0, exchanged: 0 }, [] as string[]];
  for (let nth = 0; nth < rounds; nth += 1) {
    await seenAtWork(join(base, 'place/app'));
    try {
      giveTree(join(base, 'place/app'), owner, owner);
      given.whole += 1;
    } catch (error) {
      const { code = 'none' } = error as { readonly code?: string };
      if (['ENOENT', 'ELOOP', 'ENOTDIR'].includes(code)) given.exchanged += 1;
      else failed.push(code);
    }
  }
  const swaps = await stop();
  tellCount(`owners changed beside a swapper: ${given.whole} whole, ${given.exchanged} stopped, ${swaps} swaps`);
  expect(failed).toEqual([]);
  expect(given.whole).toBeGreaterThan(0);
  // It is shut out of the folder for most of each round.
  expect(swaps).toBeGreaterThan(rounds / 2);
  expect(stateOf(join(base, 'canary'))).toBe(before);
});

test(`${rounds} removals of a package that holds a folder of somebody else: nothing outside changes`, { timeout: 300_000 }, async () => {
  const before = stateOf(join(base, 'canary'));
  const versions = versionsOf(join(base, 'apps'), 'notas');
  const place = join(versions.store, 'place');
  const put = (): void => {
    mkdirSync(place, { recursive: true });
    chownSync(place, owner, owner);
  };
  put();
  swapper = await startSwapper(join(import.meta.dirname, 'testing/swap-source.ts'), [place, join(base, 'canary')], owner);
  for (let nth = 0; nth < rounds; nth += 1) {
    await seenAtWork(join(place, 'app'));
    await removeAll(versions);
    expect(existsSync(versions.store)).toBe(false);
    put();
  }
  const swaps = await swapper.stop();
  tellCount(`removals beside a swapper: ${rounds}, ${swaps} swaps`);
  expect(swaps).toBeGreaterThanOrEqual(rounds);
  expect(stateOf(join(base, 'canary'))).toBe(before);
});

test(
  `${extractions} archives extracted while two processes of nobody look for the place: they never get in`,
  { timeout: 300_000 },
  async () => {
    const before = stateOf(join(base, 'canary'));
    const source = join(base, 'source');
    for (const file of canaryFiles) {
      mkdirSync(join(source, file, '..'), { recursive: true });
      writeFileSync(join(source, file), harmless);
    }
    await packFolder(source, { root: 'e-1', out: join(base, 'e.tgz') });
    // As for an engine: the folders above may be entered by everybody.
    const target = join(base, 'engines/new');
    mkdirSync(join(base, 'engines'));
    const program = join(import.meta.dirname, '../archive/testing/swap-links.ts');
    const others = await Promise.all([0, 1].map(() => startSwapper(program, [`${target}.cell`, join(base, 'canary')], 65_534)));
    const outcomes: string[] = [];
    try {
      for (let nth = 0; nth < extractions; nth += 1) {
        await unpack(join(base, 'e.tgz'), target, 'engine');
        outcomes.push(...canaryFiles.filter((file) => readFileSync(join(target, file), 'utf8') !== harmless));
        removeTree(target);
      }
    } finally {
      const swaps = await Promise.all(others.map((one) => one.stop()));
      tellCount(`extractions beside processes of nobody: ${swaps.join(' and ')} swaps`);
      expect(swaps).toEqual([0, 0]);
    }
    expect(outcomes).toEqual([]);
    expect(stateOf(join(base, 'canary'))).toBe(before);
  },
);
