/**
 * Engines over a real http server that cuts, lies and forgets (rules 2.3). SVC_TEST_LONG=1 takes 200 MB instead of 20, and every point at which the
 * installer is killed; otherwise a seed takes a part. A full disk: file-steps.real.test.ts.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { everyNth, shareSeed } from '../../test/support/share.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { dropUndeclared, ensureEngines, wantedEngines, type EngineFolders } from './engines.ts';
import type { InstallEvent } from '../../schema/install-events.ts';
import { inventoryStamp } from '../list/stamp.ts';
import { takeInventory } from './inventory.ts';
import { engineFaultPoints } from './faults.ts';
import { testServer, type TestServer } from './test-server.ts';
import { makeEngine, serveEngine, type EngineServer, type EngineTarball } from './test-web-server.ts';

const size = process.env['SVC_TEST_LONG'] === '1' ? 200_000_000 : 20_000_000;
const percents = [10, 20, 30, 40, 50, 60, 70, 80, 90];
/** Per cut connection. */
const underWayMax = { close: 256 * 1_024, reset: 4 * 1_024 * 1_024 };
const table: string[] = [];
const work = mkdtempSync(join(tmpdir(), 'svc-e-'));
let big: EngineTarball;
let small: EngineTarball;
/** With an engine of an earlier version, so that its removal is gone through. */
let older: TestServer;
let web: EngineServer;
let served: Buffer;
let server: TestServer;
beforeAll(async () => {
  big = await makeEngine(work, size);
  small = await makeEngine(work, 300_000);
  older = testServer();
  served = small.bytes;
  web = await serveEngine(() => served);
  const first = await older.run([older.package('one', { version: '1.0.0', motores: [motor(small, { versao: '0.9' })] })]);
  web.close();
  if (first.code !== 0) throw new Error(`no version to begin with: ${first.stderr}`);
});
afterAll(() => {
  older.dispose();
  rmSync(work, { recursive: true, force: true });
  console.log(['what | where | outcome', ...table].join('\n'));
  const points = 2 + 2 * percents.length + engineFaultPoints.length;
  tellCount(`engine of ${size} bytes, network cut, installer killed: ${table.length} of ${points} points tried, seed ${shareSeed}`);
});

beforeEach(async () => {
  served = small.bytes;
  web = await serveEngine(() => served);
  server = testServer();
});
afterEach(() => {
  web.close();
  server.dispose();
});

const motor = (tarball: EngineTarball, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  nome: 'rosto',
  versao: '1.0',
  url: web.url,
  sha256: tarball.sha256,
  tamanho: tarball.bytes.length,
  confere: 'bin/motor',
  ...more,
});
const manifestWith = (...motores: readonly unknown[]) =>
  parseManifest(JSON.stringify({ id: 'notas', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'x' }, motores }));
const folders = (): EngineFolders => ({ root: join(server.dir, 'var/lib/svc-motores'), app: 'notas', retryMs: 1 });
const place = (): string => join(folders().root, 'notas/rosto/1.0');
/** Without the list of what an engine holds. */
const namesBelow = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.seal')) : [];

async function bring(...motores: readonly unknown[]): Promise<readonly InstallEvent[]> {
  const events: InstallEvent[] = [];
  await ensureEngines(folders(), manifestWith(...motores), (event) => events.push(event));
  return events;
}

