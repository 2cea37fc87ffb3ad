/**
 * kill -9 of `svc up` at each step of what happens to packages: installation, upgrade with an engine, confirm, rollback, repair of an
 * engine, removal. The next run ends where the documents say, and at no moment half a package stands there. The points go on at the same
 * time, each with a portal of its own. SVC_TEST_LONG=1 takes every point, otherwise a seed takes two.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { packageFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { makeEngine } from '../../kit/install/test-web-server.ts';
import { tellCount } from '../support/counts.ts';
import { document, packageWorld, pinned, serveSlowly, writeDocuments, type PackageWorld } from '../support/packages.ts';
import { msOften, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth, shareSeed } from '../support/share.ts';
import { view } from './world.ts';

const all: readonly FaultPoint[] = ['install/before', 'install/done', ...packageFaultPoints, 'remove/before', 'remove/done'];
const points = everyNth(5, all);
const table: string[] = [];
afterAll(() => {
  console.log(['point | died at | right after | in the end', ...table].join('\n'));
  tellCount(`packages: killed at ${table.length} of ${all.length} points, seed ${shareSeed}`);
});

/** Packages published once for all: no point of the portal changes a repository. */
interface Published {
  readonly author: PackageWorld;
  readonly engine: Awaited<ReturnType<typeof serveSlowly>>;
  readonly size: number;
}

async function publish(chunkMs: () => number): Promise<Published> {
  const author = await packageWorld();
  const { bytes, sha256 } = await makeEngine(author.dir, 200_000);
  const engine = await serveSlowly(bytes, chunkMs);
  const motores = [{ nome: 'rosto', versao: '1.0', url: engine.url, sha256, tamanho: bytes.length }];
  await author.publish('notas', '1.0.0');
  await author.publish('notas', '2.0.0', { motores, instalacao: ['sistema'] });
  return { author, engine, size: bytes.length };
}
async function unpublish({ author, engine }: Published): Promise<void> {
  engine.close();
  await author.dispose();
}

let published: Published;
beforeAll(async () => {
  published = await publish(() => 5);
});
afterAll(async () => await unpublish(published));

interface Place {
  readonly portal: RunningPortal;
  want(documents: readonly string[]): void;
  apply(): Promise<unknown>;
  rollback(method: 'POST' | 'DELETE'): Promise<void>;
  /** Throws when what stands there is not whole. */
  version(): string | null;
  versionsKept(): number;
  readonly engineFolder: string;
}

