/** Contract of every cluster driver, as one suite on real schedulers: the tests beside the drivers run it. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startJobPortal, type JobPortal } from '../../../test/support/job-portal.ts';
import type { Cluster, ClusterJob, ClusterSeen } from '../cluster.ts';

export interface ClusterFixture {
  readonly cluster: Cluster;
  readonly account: string | null;
  /** Another driver on the same cluster, as a restarted portal has. */
  readonly again: () => Cluster;
  /** Everything that the cluster and the machine tell about jobs to people other than their owner. */
  readonly shown: () => Promise<string>;
  /** Whether the cluster still keeps the folder of the job. */
  readonly keeps: (name: string) => boolean;
  /** Ends every process that was started, and removes what was made. */
  readonly remove: () => Promise<void>;
}

/** Pauses of the wrapper: one second where it usually waits for ten. */
export const quickPace = '1 1 1 2 65536';

export const never = new AbortController().signal;

const prefix = `svc-${randomBytes(6).toString('hex')}-`;
let count = 0;

export interface Trial {
  readonly portal: JobPortal;
  readonly job: ClusterJob;
}

export async function trial(
  fixture: Pick<ClusterFixture, 'account'>,
  command: readonly string[],
  change: Partial<ClusterJob> = {},
): Promise<Trial> {
  const portal = await startJobPortal(`segredo${randomBytes(8).toString('hex')}`);
  count += 1;
  const job: ClusterJob = {
    name: `${prefix}j${count}`,
    account: fixture.account,
    image: null,
    command,
    env: {},
    limits: { cpus: 1, memoryMb: 256, seconds: 60, gpus: 0 },
    report: { url: portal.url, token: portal.token },
    ...change,
  };
  return { portal, job };
}

export async function seenAs(cluster: Cluster, name: string): Promise<ClusterSeen | undefined> {
  const found = (await cluster.list(prefix, never)).filter((one) => one.name === name);
  if (found.length > 1) throw new Error(`${name} is listed ${found.length} times`);
  return found[0];
}

export const stateOf = async (cluster: Cluster, name: string): Promise<string> => (await seenAs(cluster, name))?.state ?? 'absent';

export function describeCluster(name: string, fixture: () => Promise<ClusterFixture>): void {
  describe(`cluster contract: ${name}`, () => {
    let made: ClusterFixture;
    const portals: JobPortal[] = [];
    const begin: Begin = async (command, change) => {
      const one = await trial(made, command, change);
      portals.push(one.portal);
      return one;
    };
    beforeAll(async () => {
      made = await fixture();
    });
    afterAll(async () => {
      await made.cluster.close();
      await made.remove();
      await Promise.all(portals.map((portal) => portal.close()));
    });
    runTests(() => made, begin);
    lifeTests(() => made, begin);
    endTests(() => made, begin);
  });
}

type Begin = (command: readonly string[], change?: Partial<ClusterJob>) => Promise<Trial>;

function runTests(made: () => ClusterFixture, begin: Begin): void {
  test.concurrent('runs the whole command as it is given, and tells how it ended', async ({ expect }) => {
    const { cluster } = made();
    const script = 'cat entrada/a; printf "%s|" "$@" "$NOME" "$state$launch$command$one"; echo pronto >"$SVC_SAIDA/r"; sleep 1; exit 3';
    const odd = ['a b', `'"$(id)\`;`, '', '\n', 'é'];
    const { portal, job } = await begin(['bash', '-c', script, 'x', ...odd], {
      // The last ones are names that the wrapper gives to what is its own.
      env: { NOME: `l1\nl2 '"`, state: '/fora', launch: ' a', command: ' b', one: ' c', IFS: 'x', PATH: '/usr/bin:/bin' },
    });
    portal.input('entrada/a', Buffer.from('olá\n'));
    const beforeMs = Date.now() - 2_000;
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
    expect(portal.log()).toBe(`olá\n${odd.join('|')}|l1\nl2 '"|/fora a b c|`);
    expect(portal.outputs()).toEqual({ 'saida/r': 'pronto\n' });
    const seen = await seenAs(cluster, job.name);
    expect(seen).toMatchObject({ name: job.name, state: 'ended', exitCode: 3, place: null });
    expect(seen?.startedAtMs).toBeGreaterThan(beforeMs);
    expect(seen?.endedAtMs).toBeGreaterThanOrEqual(seen?.startedAtMs ?? Infinity);
    expect(seen?.id).toMatch(/^\d+$/);
  });

  test.concurrent('the token is in nothing that others see, nor in what the command is given', async ({ expect }) => {
    const { cluster, shown } = made();
    const { portal, job } = await begin(['bash', '-c', 'env; tr "\\0" "\\n" </proc/$PPID/cmdline; sleep 2']);
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('running');
    await expect.poll(() => portal.log()).toContain('SVC_SAIDA');
    const told = await shown();
    expect(told).toContain(job.name);
    expect([told.includes(portal.token), portal.log().includes(portal.token)]).toEqual([false, false]);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
  });

  test.concurrent('refuses for good what no cluster could run', async ({ expect }) => {
    const { cluster } = made();
    const { job } = await begin(['true']);
    await expect(cluster.submit({ ...job, env: { 'A B': '1' } }, never)).rejects.toMatchObject({ code: 'REFUSED' });
    await expect(cluster.submit({ ...job, command: [] }, never)).rejects.toMatchObject({ code: 'REFUSED' });
    await expect(cluster.submit({ ...job, name: '../x' }, never)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await stateOf(cluster, job.name)).toBe('absent');
  });
}

