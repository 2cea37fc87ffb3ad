/** The record on a real disk: killed in the middle of writing, full to the last byte, and in the log of the system. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEntry } from '../../schema/audit.ts';
import type { Clock } from '../../schema/clock.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { mountTmpfs, unmount } from '../../test/support/mounts.ts';
import { until } from '../../test/support/portal.ts';
import { limits } from './limits.ts';
import { openAuditLog, type AuditLog } from './log.ts';
import { createSyslog, loggerCommand } from './syslog.ts';
import { verifyRecord } from './verify.ts';

const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  at: (atMs, fn) => {
    const timer = setTimeout(fn, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc-audit-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const entry: AuditEntry = { by: { kind: 'control', uid: 0 }, action: 'link/make', person: 'ana', result: 'ok' };

const openLog = (folder: string, more: { syslog?: ReturnType<typeof createSyslog> } = {}): Promise<AuditLog> =>
  openAuditLog({
    dir: folder,
    portal: 'casa',
    clock: realClock,
    rule: () => ({ syslog: more.syslog !== undefined }),
    onTrouble: () => undefined,
    ...more,
  });

const writer = `
  import { openAuditLog } from ${JSON.stringify(path.join(import.meta.dirname, 'log.ts'))};
  const clock = { nowMs: Date.now, monotonicMs: Date.now, at: () => () => undefined };
  const rule = () => ({ syslog: false });
  const log = await openAuditLog({ dir: process.argv[1], portal: 'casa', clock, rule, onTrouble: () => undefined });
  for (;;) {
    for (let n = 0; n < 50; n += 1) log.record({ by: { kind: 'controller' }, action: 'app/start', object: 'Backend/ana/' + 'x'.repeat(n), result: 'ok' });
    process.stdout.write((await log.flush()).seq + '\\n');
  }`;

test('killed again and again, and cut anywhere in its last line, it loses nothing that was flushed and its chain goes on', async () => {
  const random = createRandom(401);
  for (let kill = 0; kill < 8; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', writer, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    let flushed = 0;
    let turns = random.int(1, 40);
    for await (const line of createInterface({ input: child.stdout })) {
      flushed = Number(line);
      turns -= 1;
      if (turns === 0) child.kill('SIGKILL');
    }
    await exited;
    const file = path.join(
      dir,
      (await readdir(dir)).findLast((name) => name.endsWith('.jsonl'))!,
    );
    const text = await readFile(file, 'utf8');
    const { head, found } = await verifyRecord(dir, null);
    expect([found, head!.seq >= flushed]).toEqual([0, true]);
    // As a power failure leaves it: a line that began and did not end.
    await writeFile(file, `${text}{"seq":${head!.seq + 1},"time":"2026`);
    if (kill % 2 === 0) await truncate(file, Buffer.byteLength(text) + random.int(1, 10));
  }
  const log = await openLog(dir);
  await log.close();
  const verdict = await verifyRecord(dir, null);
  expect(verdict.found).toBe(0);
  const all = await Promise.all((await readdir(dir)).map((name) => readFile(path.join(dir, name), 'utf8')));
  expect(all.join('').match(/"audit\/mend"/g)).toHaveLength(8);
});

test('a disk that is full to the last byte refuses no act; when there is room every line that waited is there, and none twice', async () => {
  const disk = path.join(dir, 'disk');
  await mountTmpfs(disk, 'size=64k');
  try {
    const log = await openLog(path.join(disk, 'audit'));
    for (let n = 0; n < 100; n += 1) log.record(entry);
    await log.flush();
    const before = log.figures().lines;
    for (let n = 0; n < 500; n += 1) log.record(entry);
    await log.flush();
    expect(log.figures()).toMatchObject({ lines: before, waiting: 500, lost: 0, trouble: 'ENOSPC' });
    // Nothing of a line that did not fit is left.
    expect(await verifyRecord(path.join(disk, 'audit'), null)).toMatchObject({ lines: before, found: 0 });
    execFileSync('mount', ['-o', 'remount,size=4m', disk]);
    const head = await log.flush();
    expect(log.figures()).toMatchObject({ lines: before + 500, waiting: 0, trouble: null });
    expect(await verifyRecord(path.join(disk, 'audit'), head)).toMatchObject({ lines: before + 500, found: 0 });
    await log.close();
  } finally {
    await unmount(disk);
  }
});

test('syslog: each line is a datagram of logger', async () => {
  const socket = path.join(dir, 'log');
  const heard = path.join(dir, 'heard');
  const program = `import socket,sys
s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)
s.bind(sys.argv[1])
f=open(sys.argv[2],'ab',0)
while True: f.write(s.recv(65536)+b'\\n')`;
  const listener = spawn('python3', ['-c', program, socket, heard], { stdio: 'inherit' });
  try {
    await until('a socket', async () => (await readdir(dir)).includes('log'));
    const syslog = createSyslog(realClock, loggerCommand(socket));
    const log = await openLog(path.join(dir, 'audit'), { syslog });
    log.record({ ...entry, object: 'x'.repeat(5_000) });
    await log.flush();
    log.record(entry);
    await log.flush();
    await until('two lines', async () => (await readFile(heard, 'utf8').catch(() => '')).split('\n').length === 3);
    const file = (await readdir(path.join(dir, 'audit'))).find((name) => name.endsWith('.jsonl'))!;
    const lines = (await readFile(path.join(dir, 'audit', file), 'utf8')).trimEnd().split('\n');
    const told = (await readFile(heard, 'utf8')).trimEnd().split('\n');
    expect(told.map((line) => line.slice(line.indexOf('{')))).toEqual(lines);
    // authpriv.notice: 10 * 8 + 5.
    expect(told[0]).toMatch(/^<85>.* svc-audit: \{"seq":1,/);
    expect(syslog.trouble()).toBeNull();
    await log.close();
  } finally {
    listener.kill();
  }
});

test('a logger that ends is told, and started again after a while', async () => {
  const heard = path.join(dir, 'heard');
  const clock = { ...realClock, ms: 0, monotonicMs: () => clock.ms };
  const syslog = createSyslog(clock, ['sh', '-c', `head -n 1 >> ${heard}`]);
  const said = async (): Promise<string> => await readFile(heard, 'utf8').catch(() => '');
  syslog.send(['one'], true);
  await until('its end', async () => syslog.trouble() !== null);
  syslog.send(['left out'], true);
  clock.ms += limits.syslogAgainMs;
  syslog.send(['two'], true);
  await until('the next one', async () => (await said()).includes('two'));
  expect(await said()).toBe('one\ntwo\n');
  syslog.close();
});

test('a logger that is not there is told, and holds up nothing', async () => {
  const syslog = createSyslog(realClock, ['/nowhere/logger']);
  const log = await openLog(path.join(dir, 'audit'), { syslog });
  log.record(entry);
  expect(await log.flush()).toMatchObject({ seq: 1 });
  await until('its trouble', async () => log.figures().syslogTrouble !== null);
  expect(log.figures().syslogTrouble).toBe("/nowhere/logger can't be started: install bsdutils");
  await log.close();
});
