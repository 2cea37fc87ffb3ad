/**
 * An engine of 200 MB onto the disk: hashed and extracted beside sha256sum and tar, downloaded, hashed and extracted beside curl,
 * sha256sum and tar, all as processes from their start to their end, turn by turn. Memory at 20 MB and at 200 MB.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beginNginx } from '../bin/testing/nginx.ts';
import { profilingOf } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const program = join(import.meta.dirname, 'peers/our-engine.ts');
const ratioMax = 1.5;

interface Engine {
  readonly tarball: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** About so many megabytes packed, and nearly twice as many unpacked: half of each file compresses, as programs do. */
function makeEngine(dir: string, name: string, megabytes: number): Engine {
  const folder = join(dir, `${name}-1.0`);
  mkdirSync(folder);
  const half = 5 * 1_024 * 1_024;
  for (let nth = 0; nth < megabytes / 5; nth += 1) {
    const noise = randomBytes(half);
    writeFileSync(join(folder, `f${nth}`), Buffer.concat([noise, Buffer.alloc(half, noise.subarray(0, 997))]));
  }
  mkdirSync(join(dir, 'v1'), { recursive: true });
  const tarball = join(dir, 'v1', `${name}.tgz`);
  execFileSync('tar', ['--format=ustar', '-czf', tarball, '-C', dir, `${name}-1.0`]);
  rmSync(folder, { recursive: true });
  return { tarball, bytes: statSync(tarball).size, sha256: createHash('sha256').update(readFileSync(tarball)).digest('hex') };
}

interface Side {
  readonly ms: number[];
  readonly peakKib: number[];
}
type Act = (target: string) => string;

/** Each round gives every side a fresh folder; what is on the way to the disk is written before the clock starts. */
function race(dir: string, rounds: number, acts: readonly Act[]): readonly Side[] {
  const sides = acts.map((): Side => ({ ms: [], peakKib: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, act] of acts.entries()) {
      const target = join(dir, 'out');
      execFileSync('sync', ['-f', dir]);
      const startedMs = performance.now();
      const told = act(target);
      sides[at]?.ms.push(performance.now() - startedMs);
      if (told !== '') sides[at]?.peakKib.push(Number(told));
      rmSync(target, { recursive: true, force: true });
    }
  }
  return sides;
}

/** With the flags of bin/svc-app-install. */
const flags = ['--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'];
const profiling = profilingOf();
const ours = (...argv: readonly string[]): string =>
  execFileSync(process.execPath, [...flags, program, ...argv], { encoding: 'utf8', env: { ...process.env, ...profiling?.atExit } });
/** Paths are made by us and hold nothing that a shell reads. */
const shell = (script: string): string => {
  execFileSync('/bin/sh', ['-ec', script], { stdio: 'ignore' });
  return '';
};

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

function timeRow(name: string, peer: string, mine: Side | undefined, theirs: Side | undefined): Row {
  const [oursMs, peerMs] = [median(mine?.ms ?? []), median(theirs?.ms ?? [])];
  const ratio = oursMs / peerMs;
  return {
    name,
    ours: percentilesOf(mine?.ms ?? [], milliseconds),
    peer: `${peer} ${percentilesOf(theirs?.ms ?? [], milliseconds)}`,
    ratio: `${ratio.toFixed(2)}×`,
    target: `≤ ${ratioMax}×`,
    held: ratio <= ratioMax,
  };
}

function memoryRow(small: number, large: number): Row {
  const mib = (kib: number): string => `${(kib / 1_024).toFixed(0)} MiB`;
  return {
    name: 'peak memory while 200 MB are hashed and extracted',
    ours: mib(large),
    peer: `20 MB: ${mib(small)}`,
    ratio: `${(large / small).toFixed(2)}×`,
    target: '≤ 1.25× of that at 20 MB',
    held: large / small <= 1.25,
  };
}

function requireTools(): void {
  for (const [path, line] of [
    ['/usr/bin/curl', 'apt-get install -y curl'],
    ['/usr/sbin/nginx', 'apt-get install -y nginx-light'],
  ] as const) {
    try {
      accessSync(path, constants.X_OK);
    } catch {
      throw new Error(`bench engines: ${path} is missing; install it with: ${line}`);
    }
  }
}

/** Checks that both put the same bytes and names on the disk. */
function compareTrees(dir: string, { tarball, sha256, bytes }: Engine, url: string): void {
  const [theirs, extracted, brought] = [join(dir, 'a'), join(dir, 'b'), join(dir, 'c')];
  shell(`mkdir ${theirs}; tar -xzf ${tarball} --strip-components=1 -C ${theirs}`);
  ours('extract', tarball, extracted);
  ours('bring', url, sha256, String(bytes), brought);
  const first = execFileSync('find', [brought, '-name', 'f0'], { encoding: 'utf8' }).trim();
  for (const tree of [extracted, dirname(first)]) shell(`diff -r ${theirs} ${tree}`);
}

export const enginesArea: Area = async ({ short }) => {
  requireTools();
  const dir = mkdtempSync(join(tmpdir(), 'svc-be-'));
  const nginx = await beginNginx(join(dir, 'nginx'), dir);
  try {
    const rounds = short ? 1 : 7;
    const [small, large] = [makeEngine(dir, 'small', 20), makeEngine(dir, 'large', 200)];
    const tarTo = (from: string, to: string): string => `mkdir ${to}; tar -xzf ${from} --strip-components=1 -C ${to}`;
    sayStep('engines: extract');
    const [mine, theirs] = race(dir, rounds, [
      (to) => ours('extract', large.tarball, to),
      (to) => shell(`sha256sum ${large.tarball}; ${tarTo(large.tarball, to)}`),
    ]);
    const [little] = race(dir, rounds, [(to) => ours('extract', small.tarball, to)]);
    const url = `${nginx.url}/v1/large.tgz`;
    const part = join(dir, 'out/part.tgz');
    const fetched = `mkdir ${dir}/out; curl -sSfo ${part} ${url}; sha256sum ${part}; ${tarTo(part, `${dir}/out/tree`)}`;
    sayStep('engines: download');
    const [whole, curl] = race(dir, rounds, [
      (to) => ours('bring', url, large.sha256, String(large.bytes), to),
      // The installer's is on the disk for good when it ends: so is theirs.
      () => shell(`${fetched}; sync -f ${dir}/out`),
    ]);
    compareTrees(dir, large, url);
    profiling?.write('The installer while engines of 20 and 200 MB are hashed, extracted and downloaded');
    const megabytes = (large.bytes / 1e6).toFixed(0);
    return [
      timeRow(`${megabytes} MB engine: hash and extract, median of ${rounds}`, 'sha256sum + tar', mine, theirs),
      timeRow(
        `${megabytes} MB engine: download, hash, extract, all synced, median of ${rounds}`,
        'curl + sha256sum + tar + sync',
        whole,
        curl,
      ),
      memoryRow(median(little?.peakKib ?? []), median(mine?.peakKib ?? [])),
    ];
  } finally {
    await nginx.end();
    rmSync(dir, { recursive: true, force: true });
  }
};
