import { expect, test } from 'vitest';
import { systemClock } from '../clock/system.ts';
import type { RunThere } from './job-server.ts';
import { createSlurmCluster } from './slurm.ts';

const name = 'svc-0123456789ab-j1';

test.for([
  [['unknown'], 'waiting'],
  [['ended\t17|COMPLETED|0:0|1763880000|1763880009'], 'ended'],
  [[], 'failed'],
] as const)('a job that squeue forgot, and of which the accounting says %j, is %s', async ([accounting, state]) => {
  const answers: Readonly<Record<string, readonly string[]>> = {
    jobs: [],
    records: [`record\t${name}\t17\tyes\t\t1763880000\t\t\t\t\t`],
    accounting,
  };
  const run: RunThere = async (_, { stdin, onLine }) => {
    const verb = /^act '([a-z]+)'/m.exec(stdin)?.[1] ?? '';
    for (const line of answers[verb] ?? []) onLine(line);
    return { code: 0, signal: null, said: '' };
  };
  const cluster = createSlurmCluster({ name: 'hpc', run, jobs: () => [{ name, account: 'ana' }], clock: systemClock });
  expect(await cluster.list('svc-', AbortSignal.timeout(5_000))).toEqual([expect.objectContaining({ name, state })]);
});
