/** A FUSE file system whose server stopped, under a portal that opens files with its own account. Needs root: it mounts. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import { limits } from '../../controller/files/limits.ts';
import type { Clock } from '../../schema/clock.ts';
import { mountHung } from '../support/mounts.ts';
import { until } from '../support/portal.ts';

/** Timers that were set, to be set anew when the pace changes. */
const timers = new Set<() => void>();
let pace = 1;
let [atReal, atOwn] = [0, 0];
/** A process starts within the deadline of the product; at the pace of `hurried` what hangs ends after five seconds in place of sixty. */
const clock: Clock = {
  nowMs: systemClock.nowMs,
  monotonicMs: () => atOwn + (systemClock.monotonicMs() - atReal) * pace,
  at: (atMs, fn) => {
    let cancel = (): void => undefined;
    const set = (): void => {
      cancel();
      cancel = systemClock.at(systemClock.monotonicMs() + (atMs - clock.monotonicMs()) / pace, () => {
        timers.delete(set);
        fn();
      });
    };
    set();
    timers.add(set);
    return () => {
      cancel();
      timers.delete(set);
    };
  },
};

function setPace(to: number): void {
  [atOwn, atReal, pace] = [clock.monotonicMs(), systemClock.monotonicMs(), to];
  for (const set of timers) set();
}

async function hurried<Result>(work: () => Promise<Result>): Promise<Result> {
  setPace(12);
  try {
    return await work();
  } finally {
    setPace(1);
  }
}

let dir: string;
let hung: Awaited<ReturnType<typeof mountHung>>;
let host: ReturnType<typeof createLocalHost>;

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-hung-'));
  for (const name of ['ana', 'bia']) {
    mkdirSync(`${dir}/home/${name}`, { recursive: true });
    writeFileSync(`${dir}/home/${name}/a`, name);
  }
  hung = await mountHung(`${dir}/home/ana/presa`);
  host = createLocalHost({ server: 'casa', prefix: dir, binDir: '/nonexistent', clock, onBadPackage: () => undefined });
});
afterEach(async () => {
  await host?.close();
  await hung?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string): Buffer => Buffer.from(`${dir}/home/${name}`);

/** Processes of this one that open files. */
const helpers = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return parent === String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('account-files-main');
    } catch {
      return false;
    }
  });

test('what hangs ends after its deadline; the person’s other folders, other people and the portal go on', async () => {
  const [ana, bia] = [await host.files('ana'), await host.files('bia')];
  await ana.stat(at('ana/a'));
  const [ofAna = ''] = helpers();
  await bia.stat(at('bia/a'));
  const ends: string[] = [];
  const hang = (count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_, n) =>
      ana.stat(at(`ana/presa/${n}`)).then(
        () => ends.push('answered'),
        (error: { code: string }) => ends.push(error.code),
      ),
    );
  const some = hang(limits.accountFilesThreads / 2);
  // More than the portal has threads; the other folders still answer.
  expect((await ana.stat(at('ana/a'))).bytes).toBe(3);
  const rest = hang(limits.accountFilesThreads);
  const late = ana.stat(at('ana/a')).then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
  expect((await bia.stat(at('bia/a'))).bytes).toBe(3);
  expect(await readFile(`${dir}/home/bia/a`, 'utf8')).toBe('bia');
  expect(ends).toEqual([]);
  expect(helpers()).toHaveLength(2);
  await hurried(() => Promise.all([...some, ...rest, late]));
  expect([new Set(ends), ends.length]).toEqual([new Set(['TIMEOUT']), (limits.accountFilesThreads * 3) / 2]);
  expect(await late).toBe('TIMEOUT');
  // The kernel lets go what waits for a FUSE server, when it is killed.
  await until('the held process to be gone', () => !helpers().includes(ofAna));
  expect((await ana.stat(at('ana/a'))).bytes).toBe(3);
  expect((await bia.stat(at('bia/a'))).bytes).toBe(3);
  await host.close();
  await until('no process to be left', () => helpers().length === 0);
});

test('a process that is stopped is no other: its questions end, the next one is answered', async () => {
  const ana = await host.files('ana');
  await ana.stat(at('ana/a'));
  const [pid] = helpers();
  process.kill(Number(pid), 'SIGSTOP');
  await hurried(() => expect(ana.stat(at('ana/a'))).rejects.toMatchObject({ code: 'TIMEOUT' }));
  expect((await ana.stat(at('ana/a'))).bytes).toBe(3);
});
