/**
 * Plants each bug of planted.ts and plays histories until one of them shows it. `node test/simulation/site/hunt.ts [id…]` prints a row for
 * each, with the steps and the seed that it took.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { History, Report } from './simulate.ts';
import { planted, type Planted } from './planted.ts';

export interface Found {
  readonly id: string;
  readonly seed: number | null;
  readonly steps: number;
  readonly violation: string;
}

const here = import.meta.dirname;

/** Plays a history in a process of its own, whose threads and clock nobody else shares. `id`: with that bug. */
export async function play(id: string | null, history: History): Promise<Report> {
  const plant = id === null ? [] : ['--import', path.join(here, 'plant.ts')];
  const env = { ...process.env, SVC_PLANTED: id ?? '' };
  const argv = ['--no-warnings', ...plant, path.join(here, 'simulate.ts'), JSON.stringify(history)];
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`the history of seed ${history.seed} ended with ${String(code)}: ${said.slice(0, 2_000)}`);
  return JSON.parse(out) as Report;
}

const seeds = Array.from({ length: 24 }, (_, n) => 101 + n);

export async function hunt({ id }: Planted): Promise<Found> {
  let steps = 0;
  for (const seed of seeds) {
    const report = await play(id, { seed, hours: 0.5, people: 3, apps: 2, violationsMax: 1 });
    steps += report.steps;
    const [violation] = report.violations;
    if (violation !== undefined) return { id, seed, steps, violation };
  }
  return { id, seed: null, steps, violation: '' };
}

if (import.meta.main) {
  const ids = process.argv.slice(2);
  const left = planted.filter(({ id }) => ids.length === 0 || ids.includes(id));
  let found = 0;
  const work = async (): Promise<void> => {
    for (let bug = left.shift(); bug !== undefined; bug = left.shift()) {
      const one = await hunt(bug).catch((error: unknown) => ({
        id: bug.id,
        seed: null,
        steps: 0,
        violation: `?? ${String(error)}`,
      }));
      if (one.seed !== null) found += 1;
      process.stdout.write(
        `${one.seed === null ? 'NOT FOUND' : 'found'} ${one.id} | seed ${one.seed} | ${one.steps} steps | ${one.violation.slice(0, 300)}\n`,
      );
    }
  };
  await Promise.all([work(), work()]);
  process.stdout.write(`${found} found\n`);
}
