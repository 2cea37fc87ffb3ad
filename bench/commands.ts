/** How soon a command answers, beside a bare `node -e 0`: `svc validate` of one file, and what only asks a portal that runs. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startPortal } from '../test/support/portal.ts';
import { median, type Area, type Row } from './rows.ts';

const root = resolve(import.meta.dirname, '..');

function timed(command: string, args: readonly string[]): number {
  const startedMs = performance.now();
  const { status } = spawnSync(command, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return performance.now() - startedMs;
}

/** Turn by turn with the bare one; the first turn fills the compile cache. */
function row(name: string, args: readonly string[], rounds: number): Row {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [timed(process.execPath, ['-e', '0']), timed(join(root, 'bin/svc'), args)] as const;
    if (round === 0) continue;
    bare.push(pair[0]);
    ours.push(pair[1]);
  }
  const [oursMs, bareMs] = [median(ours), median(bare)];
  const limitMs = 2 * bareMs + 50;
  return {
    name: `${name}, median of ${rounds}`,
    ours: `${oursMs.toFixed(1)} ms`,
    peer: `node -e 0: ${bareMs.toFixed(1)} ms`,
    ratio: (oursMs / bareMs).toFixed(2),
    target: `< 2× + 50 ms = ${limitMs.toFixed(0)} ms`,
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
    return [
      row('`svc validate` of one file', ['validate', join(root, 'examples/apps/notas/svc-app.json')], rounds),
      row('`svc get`', ['get', ...at], rounds),
      row('`svc events`', ['events', ...at], rounds),
      row('`svc help`', ['help'], rounds),
    ];
  } finally {
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
