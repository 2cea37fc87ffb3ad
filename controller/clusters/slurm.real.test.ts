import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../test/support/portal.ts';
import { startSlurm, type TestSlurm } from '../../test/support/slurm.ts';
import { startSshd, type TestSshd } from '../../test/support/sshd.ts';
import { systemClock } from '../clock/system.ts';
import type { Host } from '../hosts/host.ts';
import { createSshHost } from '../hosts/ssh/host.ts';
import type { Cluster } from './cluster.ts';
import { describeCluster, never, quickPace, seenAs, stateOf, trial } from './testing/cluster-contract.ts';
import { createSlurmCluster, type SlurmClusterOptions } from './slurm.ts';

let slurm: TestSlurm;
let sshd: TestSshd;
let host: Host;
beforeAll(async () => {
  [slurm, sshd] = await Promise.all([startSlurm(), startSshd({ accounts: 2 })]);
  const privateKey = await readFile(sshd.keyFile);
  host = createSshHost({
    server: 'no',
    target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
    admin: 'root',
    credential: async () => ({ kind: 'key', privateKey }),
    kit: sshd.kit,
    prefix: '',
    clock: systemClock,
    pack: () => Promise.reject(new Error('nothing is sent here')),
    onBadPackage: () => undefined,
    kitFix: '',
  });
  for (const { home, uid } of sshd.accounts) {
    mkdirSync(path.join(home, '.svc-jobs'), { mode: 0o700 });
    chownSync(path.join(home, '.svc-jobs'), uid, uid);
  }
});
afterAll(async () => {
  await host.close();
  await slurm.stop();
  await sshd.stop();
});

const accountName = (): string => sshd.accounts[0]?.name ?? '';
const jobFolder = (name: string): string => path.join(sshd.accounts[0]?.home ?? '', '.svc-jobs', name);

const make = (change: Partial<SlurmClusterOptions> = {}): Cluster =>
  createSlurmCluster({
    name: 'grande',
    run: host.run,
    jobs: () => readdirSync(jobFolder('.')).map((name) => ({ name, account: accountName() })),
    conf: slurm.conf,
    clock: systemClock,
    pace: quickPace,
    ...change,
  });

describeCluster('slurm', async () => ({
  cluster: make(),
  account: accountName(),
  again: () => make(),
  shown: async () => (await slurm.ask('scontrol', 'show', 'job')) + (await slurm.ask('squeue', '--json')),
  keeps: (name) => existsSync(jobFolder(name)),
  remove: async () => undefined,
}));

/** On a slow machine Slurm does not answer in time now and then, and is asked again, as the portal does. */
async function patiently<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  const tried = async (): Promise<{ readonly answer: Answer } | null> => {
    try {
      return { answer: await act() };
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'CLUSTER_UNREACHABLE') return null;
      throw error;
    }
  };
  return (await until('an answer of Slurm', tried)).answer;
}

const begin = async (command: readonly string[], cluster = make(), account = accountName()) => {
  // Longer than any test here may take: none is about a job whose time is over.
  const limits = { cpus: 1, memoryMb: 256, seconds: 600, gpus: 0 };
  const one = await trial({ account }, command, { limits });
  await patiently(() => cluster.submit(one.job, never));
  return { ...one, cluster };
};

/** Folder with an sbatch that does its work, or only says that it did not: what comes back is the same. */
async function sbatchThatSays(text: string, works: boolean): Promise<{ readonly bin: string; remove(): Promise<void> }> {
  const bin = await mkdtemp(path.join(os.tmpdir(), 'svc-sbatch-'));
  await chmod(bin, 0o755);
  const run = works ? '/usr/bin/sbatch "$@" >/dev/null\n' : '';
  await writeFile(path.join(bin, 'sbatch'), `#!/bin/bash\n${run}echo '${text}' >&2\nexit 1\n`, { mode: 0o755 });
  return { bin, remove: () => rm(bin, { recursive: true }) };
}

const timedOut = 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation';

test.concurrent('the answer of sbatch is lost: the job that it made is adopted, and it is one', async ({ expect }) => {
  const broken = await sbatchThatSays(timedOut, true);
  const { cluster, portal, job } = await begin(['bash', '-c', 'echo x; sleep 1'], make({ bin: broken.bin }));
  await patiently(() => make().submit(job, never));
  expect((await slurm.ask('squeue', '--states=all', '--name', job.name, '--noheader')).trim().split('\n').length).toBe(1);
  await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
  expect(portal.log()).toBe('x\n');
  await portal.close();
  await broken.remove();
});

test.concurrent('the answer of sbatch is lost and it made none: perhaps, and the next try makes one', async ({ expect }) => {
  const broken = await sbatchThatSays(timedOut, false);
  const { job, portal } = await trial({ account: accountName() }, ['echo', 'x']);
  await expect(make({ bin: broken.bin }).submit(job, never)).rejects.toMatchObject({
    code: 'CLUSTER_UNREACHABLE',
    message: expect.stringContaining('Socket timed out') as string,
  });
  expect(await patiently(() => stateOf(make(), job.name))).toBe('absent');
  await patiently(() => make().submit(job, never));
  await expect.poll(() => stateOf(make(), job.name)).toBe('ended');
  expect(portal.log()).toBe('x\n');
  await portal.close();
  await broken.remove();
});

