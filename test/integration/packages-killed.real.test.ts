/**
 * kill -9 of `svc up` at each step of what happens to packages: installation, upgrade with an engine, confirm, rollback, repair of an
 * engine, removal. The next run ends where the documents say, and at no moment half a package stands there.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { makeEngine } from '../../kit/install/test-web-server.ts';
import { document, packageWorld, pinned, serveSlowly, writeDocuments, type PackageWorld } from '../support/packages.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { view } from './world.ts';

const points: readonly FaultPoint[] = ['install/before', 'install/done', ...packageFaultPoints, 'remove/before', 'remove/done'];
const table: string[] = [];
afterAll(() => console.log(['point | died at | right after | in the end', ...table].join('\n')));

let author: PackageWorld;
let engine: Awaited<ReturnType<typeof serveSlowly>> & { readonly size: number };
let slow = false;
let portal: RunningPortal | null = null;
let state: string;
let desired: string;

beforeEach(async () => {
  author = await packageWorld();
  state = join(author.dir, 'p');
  desired = join(author.dir, 'yaml');
  mkdirSync(state, { mode: 0o700 });
  const { bytes, sha256 } = await makeEngine(author.dir, 200_000);
  slow = false;
  engine = { ...(await serveSlowly(bytes, () => (slow ? 100 : 5))), size: bytes.length };
  const motores = [{ nome: 'rosto', versao: '1.0', url: engine.url, sha256, tamanho: bytes.length }];
  await author.publish('notas', '1.0.0');
  await author.publish('notas', '2.0.0', { motores, instalacao: ['sistema'] });
});
afterEach(async () => {
  await portal?.stop();
  portal = null;
  engine.close();
  await author.dispose();
});

const want = (documents: readonly string[]): void => writeDocuments(desired, author.repo, documents);
const apps = (): string => join(state, 'opt/svc-apps');
/** Throws when what stands there is not whole. */
function version(): string | null {
  if (!existsSync(join(apps(), 'notas'))) return null;
  const found = (JSON.parse(readFileSync(join(apps(), 'notas/svc-app.json'), 'utf8')) as { version: string }).version;
  expect(readFileSync(join(apps(), 'notas/frontend/index.html'), 'utf8')).toBe(found);
  return found;
}
const engineFolder = (): string => join(state, 'var/lib/svc-motores/notas/rosto/1.0');

/** Everything that the points are passed in, one step after the other; each waits for what stands on the disk. */
const steps: readonly (readonly [name: string, act: () => Promise<unknown> | void, done: () => boolean | Promise<boolean>])[] = [
  ['installed', () => want([document('notas', 'notas', '1.0.0')]), () => version() === '1.0.0'],
  ['upgraded', () => want([document('notas', 'notas', '2.0.0')]), () => version() === '2.0.0' && existsSync(engineFolder())],
  ['rolled back', () => rollback('POST'), () => version() === '1.0.0'],
  ['forward again', () => rollback('DELETE'), () => version() === '2.0.0'],
  ['confirmed', () => want([document('notas', 'notas', '2.0.0'), pinned('notas')]), () => versionsKept() === 1],
  ['mended', () => rmSync(engineFolder(), { recursive: true, force: true }), () => existsSync(join(engineFolder(), 'bin/motor'))],
  ['removed', () => want([document('outra', 'outra', '1.0.0')]), () => version() === null],
];

function versionsKept(): number {
  const store = join(apps(), '.versions/notas');
  return existsSync(store) ? readdirSync(store).filter((name) => /^[0-9a-f]{12}$/.test(name)).length : 0;
}

async function rollback(method: 'POST' | 'DELETE'): Promise<void> {
  const answer = await portal?.admin(method, '/api/admin/packages/rollback', { key: 'Package/notas' });
  if (answer?.status !== 202 && answer?.status !== 404) throw new Error(`the rollback answered ${JSON.stringify(answer)}`);
}

const alive = (): boolean => {
  try {
    process.kill(portal?.pid ?? -1, 0);
    return true;
  } catch {
    return false;
  }
};

const apply = (): Promise<unknown> => portal!.admin('POST', '/api/admin/apply', { prune: true }).catch(() => null);

describe('svc up is killed', () => {
  test.for(points)('at %s', { timeout: 240_000 }, async (point) => {
    want([document('outra', 'outra', '1.0.0')]);
    portal = await startPortal({ desired, state, env: { SVC_FAULT_POINT: point } });
    let diedAt = 'never';
    for (const [name, act, done] of steps) {
      await act();
      await apply();
      const reached = async (): Promise<boolean> => !alive() || (await done());
      await until(`${name}, or the death of the portal`, reached, 90_000);
      // A point behind the effect is passed a moment after the effect is seen on the disk.
      if (alive() && point.endsWith('/done')) await until('a death', () => !alive(), 3_000).catch(() => null);
      if (alive()) continue;
      const after = version();
      diedAt = name;
      await portal.again({ SVC_FAULT_POINT: '' });
      await act();
      await apply();
      await until(`${name} after the death`, done, 90_000);
      table.push(`${point} | ${name} | ${after ?? 'nothing'} | ${version() ?? 'nothing'}`);
      break;
    }
    expect(diedAt).not.toBe('never');
  });

  test('in the middle of a download, which its installer goes on with', { timeout: 240_000 }, async () => {
    want([document('notas', 'notas', '1.0.0')]);
    portal = await startPortal({ desired, state });
    await until('1.0.0', () => version() === '1.0.0');
    slow = true;
    want([document('notas', 'notas', '2.0.0')]);
    await apply();
    await until('some bytes', () => engine.sent() > 0);
    await portal.kill();
    expect(version()).toBe('1.0.0');
    await portal.again();
    await until('2.0.0', () => version() === '2.0.0' && existsSync(join(engineFolder(), 'bin/motor')), 120_000);
    const settled = async (): Promise<boolean> => (await view(portal!, 'Package/notas'))?.state === 'installed';
    await until('the word of the portal', settled, 120_000);
    // Once: the second installer found what the first one had made.
    expect(engine.sent()).toBeLessThan(engine.size * 1.1);
  });
});