describe('a download', () => {
  test('comes whole, without its root folder, with progress, and once only', async () => {
    served = big.bytes;
    const events = await bring(motor(big));
    expect(readdirSync(place()).sort()).toEqual(['bin', 'weights']);
    expect(namesBelow(join(folders().root, 'notas/.parts'))).toEqual([]);
    const downloads = events.filter((event) => event.event === 'download');
    expect(downloads.at(-1)).toMatchObject({ bytes: big.bytes.length, total: big.bytes.length, etaMs: 0 });
    await bring(motor(big));
    expect(web.asked.length).toBe(1);
  });

  test('one that lost a file, or holds another one in its place, is brought again; what was added to it is no damage', async () => {
    served = big.bytes;
    await bring(motor(big));
    const look = async (): Promise<number> =>
      (await takeInventory({ prefix: server.dir, home: server.dir }, [])).engines.filter(({ nome }) => nome === 'rosto').length;
    writeFileSync(join(place(), 'added'), 'x');
    expect(await look()).toBe(1);
    const before = inventoryStamp(folders().root);
    for (const spoil of [(path: string) => rmSync(path), (path: string) => writeFileSync(path, 'x')]) {
      spoil(join(place(), 'bin/motor'));
      expect(await look()).toBe(0);
      expect(inventoryStamp(folders().root)).not.toBe(before);
      await bring(motor(big));
      expect(await look()).toBe(1);
    }
    expect(web.asked.length).toBe(3);
    expect(readdirSync(join(folders().root, 'notas/rosto')).sort()).toEqual(['.1.0.seal', '1.0']);
    await dropUndeclared(folders(), []);
    expect(existsSync(join(folders().root, 'notas'))).toBe(false);
  });

  test.for(['close', 'reset'] as const)('cut at every tenth (%s) goes on from there, and next to nothing is sent twice', async (cut) => {
    served = big.bytes;
    const tenth = Math.ceil(big.bytes.length / 10);
    web.behaviour.cut = cut;
    // A reset throws away what was not read yet: without a pause that is all of it.
    if (cut === 'reset') web.behaviour.pauseMs = 2;
    web.behaviour.cutAt = (attempt) => (attempt < 9 ? tenth * (attempt + 1) : null);
    await bring(motor(big));
    expect(readdirSync(place()).sort()).toEqual(['bin', 'weights']);
    expect(web.asked[0]).toEqual({ range: undefined, ifRange: undefined });
    expect(web.asked.slice(1).every(({ range, ifRange }) => range !== undefined && ifRange === '"one"')).toBe(true);
    const twice = web.wire() - big.bytes.length;
    // The bytes in flight at each cut, and the heads of the answers.
    expect(twice).toBeLessThan(web.asked.length * underWayMax[cut]);
    table.push(
      `network cut (${cut}) 9 times | every 10 % of ${big.bytes.length} bytes | whole, ${web.asked.length} requests, ${web.wire()} bytes over the wire: ${twice} more than the file`,
    );
  });

  test.for(everyNth(6, percents))('the installer killed at %i percent: the next run goes on from there', async (percent) => {
    served = big.bytes;
    web.behaviour.pauseMs = 2;
    const source = server.package('one', { motores: [motor(big)] });
    const part = join(folders().root, `notas/.parts/${big.sha256}.part`);
    const from = Math.floor((big.bytes.length * percent) / 100);
    const running = server.run([source], {}, (child) => {
      const look = setInterval(() => {
        if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) >= from) child.kill('SIGKILL');
      }, 1);
      child.once('exit', () => clearInterval(look));
    });
    expect(await running).toMatchObject({ signal: 'SIGKILL' });
    const had = statSync(part).size;
    expect([existsSync(place()), server.version()]).toEqual([false, null]);
    web.behaviour.pauseMs = 0;
    expect(await server.run([source])).toMatchObject({ code: 0, last: { result: 'installed' } });
    expect(web.asked.at(-1)).toEqual({ range: `bytes=${had}-`, ifRange: '"one"' });
    expect(readFileSync(join(place(), 'bin/motor'), 'utf8')).toContain('echo motor');
    const twice = web.wire() - big.bytes.length;
    // The bytes in the buffers of the two sockets when the process died.
    expect(twice).toBeLessThan(16 * 1_024 * 1_024);
    table.push(
      `SIGKILL while it downloads | ${percent} % (${had} bytes there) | nothing installed; then resumed from byte ${had}, ${web.wire()} bytes over the wire: ${twice} more than the file`,
    );
  });

  test.for(everyNth(6, percents, 3))('cut for good at %i percent, then a later run resumes it', async (percent) => {
    served = big.bytes;
    const cut = Math.floor((big.bytes.length * percent) / 100);
    web.behaviour.cutAt = () => cut;
    await expect(bring(motor(big))).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
    expect(existsSync(place())).toBe(false);
    web.behaviour.cutAt = () => null;
    const before = web.asked.length;
    await bring(motor(big));
    const from = Number(/^bytes=([0-9]+)-$/.exec(web.asked[before]?.range ?? '')?.[1]);
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThanOrEqual(cut);
    expect(readFileSync(join(place(), 'bin/motor'), 'utf8')).toContain('echo motor');
    table.push(`network down | ${percent} % (${cut} bytes) | refused, nothing extracted; later resumed from byte ${from}`);
  });

  test('starts anew when the file on the server became another one, or the server knows no ranges', async () => {
    web.behaviour.cutAt = () => 100_000;
    await expect(bring(motor(small))).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
    web.behaviour.cutAt = () => null;
    web.behaviour.etag = '"two"';
    await bring(motor(small));
    rmSync(join(folders().root, 'notas'), { recursive: true });
    web.behaviour.etag = null;
    web.behaviour.ranges = false;
    web.behaviour.cutAt = (attempt) => (attempt % 2 === 0 ? 50_000 : null);
    await bring(motor(small));
    expect(readdirSync(place()).sort()).toEqual(['bin', 'weights']);
  });

  test('a part that a power cut spoiled is fetched once more', async () => {
    mkdirSync(join(folders().root, 'notas/.parts'), { recursive: true });
    writeFileSync(join(folders().root, `notas/.parts/${small.sha256}.part`), Buffer.alloc(1_000));
    await bring(motor(small));
    expect(web.asked.map(({ range }) => range)).toEqual(['bytes=1000-', undefined]);
    expect(existsSync(place())).toBe(true);
  });
});

