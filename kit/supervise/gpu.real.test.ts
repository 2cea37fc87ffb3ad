import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test as plain } from 'vitest';
import { homeFixture, type TestClient, testHome, type TestHome, until } from '../test-home.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

let requests = 0;
const order = (app: string) => {
  requests += 1;
  return { app, token: `token-${requests}-long`, basePath: '/', pinned: false, requestId: `r${requests}`, variables: {} };
};
const stopOf = (app: string) => ({ app, requestId: `s${(requests += 1)}`, reason: 'StoppedByPerson' as const });
const isRunning = (snapshot: { state: string; socket: string }) => snapshot.state === 'running' && snapshot.socket === 'listening';
const environOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');

/** The letter of each thread, as ps shows it. */
const threadStates = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((id) => /\) (\w) /.exec(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8'))?.[1]);

/** A server with one NVIDIA card, planted below the home: no card can be had where the tests run. */
function plantCard(home: TestHome): string {
  const root = join(home.home, 'hw');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put('sys/bus/pci/devices/0000:01:00.0/vendor', '0x10de\n');
  put('dev/dri/renderD128', '');
  mkdirSync(join(root, 'sys/class/drm/renderD128'), { recursive: true });
  symlinkSync('../../../bus/pci/devices/0000:01:00.0', join(root, 'sys/class/drm/renderD128/device'));
  symlinkSync('../../../drivers/nvidia', join(root, 'sys/bus/pci/devices/0000:01:00.0/driver'));
  return root;
}

const wants = (modo: 'opcional' | 'necessaria') => ({ recursos: { gpu: { modo } } });

async function supervised(home: TestHome, root: string): Promise<TestClient> {
  const { client } = await home.supervisor({ SVC_GPU_ROOT: root });
  await client.call('subscribe');
  return client;
}

describe.concurrent('the GPU', () => {
  test('is hidden from an app that declares none, and given to one that does', async ({ home }) => {
    home.install('sem');
    home.install('com', wants('opcional'));
    const client = await supervised(home, plantCard(home));
    await client.call('start', order('sem'));
    await client.call('start', order('com'));
    const without = await client.state('sem', isRunning);
    const granted = await client.state('com', isRunning);
    const hidden = ['CUDA_VISIBLE_DEVICES=', 'HIP_VISIBLE_DEVICES=', 'ROCR_VISIBLE_DEVICES=', 'ZE_AFFINITY_MASK='];
    expect(environOf(without.process?.pid)).toEqual(expect.arrayContaining(hidden));
    expect(environOf(granted.process?.pid).filter((entry) => /VISIBLE_DEVICES|AFFINITY|GPU_ROOT/.test(entry))).toEqual([]);
    expect([without.gpu, granted.gpu]).toEqual([
      null,
      {
        modo: 'opcional',
        concedida: true,
        motivo: 'NVIDIA (nvidia) em /dev/dri/renderD128',
        dispositivos: [{ dispositivo: '/dev/dri/renderD128', fornecedor: 'NVIDIA', modelo: expect.any(String), driver: 'nvidia' }],
      },
    ]);
    const { gpu } = JSON.parse(readFileSync(home.paths('com').limits, 'utf8'));
    expect(gpu).toMatchObject({ concedida: true, dispositivos: [{ dispositivo: '/dev/dri/renderD128', virtual: false, acessivel: true }] });
  });

  test('goes to the first; another one that needs it waits without a loop, and starts when the first has ended', async ({ home }) => {
    home.install('primeiro', wants('opcional'));
    home.install('segundo', wants('necessaria'));
    home.install('terceiro', wants('opcional'));
    const client = await supervised(home, plantCard(home));
    await client.call('start', order('primeiro'));
    const first = await client.state('primeiro', isRunning);
    await client.call('start', order('segundo'));
    const waiting = await client.state('segundo', (s) => s.state === 'failed');
    expect(waiting).toMatchObject({
      reason: 'GpuBusy',
      failures: 0,
      nextAttemptAtMs: null,
      message: 'the app needs a GPU: em uso por outro app: /dev/dri/renderD128',
      gpu: { concedida: false },
    });
    await client.call('start', order('terceiro'));
    const beside = await client.state('terceiro', isRunning);
    expect(beside.gpu).toMatchObject({ concedida: false, motivo: 'em uso por outro app: /dev/dri/renderD128' });
    expect(environOf(beside.process?.pid)).toContain('CUDA_VISIBLE_DEVICES=');
    // By the death of the process, however it comes, and not by somebody's word.
    process.kill(first.process?.pid ?? 0, 'SIGSTOP');
    // A SIGTERM that comes before every thread has stopped would end it at once.
    await until('it stands still', () => threadStates(first.process?.pid ?? 0).every((state) => state === 'T'));
    await client.call('stop', stopOf('primeiro'));
    process.kill(first.process?.pid ?? 0, 'SIGKILL');
    const second = await client.state('segundo', isRunning);
    expect(second.gpu).toMatchObject({ concedida: true });
  });

  test('of another account is waited for by rounds, and a lease outlives the supervisor', async ({ home }) => {
    const root = plantCard(home);
    const other = testHome();
    try {
      home.install('meu', wants('opcional'));
      other.install('seu', wants('necessaria'));
      const mine = await home.supervisor({ SVC_GPU_ROOT: root });
      await mine.client.call('subscribe');
      await mine.client.call('start', order('meu'));
      const holder = await mine.client.state('meu', isRunning);
      mine.child.kill('SIGKILL');
      const theirs = await supervised(other, root);
      await theirs.call('start', order('seu'));
      await theirs.state('seu', (s) => s.reason === 'GpuBusy');
      process.kill(holder.process?.pid ?? 0, 'SIGKILL');
      const got = await theirs.state('seu', isRunning, 25_000);
      expect(got.gpu).toMatchObject({ modo: 'necessaria', concedida: true });
    } finally {
      await other.dispose();
    }
  });

  test('is held by what svc-app-run became', async ({ home }) => {
    const root = plantCard(home);
    home.install('mao', wants('necessaria'));
    home.writeEnv('mao');
    expect(await home.launcher('mao', { SVC_GPU_ROOT: root })).toMatchObject({ code: null });
    const [pid] = await until('it runs', () => (home.backends('mao').length > 0 ? home.backends('mao') : null));
    const lock = join(root, 'sys/bus/pci/devices/0000:01:00.0');
    const isFree = () => spawnSync('flock', ['-n', lock, 'true']).status === 0;
    await until('the lease is held', () => !isFree());
    process.kill(pid ?? 0, 'SIGKILL');
    await until('the kernel gave it back', isFree);
  });

  test('that is missing refuses until somebody asks again', async ({ home }) => {
    const root = plantCard(home);
    unlinkSync(join(root, 'dev/dri/renderD128'));
    home.install('quer', wants('necessaria'));
    const client = await supervised(home, root);
    await client.call('start', order('quer'));
    const refused = await client.state('quer', (s) => s.state === 'failed');
    expect(refused).toMatchObject({ reason: 'NoGpu', nextAttemptAtMs: null, gpu: { modo: 'necessaria', concedida: false } });
    expect(refused.message).toContain('peça ao administrador o grupo do dispositivo (render)');
    writeFileSync(join(root, 'dev/dri/renderD128'), '');
    await client.call('start', order('quer'));
    await client.state('quer', isRunning);
  });
});
