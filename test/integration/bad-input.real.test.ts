/**
 * Bad input, each a clear coded answer: what the issue of the spine lists, through one real portal; the backends, each another app, at the
 * same time.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../kit/limits.ts';
import type { WhyAnswer } from '../../schema/gateway.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, view, whenInstalled, whenState, writeDesired } from './world.ts';
import { copyExamples } from '../support/example-desired.ts';

const run = promisify(execFile);
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

const oneByOne = { concurrent: false } as const;

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

/** Runs on a single app: one after the other, beside the backends above. */
describe.concurrent('files of the account', () => {
  const startNotas = () => order(portal, 'start', 'notas');
  const stopNotas = async (): Promise<void> => {
    await order(portal, 'stop', 'notas');
    await whenState(portal, 'notas', 'stopped');
  };

  test.for([
    ['a NUL', JSON.stringify({ CHAVE: 'a\0b' }), 0o600],
    ['no JSON', '{', 0o600],
    ['a mode that others can read', JSON.stringify({ CHAVE: 'x' }), 0o644],
  ] as const)('a vault with %s refuses the start and never shows the value', { ...oneByOne, timeout: 120_000 }, async ([, text, mode]) => {
    const file = join(home(), 'notas/secrets.json');
    await mkdir(join(home(), 'notas'), { recursive: true, mode: 0o700 });
    await writeFile(file, text);
    await (await import('node:fs/promises')).chmod(file, mode);
    const answer = await startNotas();
    expect(answer).toMatchObject({ ready: false, reason: 'InvalidEnvironment' });
    await stopNotas();
    await rm(file);
  });

  test('a stale socket is cleared, a file in its place is not', { ...oneByOne, timeout: 120_000 }, async () => {
    const socket = join(home(), 'notas/app.sock');
    await mkdir(join(home(), 'notas'), { recursive: true, mode: 0o700 });
    await orphanSocket(socket);
    expect(await startNotas()).toMatchObject({ ready: true });
    await stopNotas();
    await rm(socket, { force: true });
    await writeFile(socket, 'precious');
    expect(await startNotas()).toMatchObject({ ready: false, reason: 'SocketRefused' });
    expect(await readFile(socket, 'utf8')).toBe('precious');
    await stopNotas();
    await rm(socket);
  });

  test('a foreign run.pid is never signalled', { ...oneByOne, timeout: 120_000 }, async () => {
    const { spawn } = await import('node:child_process');
    const foreign = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      const ticks = (await readFile(`/proc/${foreign.pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')[19];
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      await writeFile(join(home(), 'notas/run.pid'), `${foreign.pid} ${ticks} ${boot}\n`);
      expect(await startNotas()).toMatchObject({ ready: true });
      await stopNotas();
      expect(foreign.exitCode).toBeNull();
      expect(foreign.signalCode).toBeNull();
    } finally {
      foreign.kill('SIGKILL');
    }
  });
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

describe('svc validate', () => {
  test.for([
    ['broken YAML', 'a.yaml', 'apiVersion: svc/v1\nkind: Person\n  metadata: {', 'SYNTAX'],
    ['an unknown kind', 'b.yaml', 'apiVersion: svc/v1\nkind: Persom\nmetadata: { name: ana }\nspec: {}\n', 'UNKNOWN_KIND'],
    ['an unknown field', 'c.yaml', 'apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { locl: {} }\n', 'UNKNOWN_FIELD'],
    [
      'a wrong pattern',
      'svc-app.json',
      '{ "id": "Não", "version": "1.0.0", "backend": { "runtime": "node", "entrypoint": "x.js" } }',
      'PATTERN',
    ],
  ] as const)('%s', async ([, name, text, code]) => {
    const file = join(folder, name);
    await writeFile(file, text);
    const result = await run(join(repository, 'bin/svc'), ['validate', file, '--json']).catch(
      (error: { code: number; stdout: string }) => error,
    );
    const [report] = JSON.parse(result.stdout) as readonly [
      { ok: boolean; errors: readonly { code: string; line: number; column: number }[] },
    ];
    expect(report.ok).toBe(false);
    expect(report.errors.map((error) => error.code)).toContain(code);
    expect(report.errors.every((error) => error.line >= 1 && error.column >= 1)).toBe(true);
    expect((result as { code?: number }).code).toBe(1);
  });
});

/** A socket file whose listener is gone: closed without the unlink that node does. */
async function orphanSocket(path: string): Promise<void> {
  const script = 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()';
  await rm(path, { force: true });
  await run('python3', ['-c', script, path]);
  await new Promise<void>((done, fail) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done() : fail(error)));
    probe.listen(path, () => fail(new Error('the orphan was not there')));
  });
}
