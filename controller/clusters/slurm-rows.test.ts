import { expect, test } from 'vitest';
import type { ClusterJob } from './cluster.ts';
import { readAccounting, readRow, sbatchOptions } from './slurm-rows.ts';

const widths = [24, 24, 16, 24, 24, 40, 40, 60, 80];
const row = (...cells: readonly string[]): string => cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('');
const name = 'svc-0123456789ab-j1';

test.for<[string, string, string, object]>([
  [
    'a job that waits',
    '2',
    row('17', 'PENDING', '0', '1763880000', 'N/A', 'ana', 'longa', 'Resources', name),
    { state: 'waiting', note: 'PENDING (Resources)', place: 2, startedAtMs: null, exitCode: null },
  ],
  [
    'a job that runs',
    '2',
    row('17', 'RUNNING', '0', '1763880000', '1763890000', 'ana', 'longa', 'None', name),
    { state: 'running', note: 'RUNNING', place: null, startedAtMs: 1_763_880_000_000, endedAtMs: null },
  ],
  ['one that is ending', '0', row('17', 'COMPLETING', '0', '1763880000', '1763880009', 'ana', 'longa', 'None', name), { state: 'running' }],
  [
    'a state of a later Slurm',
    '0',
    row('17', 'DREAMING', '0', '1763880000', 'N/A', 'ana', 'longa', 'None', name),
    { state: 'running', note: 'DREAMING' },
  ],
  [
    'one whose command failed',
    '0',
    row('17', 'FAILED', '3:0', '1763880000', '1763880009', 'ana', 'longa', 'NonZeroExitCode', name),
    { state: 'ended', exitCode: 3, endedAtMs: 1_763_880_009_000 },
  ],
  [
    'one that a signal ended',
    '0',
    row('17', 'FAILED', '0:9', '1763880000', '1763880009', 'ana', 'longa', 'None', name),
    { state: 'ended', exitCode: 137 },
  ],
  [
    'a lost node',
    '0',
    row('17', 'NODE_FAIL', '1:0', '1763880000', '1763880009', 'ana', 'longa', 'None', name),
    { state: 'failed', exitCode: null },
  ],
  [
    'too much memory',
    '0',
    row('17', 'OUT_OF_MEMORY', '0:125', '1763880000', '1763880009', 'ana', 'longa', 'OutOfMemory', name),
    { state: 'failed', note: 'OUT_OF_MEMORY (OutOfMemory)' },
  ],
  [
    'a job that was cancelled',
    '0',
    row('17', 'CANCELLED', '0:15', '1763880000', '1763880009', 'ana', 'longa', 'None', name),
    { state: 'cancelled' },
  ],
])('squeue shows %s', ([, place, text, expected]) => {
  expect(readRow(`job\t${place}\t${text}`)).toMatchObject({ account: 'ana', seen: { name, id: '17', ...expected } });
});

test.for([
  'Welcome to sirius',
  `job\t0\t${row('17', 'RUNNING', '0', '1', '2', 'ana', 'p', 'None', 'other job')}`,
  `job\t0\t${row('x', 'RUNNING', '0', '1', '2', 'ana', 'p', 'None', name)}`,
  `job\t0\t${row('17', 'RUNNING', '0', '1', '2', 'A B', 'p', 'None', name)}`,
])('what is no row of ours is none: %s', (line) => {
  expect(readRow(line)).toBeNull();
});

// As sacct(1) describes --parsable2; no slurmdbd ran here.
test.for<[string, object]>([
  [
    'ended\t17|COMPLETED|0:0|1763880000|1763880009',
    { id: '17', state: 'ended', exitCode: 0, startedAtMs: 1_763_880_000_000, endedAtMs: 1_763_880_009_000 },
  ],
  ['ended\t17|FAILED|3:0|1763880000|1763880009', { state: 'ended', exitCode: 3 }],
  ['ended\t17|CANCELLED by 1000|0:0|Unknown|1763880009', { state: 'cancelled', startedAtMs: null, exitCode: null }],
  ['ended\t17|NODE_FAIL|1:0|1763880000|1763880009', { state: 'failed', note: 'NODE_FAIL' }],
])('sacct says %s', ([line, expected]) => {
  expect(readAccounting(line)).toMatchObject(expected);
});

test.for([
  'ended\t17|RUNNING|0:0|1763880000|Unknown',
  'ended\t17.batch|COMPLETED|0:0|1|2',
  'sacct: error: Slurm accounting storage is disabled',
])('sacct tells no end: %s', (line) => {
  expect(readAccounting(line)).toBeNull();
});

test('the options of sbatch hold the wishes and limits, and nothing of the person', () => {
  const job: ClusterJob = {
    name,
    account: 'ana',
    image: null,
    command: ['segredo'],
    env: { SEGREDO: 'segredo' },
    limits: { cpus: 2, memoryMb: 512, seconds: 61, gpus: 1 },
    report: { url: 'https://apps.example.org/', token: 'segredo' },
  };
  const options = sbatchOptions(job, { partition: 'longa', account: 'proj', qos: 'alta' });
  expect(options).toEqual(
    expect.arrayContaining([
      `--job-name=${name}`,
      `--comment=${name}`,
      '--cpus-per-task=2',
      '--mem=512M',
      '--time=13',
      '--gpus=1',
      '--no-requeue',
      '--export=NONE',
      '--partition=longa',
      '--account=proj',
      '--qos=alta',
    ]),
  );
  expect(options.join(' ')).not.toContain('segredo');
  // Far from the words of a remote shell all the same: they travel with escapes.
  expect(sbatchOptions(job, {}).some((word) => /^--(?:partition|account|qos)/.test(word))).toBe(false);
});