/** A portal that wants the documents, with a state folder of its own; it ends with the test. */
async function placeOf(
  onTestFinished: TestContext['onTestFinished'],
  from: Published,
  first: readonly string[],
  point = '',
): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'svck-'));
  const [state, desired] = [join(dir, 'p'), join(dir, 'yaml')];
  mkdirSync(state, { mode: 0o700 });
  const want = (documents: readonly string[]): void => writeDocuments(desired, from.author.repo, documents);
  want(first);
  const portal = await startPortal({ desired, state, env: { SVC_FAULT_POINT: point } });
  onTestFinished(async () => {
    await portal.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const apps = join(state, 'opt/svc-apps');
  return {
    portal,
    want,
    apply: () => portal.admin('POST', '/api/admin/apply', { prune: true }).catch(() => null),
    rollback: async (method) => {
      const answer = await portal.admin(method, '/api/admin/packages/rollback', { key: 'Package/notas' });
      if (answer.status !== 202 && answer.status !== 404) throw new Error(`the rollback answered ${JSON.stringify(answer)}`);
    },
    version: () => {
      if (!existsSync(join(apps, 'notas'))) return null;
      const found = (JSON.parse(readFileSync(join(apps, 'notas/svc-app.json'), 'utf8')) as { version: string }).version;
      expect(readFileSync(join(apps, 'notas/frontend/index.html'), 'utf8')).toBe(found);
      return found;
    },
    versionsKept: () => {
      const store = join(apps, '.versions/notas');
      return existsSync(store) ? readdirSync(store).filter((name) => /^[0-9a-f]{12}$/.test(name)).length : 0;
    },
    engineFolder: join(state, 'var/lib/svc-motores/notas/rosto/1.0'),
  };
}

interface Step {
  readonly name: string;
  act(place: Place): Promise<unknown> | void;
  /** Looks at the disk. */
  done(place: Place): boolean;
}

/** Everything that the points are passed in, one step after the other; each waits for what stands on the disk. */
const steps: readonly Step[] = [
  { name: 'installed', act: ({ want }) => want([document('notas', 'notas', '1.0.0')]), done: ({ version }) => version() === '1.0.0' },
  {
    name: 'upgraded',
    act: ({ want }) => want([document('notas', 'notas', '2.0.0')]),
    done: ({ version, engineFolder }) => version() === '2.0.0' && existsSync(engineFolder),
  },
  { name: 'rolled back', act: ({ rollback }) => rollback('POST'), done: ({ version }) => version() === '1.0.0' },
  { name: 'forward again', act: ({ rollback }) => rollback('DELETE'), done: ({ version }) => version() === '2.0.0' },
  {
    name: 'confirmed',
    act: ({ want }) => want([document('notas', 'notas', '2.0.0'), pinned('notas')]),
    done: ({ versionsKept }) => versionsKept() === 1,
  },
  {
    name: 'mended',
    act: ({ engineFolder }) => rmSync(engineFolder, { recursive: true, force: true }),
    done: ({ engineFolder }) => existsSync(join(engineFolder, 'bin/motor')),
  },
  { name: 'removed', act: ({ want }) => want([document('outra', 'outra', '1.0.0')]), done: ({ version }) => version() === null },
];

const alive = ({ pid }: RunningPortal): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.concurrent('svc up is killed', () => {
  test.for(points)('at %s', { timeout: 240_000 }, async (point, { expect, onTestFinished }) => {
    const place = await placeOf(onTestFinished, published, [document('outra', 'outra', '1.0.0')], point);
    const { portal } = place;
    let diedAt = 'never';
    for (const { name, act, done } of steps) {
      await act(place);
      await place.apply();
      await until(`${name}, or the death of the portal`, () => !alive(portal) || done(place), 90_000);
      // A point behind the effect is passed a moment after the effect is seen on the disk.
      if (alive(portal) && point.endsWith('/done')) await until('a death', () => !alive(portal), 3_000).catch(() => null);
      if (alive(portal)) continue;
      const after = place.version();
      diedAt = name;
      await portal.again({ SVC_FAULT_POINT: '' });
      await act(place);
      await place.apply();
      await until(`${name} after the death`, () => done(place), 90_000);
      table.push(`${point} | ${name} | ${after ?? 'nothing'} | ${place.version() ?? 'nothing'}`);
      break;
    }
    expect(diedAt).not.toBe('never');
  });

  test('in the middle of a download, which its installer goes on with', { timeout: 240_000 }, async ({ expect, onTestFinished }) => {
    const slowly = await publish(() => 100);
    onTestFinished(() => unpublish(slowly));
    const { engine, size } = slowly;
    const place = await placeOf(onTestFinished, slowly, [document('notas', 'notas', '1.0.0')]);
    const { portal, version } = place;
    await until('1.0.0', () => version() === '1.0.0');
    place.want([document('notas', 'notas', '2.0.0')]);
    await place.apply();
    await until('some bytes', () => engine.sent() > 0, 60_000, msOften);
    await portal.kill();
    expect(version()).toBe('1.0.0');
    await portal.again();
    await until('2.0.0', () => version() === '2.0.0' && existsSync(join(place.engineFolder, 'bin/motor')), 120_000);
    await until('the word of the portal', async () => (await view(portal, 'Package/notas'))?.state === 'installed', 120_000);
    // Once: the second installer found what the first one had made.
    expect(engine.sent()).toBeLessThan(size * 1.1);
  });
});