test.concurrent('two jobs of one name on the cluster, whoever made the second: the command runs once', async ({ expect }) => {
  const { cluster, portal, job } = await begin(['bash', '-c', 'echo x; sleep 2']);
  const folder = jobFolder(job.name);
  await expect.poll(() => existsSync(path.join(folder, 'claim'))).toBe(true);
  await slurm.ask(
    'sbatch',
    '--parsable',
    `--job-name=${job.name}`,
    `--uid=${accountName()}`,
    '--mem=10M',
    '--output=/dev/null',
    `${folder}/wrapper`,
    folder,
  );
  expect(await stateOf(cluster, job.name)).toBe('running');
  await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
  expect(portal.log()).toBe('x\n');
  await portal.close();
});

test.concurrent('Slurm refuses for good: its words are told, and nothing is left', async ({ expect }) => {
  const { job, portal } = await trial({ account: accountName() }, ['true']);
  await expect(make({ partition: 'nenhuma' }).submit(job, never)).rejects.toMatchObject({
    code: 'REFUSED',
    message: expect.stringContaining('partition') as string,
  });
  expect(existsSync(jobFolder(job.name))).toBe(false);
  await portal.close();
});

test.concurrent('what squeue has forgotten is known by what the wrapper left, also to a restarted portal', async ({ expect }) => {
  const { cluster, portal, job } = await begin(['bash', '-c', 'exit 9']);
  await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
  await expect.poll(async () => await slurm.ask('squeue', '--states=all', '--name', job.name, '--noheader')).toBe('');
  expect(await seenAs(cluster, job.name)).toMatchObject({ state: 'ended', exitCode: 9 });
  expect(await seenAs(make(), job.name)).toMatchObject({ state: 'ended', exitCode: 9 });
  await portal.close();
});

test.concurrent('an account that can not be read keeps its own jobs as they are', async ({ expect }) => {
  const { name: account = '', home = '' } = sshd.accounts[1] ?? {};
  const { cluster, portal, job } = await begin(['bash', '-c', 'exit 9'], make(), account);
  await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
  const restarted = make({ jobs: () => [{ name: job.name, account }] });
  await expect.poll(async () => await slurm.ask('squeue', '--states=all', '--name', job.name, '--noheader')).toBe('');
  chmodSync(path.join(home, '.svc-jobs'), 0);
  expect(await seenAs(restarted, job.name)).toMatchObject({ state: 'waiting', note: "what it left can't be read: cannot read .svc-jobs" });
  chmodSync(path.join(home, '.svc-jobs'), 0o700);
  expect(await seenAs(restarted, job.name)).toMatchObject({ state: 'ended', exitCode: 9 });
  await portal.close();
});

test('a login shell that ends with the code of a refusal refused nothing', async () => {
  const { name: account = '', home = '', uid = 0 } = sshd.accounts[1] ?? {};
  const profile = path.join(home, '.bashrc');
  await writeFile(profile, 'exit 65\n');
  chownSync(profile, uid, uid);
  const { job, portal } = await trial({ account }, ['true']);
  await expect(make().submit(job, never)).rejects.toMatchObject({
    code: 'CLUSTER_UNREACHABLE',
    message: expect.stringContaining('65') as string,
  });
  await rm(profile);
  await portal.close();
});

test('jobs that wait have a place, and are cancelled without having run', async () => {
  const cluster = make();
  await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=DOWN');
  try {
    const [first, second] = [await begin(['echo', 'x'], cluster), await begin(['echo', 'y'], cluster)];
    const place = async (name: string) => (await seenAs(cluster, name))?.place;
    await expect.poll(async () => [await place(first.job.name), await place(second.job.name)]).toEqual([1, 2]);
    expect(await seenAs(cluster, first.job.name)).toMatchObject({
      state: 'waiting',
      note: expect.stringMatching(/^PENDING \(/) as string,
      startedAtMs: null,
      exitCode: null,
    });
    for (const { job, portal } of [first, second]) {
      await cluster.cancel(job.name, never);
      await expect.poll(() => stateOf(cluster, job.name)).toBe('cancelled');
      expect(portal.requests).toEqual([]);
      await portal.close();
    }
  } finally {
    await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=UP');
  }
});

test('the controller does not answer: jobs are unknown, never absent, and go on; the node goes down: its job failed, and runs no second time', async () => {
  const [long, short] = [await begin(['bash', '-c', 'echo x; sleep 7; echo y; sleep 300']), await begin(['bash', '-c', 'sleep 2; exit 2'])];
  const { cluster } = long;
  for (const { portal } of [long, short]) await expect.poll(() => portal.beats.includes('estado=iniciado')).toBe(true);
  await slurm.killController();
  await expect(cluster.list('svc-', never)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
  await slurm.startController();
  await expect.poll(() => stateOf(cluster, short.job.name)).toBe('ended');
  expect(await patiently(() => seenAs(cluster, short.job.name))).toMatchObject({ exitCode: 2 });
  // A job younger than BatchStartTimeout and MessageTimeout together counts as one that is still starting: its loss is seen half a minute later.
  await expect.poll(() => long.portal.log()).toBe('x\ny\n');
  await slurm.killNode();
  await slurm.startNode();
  await expect.poll(() => stateOf(cluster, long.job.name)).toBe('failed');
  expect(await patiently(() => seenAs(cluster, long.job.name))).toMatchObject({ exitCode: null });
  const next = await begin(['echo', 'z'], cluster);
  await expect.poll(() => stateOf(cluster, next.job.name)).toBe('ended');
  expect([long.portal.log(), next.portal.log()]).toEqual(['x\ny\n', 'z\n']);
  await Promise.all([long, short, next].map(({ portal }) => portal.close()));
});
