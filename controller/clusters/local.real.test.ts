import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, type TestContext } from 'vitest';
import { until } from '../../test/support/portal.ts';
import { addAccount, removeAccount } from '../../test/support/sshd.ts';
import { systemClock } from '../clock/system.ts';
import type { Cluster } from './cluster.ts';
import { describeCluster, never, quickPace, seenAs, stateOf, trial, type ClusterFixture } from './testing/cluster-contract.ts';
import { createLocalCluster } from './local.ts';

interface LocalFixture extends ClusterFixture {
  readonly folder: string;
}

function fixtureOf(plain: boolean): LocalFixture {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'svc-jobs-'));
  const make = (): Cluster =>
    createLocalCluster({ name: 'local', folder, hidden: [folder], account: null, clock: systemClock, plain, pace: quickPace });
  return {
    folder,
    cluster: make(),
    account: null,
    again: make,
    // Everybody may see the command lines of all.
    shown: async () => (await promisify(execFile)('ps', ['-eo', 'args'])).stdout,
    keeps: (name) => existsSync(path.join(folder, name)),
    remove: async () => {
      for (const { pid } of processesIn(folder)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended since it was looked for.
        }
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Wrappers and commands of jobs below the folder. */
function processesIn(folder: string): readonly { readonly pid: number; readonly argv: string }[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return argv.includes(folder) || environ.includes(`SVC_SAIDA=${folder}`) ? [{ pid: Number(pid), argv }] : [];
    } catch {
      return [];
    }
  });
}

