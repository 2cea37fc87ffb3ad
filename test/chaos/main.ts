/** `npm run chaos -- [--faults 500] [--seed N] [--only TEXT]`: root, on a machine with sshd. Prints each round; exit 1 when something was not as promised. */
import { parseArgs } from 'node:util';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: { faults: { type: 'string', default: '500' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
// Accounts, mounts and processes of the world go also when somebody has seen enough.
const ends = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ends.abort());
const report = await runChaos({
  seed,
  signal: ends.signal,
  faults: Number(values.faults),
  say,
  ...(values.only === undefined ? {} : { only: values.only }),
});
const sorted = report.convergedMs.toSorted((a, b) => a - b);
const at = (share: number): string => ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1_000).toFixed(1);
say(
  `${report.faults} faults of ${report.kinds} kinds in ${report.rounds} rounds, seed ${seed}: converged after ${at(0.5)} s (median), ` +
    `${at(0.95)} s (p95), ${at(1)} s (most); ${report.edits} edits; ${report.wrong.length} things wrong`,
);
for (const line of report.wrong) say(`wrong: ${line}`);
process.exitCode = report.wrong.length === 0 ? 0 : 1;
