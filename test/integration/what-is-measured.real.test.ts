/**
 * The benchmark starts what `svc up` starts: the processes side by side, as the kernel sees them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { startPortal as startBenchPortal } from '../../bench/peers/our-portal.ts';
import { startOurs } from '../../bench/peers/rooms-servers.ts';
import { repository, startPortal } from '../support/portal.ts';
import { writeDesired } from './world.ts';

const ends: (() => Promise<void> | void)[] = [];
const endAll = async (): Promise<void> => {
  for (const end of ends.splice(0).toReversed()) await end();
};
afterEach(endAll);

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svcm-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface Started {
  /** Options that node got before the program. */
  readonly flags: readonly string[];
  /** Variables that the environment has and ours does not. */
  readonly env: Readonly<Record<string, string>>;
}

const wordsOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\0').slice(0, -1);

function startedAs(pid: number): Started {
  const [, ...words] = wordsOf(`/proc/${pid}/cmdline`);
  const added = wordsOf(`/proc/${pid}/environ`)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const)
    // The shell's own, and the channel over which the benchmark asks.
    .filter(([name, value]) => process.env[name] !== value && !/^(PWD|OLDPWD|SHLVL|_|NODE_CHANNEL_.*)$/.test(name))
    // Where compiled code is kept is each one's own; that it is kept counts.
    .map(([name, value]) => [name, name === 'NODE_COMPILE_CACHE' ? 'kept' : value]);
  return {
    flags: words.slice(
      0,
      words.findIndex((word) => !word.startsWith('-')),
    ),
    env: Object.fromEntries(added) as Started['env'],
  };
}

/** A folder that wants no app: the start of a portal is tested, not its installations. */
const empty = (): Promise<string> => writeDesired(join(folder(), 'd'), { apps: [] });

/** `svc up` as people start it. */
async function asShipped(): Promise<Started> {
  const state = folder();
  const { NODE_COMPILE_CACHE: _cache, ...env } = process.env;
  const argv = ['up', await empty(), '--state', state, '--listen', '127.0.0.1:0'];
  const child = spawn(join(repository, 'bin/svc'), argv, { cwd: repository, env, stdio: ['ignore', 'pipe', 'ignore'] });
  ends.push(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return startedAs(child.pid!);
}

let shipped: Started;
beforeAll(async () => {
  shipped = await asShipped();
  await endAll();
});

test('processes of the benchmark have the flags and the environment of `svc up`', async () => {
  expect(shipped.flags.some((flag) => flag.startsWith('--max-semi-space-size='))).toBe(true);
  expect(Object.keys(shipped.env).sort()).toEqual(['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'NODE_COMPILE_CACHE']);

  const rooms = await startOurs(false, 1);
  ends.push(() => rooms.stop());
  expect(startedAs(rooms.pid)).toEqual(shipped);

  const portal = await startBenchPortal();
  ends.push(() => portal.stop());
  expect((await portal.pids()).map(startedAs)).toEqual([shipped]);
});

test('portals of tests, which the benchmark of ssh uses too, have them', async () => {
  const portal = await startPortal({ desired: await empty() });
  ends.push(() => portal.stop());
  const { flags, env } = startedAs(portal.pid);
  expect(flags).toEqual(shipped.flags);
  expect(env).toMatchObject({ MALLOC_ARENA_MAX: shipped.env['MALLOC_ARENA_MAX'] });
});

test('nothing of the benchmark puts rooms together by itself; their store alone is measured in a process as the portal starts it', () => {
  const files = readdirSync(join(repository, 'bench'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const holding = (what: RegExp): readonly string[] =>
    files.filter((file) => what.test(readFileSync(join(repository, 'bench', file), 'utf8')));
  expect(files.length).toBeGreaterThan(20);
  expect(holding(/\bcreateRelay\(/)).toEqual([]);
  expect(holding(/\bopenSqliteRoomLog\(/)).toEqual(['room-history.ts']);
  expect(holding(/execArgv: \[\.\.\.portalFlags\]/)).toContain('room-history.ts');
});