test('a folder that can not be read says of no job that it is gone, or over', async () => {
  const { folder, cluster, remove } = fixtureOf(true);
  const claim = path.join(folder, 'svc-um/claim');
  mkdirSync(claim, { recursive: true });
  symlinkSync('process', path.join(claim, 'process'));
  expect(await cluster.list('svc-', never)).toEqual([expect.objectContaining({ name: 'svc-um', state: 'waiting' })]);
  await expect(cluster.forget('svc-um', never)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
  expect(existsSync(claim)).toBe(true);
  await remove();
  expect(await cluster.list('svc-', never)).toEqual([]);
  symlinkSync(folder, folder);
  await expect(cluster.list('svc-', never)).rejects.toThrow(`cannot read ${folder}`);
  await remove();
});

describeCluster('local, plain processes', async () => fixtureOf(true));
describeCluster('local, bubblewrap', async () => {
  const made = fixtureOf(false);
  await made.cluster.list('svc-', never);
  if (made.cluster.isolation !== 'bubblewrap') throw new Error('bubblewrap does not work here');
  return made;
});

const begin = async (command: readonly string[], { onTestFinished }: Pick<TestContext, 'onTestFinished'>) => {
  const made = fixtureOf(true);
  onTestFinished(() => made.remove());
  const one = await trial(made, command);
  await made.cluster.submit(one.job, never);
  await until('its begin', () => one.portal.beats.includes('estado=iniciado'));
  return { ...one, made, folder: made.folder };
};

describe.concurrent('a job of this machine', () => {
  test('a wrapper that was killed, or a machine that went down, is a failed job and not one that runs', async (context) => {
    const { expect } = context;
    const { job, made: one, folder, portal } = await begin(['sleep', '300'], context);
    for (const { pid } of processesIn(path.join(folder, job.name))) process.kill(pid, 'SIGKILL');
    await expect.poll(() => stateOf(one.cluster, job.name)).toBe('failed');
    expect(await seenAs(one.cluster, job.name)).toMatchObject({
      exitCode: null,
      note: expect.stringContaining('without an exit code') as string,
    });
    await portal.close();
  });

  test('another process with the pid of a wrapper is never taken for it, nor signalled', async (context) => {
    const { expect } = context;
    const { job, made: one, folder, portal } = await begin(['sleep', '300'], context);
    const record = path.join(folder, job.name, 'claim/process');
    const [, , boot] = readFileSync(record, 'utf8').trim().split(' ');
    for (const { pid } of processesIn(path.join(folder, job.name))) process.kill(pid, 'SIGKILL');
    rmSync(path.join(folder, job.name, 'codigo'), { force: true });
    writeFileSync(record, `${process.pid} 1 ${boot}\n`);
    expect(await stateOf(one.cluster, job.name)).toBe('failed');
    await one.cluster.cancel(job.name, never);
    await portal.close();
  });

  test('links in place of outputs bring nothing that the job itself could not read', async ({ expect, onTestFinished }) => {
    const made = fixtureOf(false);
    onTestFinished(() => made.remove());
    const secret = path.join(made.folder, 'segredo');
    mkdirSync(secret);
    writeFileSync(path.join(secret, 'c.txt'), 'canary');
    for (const script of [`rmdir saida; ln -s ${secret} saida`, `ln -s ${secret}/c.txt saida/c.txt; echo a >saida/b`]) {
      const { job, portal } = await trial(made, ['bash', '-c', script]);
      await made.cluster.submit(job, never);
      await expect.poll(() => stateOf(made.cluster, job.name)).toBe('ended');
      expect(Object.values(portal.outputs())).not.toContain('canary');
      expect(Object.keys(portal.outputs())).not.toContain('saida/c.txt');
      await portal.close();
    }
  });

  test('memory over the limit ends the command, not the machine', async (context) => {
    const { expect } = context;
    const { job, portal, made: one } = await begin(['python3', '-c', 'x = bytearray(2 << 30)'], context);
    await expect.poll(() => stateOf(one.cluster, job.name)).toBe('ended');
    expect(await seenAs(one.cluster, job.name)).toMatchObject({ exitCode: 1 });
    expect(portal.log()).toContain('MemoryError');
    await portal.close();
  });

  test('of a portal that is root, jobs run as the account that the document names', async ({ expect }) => {
    const home = mkdtempSync(path.join(os.tmpdir(), 'svc-account-'));
    chmodSync(home, 0o755);
    mkdirSync(path.join(home, 'h'), { mode: 0o755 });
    const account = await addAccount(home, undefined);
    const cluster = createLocalCluster({
      name: 'local',
      folder: '/nowhere',
      hidden: [],
      account: account.name,
      clock: systemClock,
      plain: true,
      pace: quickPace,
    });
    const { job, portal } = await trial({ account: null }, ['bash', '-c', 'id -un; grep -c "" ../header']);
    try {
      await cluster.submit(job, never);
      await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
      expect(portal.log()).toBe(`${account.name}\n1\n`);
      expect(existsSync(path.join(account.home, '.svc-jobs', job.name))).toBe(true);
      const gone = createLocalCluster({ name: 'local', folder: '/nowhere', hidden: [], account: 'svctnone', clock: systemClock });
      await expect(gone.submit(job, never)).rejects.toMatchObject({ code: 'REFUSED' });
    } finally {
      await removeAccount(account.name);
      rmSync(home, { recursive: true, force: true });
      await portal.close();
    }
  });

  test('what can not be read is no empty list', async ({ expect }) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'svc-jobs-'));
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const cluster = createLocalCluster({ name: 'local', folder: file, hidden: [], account: null, clock: systemClock, plain: true });
    await expect(cluster.list('svc-', never)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
    expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('file\n');
    rmSync(folder, { recursive: true });
  });

  test('a wrapper that was stopped does not keep its job running for ever: after its time all of it is killed', async (context) => {
    const { expect } = context;
    const { job, folder, portal } = await begin(['bash', '-c', 'echo $$ >pid; sleep 300'], context);
    const own = path.join(folder, job.name);
    await expect.poll(() => existsSync(path.join(own, 'work/pid'))).toBe(true);
    const [wrapper = ''] = readFileSync(path.join(own, 'claim/process'), 'utf8').split(' ');
    process.kill(Number(wrapper), 'SIGSTOP');
    // As if its time were over.
    for (const name of ['seconds', 'delivery']) writeFileSync(path.join(own, name), '0\n');
    // Left by its command: nobody will ever read it.
    execFileSync('mkfifo', [path.join(own, 'reason')]);
    const cluster = createLocalCluster({
      name: 'local',
      folder,
      hidden: [],
      account: null,
      clock: systemClock,
      plain: true,
      overdueSeconds: 1,
    });
    await expect.poll(() => stateOf(cluster, job.name)).toBe('failed');
    expect(await seenAs(cluster, job.name)).toMatchObject({ exitCode: 124, note: 'its time was over' });
    await expect.poll(() => processesIn(own)).toEqual([]);
    await portal.close();
  });

  test('a cancel that is repeated counts from the first one: what takes no signal is killed in time', async (context) => {
    const { expect } = context;
    const { job, made: one, folder, portal } = await begin(['sleep', '300'], context);
    const own = path.join(folder, job.name);
    const [wrapper = ''] = readFileSync(path.join(own, 'claim/process'), 'utf8').split(' ');
    process.kill(Number(wrapper), 'SIGSTOP');
    await one.cluster.cancel(job.name, never);
    const cancelled = path.join(own, 'cancelled');
    const first = statSync(cancelled).mtimeMs;
    await one.cluster.cancel(job.name, never);
    expect(statSync(cancelled).mtimeMs).toBe(first);
    expect(await stateOf(one.cluster, job.name)).toBe('running');
    // As if that were a minute ago.
    utimesSync(cancelled, first / 1_000 - 60, first / 1_000 - 60);
    await one.cluster.cancel(job.name, never);
    await expect.poll(() => stateOf(one.cluster, job.name)).toBe('cancelled');
    await expect.poll(() => processesIn(own)).toEqual([]);
    await portal.close();
  });

  test('a command does not outlive the folder of its job', async (context) => {
    const { expect } = context;
    const { job, folder, portal } = await begin(['bash', '-c', 'trap "" HUP; sleep 300 & wait'], context);
    const own = path.join(folder, job.name);
    // In one step: the wrapper writes in it all the time.
    renameSync(own, path.join(folder, 'fora'));
    await expect.poll(() => processesIn(own)).toEqual([]);
    await portal.close();
  });
});