describe('refused, and nothing is written:', () => {
  test.for([
    ['another sha256', () => motor(small, { sha256: '0'.repeat(64) }), 'CHECKSUM_MISMATCH'],
    ['more bytes than declared', () => motor(small, { tamanho: small.bytes.length - 1 }), 'CHECKSUM_MISMATCH'],
    ['fewer bytes than declared', () => motor(small, { tamanho: small.bytes.length + 1 }), 'CHECKSUM_MISMATCH'],
    ['confere is absent', () => motor(small, { confere: 'bin/outro' }), 'ENGINE_REFUSED'],
    ['no space before the first byte', () => motor(small, { tamanho: 10 ** 15 }), 'DISK_FULL'],
    ['a file that is not there', () => ((web.behaviour.status = 404), motor(small)), 'DOWNLOAD_FAILED'],
    ['a redirect without end', () => ((web.behaviour.redirectTo = web.url), motor(small)), 'DOWNLOAD_FAILED'],
    ['a redirect to a file', () => ((web.behaviour.redirectTo = 'file:///etc/passwd'), motor(small)), 'DOWNLOAD_FAILED'],
    ['nobody listens', () => motor(small, { url: 'http://127.0.0.1:1/v1/motor/rosto/1.0' }), 'DOWNLOAD_FAILED'],
  ] as const)('%s', async ([, make, code]) => {
    const declared = make();
    await expect(bring(declared)).rejects.toMatchObject({ code });
    expect(namesBelow(join(folders().root, 'notas/rosto'))).toEqual([]);
    expect(code !== 'DISK_FULL' || web.asked.length === 0).toBe(true);
  });
});

test('versions that are declared no longer go once the new one is there; a redirect is followed', async () => {
  const target = await serveEngine(() => served);
  await bring(motor(small));
  web.behaviour.redirectTo = target.url;
  const next = motor(small, { versao: '1.1' });
  await bring(next);
  target.close();
  expect(namesBelow(join(folders().root, 'notas/rosto')).toSorted()).toEqual(['1.0', '1.1']);
  await dropUndeclared(folders(), wantedEngines(manifestWith(next), ''));
  expect(namesBelow(join(folders().root, 'notas/rosto'))).toEqual(['1.1']);
  await dropUndeclared(folders(), []);
  expect(namesBelow(folders().root)).toEqual([]);
});

test.for([
  ['nvidia', '0x10de', true],
  ['virtio_gpu', '0x1af4', false],
] as const)('quando: gpu with the driver %s', ([driver, vendor, wanted]) => {
  const gpuRoot = join(work, `sys-${driver}`);
  const device = join(gpuRoot, 'sys/class/drm/renderD128/device');
  mkdirSync(device, { recursive: true });
  writeFileSync(join(device, 'vendor'), `${vendor}\n`);
  symlinkSync(`../../drivers/${driver}`, join(device, 'driver'));
  const manifest = manifestWith(motor(small, { quando: 'gpu' }), motor(small, { nome: 'outro' }));
  expect(wantedEngines(manifest, gpuRoot).map(({ nome }) => nome)).toEqual(wanted ? ['rosto', 'outro'] : ['outro']);
  expect(wantedEngines(manifest, join(work, 'no-sys')).map(({ nome }) => nome)).toEqual(['outro']);
});

describe('an upgrade with an engine, killed at', () => {
  test.for(everyNth(4, engineFaultPoints))('%s', async (point) => {
    server.copyFrom(older);
    const two = server.package('two', { version: '2.0.0', motores: [motor(small)] });
    expect(await server.run([two, '--force'], { SVC_FAULT_POINT: point })).toMatchObject({ signal: 'SIGKILL' });
    const [after, engines] = [server.version(), namesBelow(join(folders().root, 'notas/rosto')).filter((name) => !name.startsWith('.'))];
    // The version that is installed has its engine, and an engine that looks installed is whole.
    expect(engines).toContain(after === '1.0.0' ? '0.9' : '1.0');
    for (const name of engines) expect(existsSync(join(folders().root, 'notas/rosto', name, 'bin/motor'))).toBe(true);
    expect(await server.run([two, '--force'])).toMatchObject({ code: 0 });
    expect([server.version(), namesBelow(join(folders().root, 'notas')), namesBelow(join(folders().root, 'notas/rosto'))]).toEqual([
      '2.0.0',
      ['rosto'],
      ['1.0'],
    ]);
    table.push(`SIGKILL engine | ${point} | ${after} with ${engines.join(', ')}; then 2.0.0 with 1.0`);
  });
});
