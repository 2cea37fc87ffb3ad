/**
 * Bad input, each a clear coded answer: what the issue of the spine lists, through one real portal; the backends, each another app, at the
 * same time. What a vault, a socket and a run.pid may be: kit/launch/secrets.test.ts, kit/supervise/supervisor.real.test.ts.
 */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../kit/limits.ts';
import type { WhyAnswer } from '../../schema/gateway.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, view, whenInstalled, whenState, writeDesired } from './world.ts';
import { copyExamples } from '../support/example-desired.ts';

const faults = ['porta-errada', 'nunca-liga', 'sai-logo', 'responde-500', 'responde-401', 'fala-demais', 'demora'];
const apps = ['notas'];

let folder: string;
let portal: RunningPortal;
const home = (): string => join(folder, 's/home/ana/.svc-apps');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcx-'));
  const packages = join(folder, 'p');
  await copyExamples([...apps, ...faults], packages);
  const desired = await writeDesired(join(folder, 'd'), { apps: [...apps, ...faults], packages });
  portal = await startPortal({ desired, state: join(folder, 's') });
  await whenInstalled(portal, ...apps, ...faults);
});
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function why(app: string): Promise<WhyAnswer> {
  return (await portal.admin('GET', `/api/admin/why?key=Backend/ana/${app}`)).body as WhyAnswer;
}

describe.concurrent('a backend that', () => {
  test.for([
    ['never binds', 'nunca-liga', 'NeverBound'],
    ['binds TCP', 'porta-errada', 'BoundTcp'],
    ['answers 500', 'responde-500', 'AnswersError'],
    ['answers 401', 'responde-401', 'AnswersError'],
  ] as const)('%s is starting with a reason of its own', { timeout: 180_000 }, async ([, app, reason], { expect }) => {
    const answer = await order(portal, 'start', app);
    expect(answer).toMatchObject({ ready: false, status: 'starting' });
    const found = await until(`${app} ${reason}`, async () => {
      const object = await view(portal, `Backend/ana/${app}`);
      return object?.reason === reason ? object : null;
    });
    expect(found.message).not.toBe('');
    const answerWhy = await why(app);
    expect(answerWhy.fix).toBeTruthy();
    await order(portal, 'stop', app);
    await whenState(portal, app, 'stopped');
    await until('no process', () => backendPids(join(folder, 's'), app).length === 0);
  });

  test('exits at once fails five times and stays failed, with its last lines', { timeout: 180_000 }, async ({ expect }) => {
    const answer = await order(portal, 'start', 'sai-logo');
    expect(answer.ready).toBe(false);
    const failed = await whenState(portal, 'sai-logo', 'failed', 60_000);
    expect(failed.reason).toBe('ExitedAtOnce');
    expect(failed.details['failures']).toBe(5);
    expect((await why('sai-logo')).lastLogLines.length).toBeGreaterThan(0);
  });

  test('needs 25 s is announced as slow and then as ready', { timeout: 180_000 }, async ({ expect }) => {
    const answer = await order(portal, 'start', 'demora');
    expect(answer).toMatchObject({ ready: false, status: 'starting' });
    expect(answer.retryAfterMs).toBeGreaterThan(0);
    await whenState(portal, 'demora', 'running', 90_000);
    await order(portal, 'stop', 'demora');
  });
});

test.concurrent('a vault that others can read refuses the start, and the person is told', async ({ expect }) => {
  await mkdir(join(home(), 'notas'), { recursive: true, mode: 0o700 });
  await writeFile(join(home(), 'notas/secrets.json'), JSON.stringify({ CHAVE: 'x' }), { mode: 0o644 });
  expect(await order(portal, 'start', 'notas')).toMatchObject({ ready: false, reason: 'InvalidEnvironment' });
});

/** Alone: it measures the growth of its log between two scans. */
describe('a backend that', () => {
  test('prints 1 GB fills no disk and is served afterwards', { timeout: 500_000 }, async () => {
    await order(portal, 'start', 'fala-demais');
    let largest = 0;
    const look = async (): Promise<number> => {
      for (const name of ['run.log', 'run.log.1']) {
        const size = await stat(join(home(), 'fala-demais', name)).then(
          (found) => found.blocks * 512,
          () => 0,
        );
        largest = Math.max(largest, size);
      }
      return largest;
    };
    await until(
      'fala-demais running',
      async () => {
        await look();
        return (await view(portal, 'Backend/ana/fala-demais'))?.state === 'running';
      },
      400_000,
    );
    // It may have been there at the first check.
    await expect.poll(look).toBeGreaterThan(0);
    // Between two scans of the supervisor it grows by the lines printed meanwhile: on a busy machine that is more than a second's worth.
    expect(largest).toBeLessThan(16 * limits.runLogBytesMax);
    await order(portal, 'stop', 'fala-demais');
  });
});
