/** How soon a command answers, beside a bare `node -e 0`: `svc validate` of one file, and what only asks a portal that runs. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startPortal } from '../test/support/portal.ts';
import { watchLoad } from './load.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const root = resolve(import.meta.dirname, '..');

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  /** Expected output of the command. */
  readonly says: RegExp;
}

function timed(command: string, args: readonly string[], says: RegExp, env: Readonly<Record<string, string>> = {}): number {
  const startedMs = performance.now();
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const took = performance.now() - startedMs;
  if (status !== 0 || !says.test(stdout)) throw new Error(`${command} ${args.join(' ')} ended with ${status} and said: ${stdout}`);
  return took;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** Turn by turn with the bare one; the first turn fills the compile cache. */
function row({ name, args, says }: Command, rounds: number, profiling: Profiling | null): Row {
  sayStep(`commands: ${name}`);
  const ours: number[] = [];
  const bare: number[] = [];
  const load = watchLoad();
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [timed(process.execPath, ['-e', '0'], /^$/), timed(join(root, 'bin/svc'), args, says, profiling?.atExit)] as const;
    if (round === 0) continue;
    bare.push(pair[0]);
    ours.push(pair[1]);
  }
  const [oursMs, bareMs] = [median(ours), median(bare)];
  const limitMs = 2 * bareMs + 50;
  return {
    name: `${name}, ${rounds} times (load ${load.share()}, the commands with it)`,
    ours: percentilesOf(ours, ms),
    peer: `node -e 0: ${percentilesOf(bare, ms)}`,
    ratio: (oursMs / bareMs).toFixed(2),
    target: `p50 < 2× + 50 ms = ${limitMs.toFixed(0)} ms`,
    held: oursMs < limitMs,
  };
}

export const commandsArea: Area = async ({ short }) => {
  const rounds = short ? 5 : 25;
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const desired = join(folder, 'desired');
  await cp(join(root, 'examples/desired'), desired, { recursive: true });
  const portal = await startPortal({ desired });
  try {
    const at = ['--state', portal.state];
    const commands: readonly Command[] = [
      { name: '`svc validate` of one file', args: ['validate', join(root, 'examples/apps/notas/svc-app.json')], says: /svc-app/ },
      { name: '`svc get`', args: ['get', ...at], says: /Package|notas/ },
      { name: '`svc events`', args: ['events', ...at], says: /\S/ },
      { name: '`svc help`', args: ['help'], says: /Usage: svc/ },
    ];
    const profiling = profilingOf();
    const rows = commands.map((command) => row(command, rounds, profiling));
    profiling?.write(`The commands validate, get, events and help, ${rounds + 1} times each, from their start to their end`);
    return rows;
  } finally {
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