function lifeTests(made: () => ClusterFixture, begin: Begin): void {
  test.concurrent('a name submitted again, at once or later, is one run', async ({ expect }) => {
    const { cluster, again } = made();
    const { portal, job } = await begin(['bash', '-c', 'echo x; sleep 1']);
    const tries = await Promise.allSettled([cluster.submit(job, never), again().submit(job, never), cluster.submit(job, never)]);
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
    await cluster.submit(job, never);
    expect(await stateOf(cluster, job.name)).toBe('ended');
    expect(portal.log()).toBe('x\n');
  });

  test.concurrent('a restarted portal finds what runs, and its end', async ({ expect }) => {
    const { cluster, again } = made();
    const { portal, job } = await begin(['bash', '-c', 'sleep 5; exit 5']);
    await cluster.submit(job, never);
    await expect.poll(() => portal.beats.includes('estado=iniciado')).toBe(true);
    expect(await stateOf(again(), job.name)).toBe('running');
    await expect.poll(() => stateOf(again(), job.name)).toBe('ended');
    expect(await seenAs(again(), job.name)).toMatchObject({ exitCode: 5 });
  });

  test.concurrent('jobs of another portal are none of ours', async ({ expect }) => {
    const { cluster } = made();
    const { job } = await begin(['true']);
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
    expect(await cluster.list('svc-000000000000-', never)).toEqual([]);
  });

  test.concurrent('a new token reaches a job that was submitted before', async ({ expect }) => {
    const { cluster } = made();
    const { portal, job } = await begin(['bash', '-c', 'sleep 1; echo novo']);
    await cluster.submit({ ...job, report: { ...job.report, token: 'velho' } }, never);
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
    expect(portal.log()).toBe('novo\n');
  });
}

function endTests(made: () => ClusterFixture, begin: Begin): void {
  test.concurrent('cancels what runs, once or twice, and from a restarted portal', async ({ expect }) => {
    const { cluster, again } = made();
    const { portal, job } = await begin(['bash', '-c', 'sleep 300']);
    await cluster.submit(job, never);
    await expect.poll(() => portal.beats.includes('estado=iniciado')).toBe(true);
    await again().cancel(job.name, never);
    await cluster.cancel(job.name, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('cancelled');
    expect(await stateOf(again(), job.name)).toBe('cancelled');
    await cluster.cancel(job.name, never);
    await cluster.cancel(`${prefix}unknown`, never);
  });

  test.concurrent('a job over its time is failed, and says why', async ({ expect }) => {
    const { cluster } = made();
    const { portal, job } = await begin(['bash', '-c', 'echo meio; sleep 300'], {
      limits: { cpus: 1, memoryMb: 256, seconds: 1, gpus: 0 },
    });
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('failed');
    expect(await seenAs(cluster, job.name)).toMatchObject({ exitCode: 124, note: 'its time was over' });
    expect(portal.log()).toBe('meio\n');
  });

  test.concurrent('forgets what ended, and is not asked twice', async ({ expect }) => {
    const { cluster, keeps } = made();
    const { job } = await begin(['true']);
    await cluster.submit(job, never);
    await expect.poll(() => stateOf(cluster, job.name)).toBe('ended');
    expect(keeps(job.name)).toBe(true);
    await cluster.forget(job.name, never);
    expect(keeps(job.name)).toBe(false);
    await cluster.forget(job.name, never);
    await cluster.forget(`${prefix}unknown`, never);
  });
}
