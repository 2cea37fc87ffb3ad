import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../schema/audit.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import { openAuditLog, type AuditLog, type AuditRule } from './log.ts';
import { endOfRecord, readBack, readOn } from './read.ts';
import type { Syslog } from './syslog.ts';
import { verifyRecord } from './verify.ts';

const begin = Date.parse('2026-03-01T10:00:00Z');
const dayMs = 86_400_000;

interface HandClock extends Clock {
  ms: number;
}

function handClock(): HandClock {
  const clock: HandClock = {
    ms: 0,
    nowMs: () => begin + clock.ms,
    monotonicMs: () => clock.ms,
    at: () => () => undefined,
  };
  return clock;
}

const noSyslog: Syslog = { send: () => undefined, trouble: () => null, close: () => undefined };
const admin: AuditEntry = { by: { kind: 'control', uid: 0 }, action: 'link/make', person: 'ana', result: 'ok' };
const guess: AuditEntry = { by: { kind: 'nobody' }, action: 'session/open', result: 'refused', code: 'PASS_REFUSED' };

let dir: string;
let clock: HandClock;
let rule: AuditRule;
const open: AuditLog[] = [];
beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(os.tmpdir(), 'svc-audit-')), 'audit');
  clock = handClock();
  rule = { keepDays: 3, syslog: false };
});
afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
  await rm(path.dirname(dir), { recursive: true });
});

async function openLog(more: { syslog?: Syslog; onTrouble?: (why: string | null) => void } = {}): Promise<AuditLog> {
  const log = await openAuditLog({ dir, portal: 'casa', clock, rule: () => rule, onTrouble: () => undefined, syslog: noSyslog, ...more });
  open.push(log);
  return log;
}

async function written(count: number): Promise<string> {
  const log = await openLog();
  for (let at = 0; at < count; at += 1) log.record({ ...admin, object: `Link/${at}` });
  await log.close();
  return path.join(dir, '2026-03-01.jsonl');
}

const linesOf = async (file: string): Promise<string[]> => (await readFile(file, 'utf8')).trimEnd().split('\n');
const save = async (file: string, lines: readonly string[]): Promise<void> => await writeFile(file, `${lines.join('\n')}\n`);

describe('lines', () => {
  test('are JSON with number, time, portal and the hash of the line before, in a file and a folder of this account alone', async () => {
    const file = await written(2);
    const [first, second] = (await linesOf(file)).map((line) => JSON.parse(line));
    expect(first).toMatchObject({ seq: 1, time: '2026-03-01T10:00:00.000Z', portal: 'casa', ...admin, prev: '0'.repeat(64) });
    expect(second).toMatchObject({ seq: 2, prev: first.hash });
    expect([(await stat(file)).mode & 0o777, (await stat(dir)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('go on over restarts and over days, each day a file', async () => {
    await written(2);
    clock.ms += dayMs;
    const log = await openLog();
    log.record(admin);
    expect(await log.flush()).toMatchObject({ seq: 3 });
    expect(await verifyRecord(dir, await log.flush())).toMatchObject({ files: 2, lines: 3, found: 0 });
  });

  test('that come while others are being written are written next', async () => {
    const log = await openLog();
    log.record(admin);
    const flushed = log.flush();
    for (let at = 0; at < 20; at += 1) {
      log.record(admin);
      await new Promise(setImmediate);
    }
    await flushed;
    expect(await log.flush()).toMatchObject({ seq: 21 });
  });

  test('of a clock that was set back stay in the newest file', async () => {
    await written(1);
    clock.ms -= 2 * dayMs;
    await written(1);
    expect((await readdir(dir)).filter((name) => name.endsWith('.jsonl'))).toEqual(['2026-03-01.jsonl']);
  });

  test('may name files with any character that a name can have', async () => {
    const log = await openLog();
    const object = 'File//srv/a\u2028b\u2029c\rd\ne"\\';
    log.record({ ...admin, object });
    await log.flush();
    expect((await readBack(dir, undefined, { query: {}, linesMax: 9 })).lines.map((line) => line.object)).toEqual([object]);
    expect(await verifyRecord(dir, null)).toMatchObject({ lines: 1, found: 0 });
  });
});

describe('svc audit --verify finds', () => {
  const changed = (line: string): string => line.replace('"person":"ana"', '"person":"bia"');
  test.for([
    ['a changed line', (all) => all.with(4, changed(all[4]!)), [['changed', 5]]],
    ['a removed line', (all) => all.toSpliced(4, 1), [['removed', 5]]],
    ['removed lines', (all) => all.toSpliced(2, 5), [['removed', 3]]],
    ['a line that was written twice', (all) => all.toSpliced(4, 0, all[1]!), [['inserted', 5]]],
    ['a line from elsewhere', (all) => all.toSpliced(4, 0, 'Mar 01 root: all is well'), [['unreadable', 5]]],
    [
      'two lines that changed places',
      (all) => all.with(3, all[4]!).with(4, all[3]!),
      [
        ['removed', 4],
        ['inserted', 5],
      ],
    ],
    ['lines missing at the beginning', (all) => all.slice(3), [['removed', 1]]],
    ['lines missing at the end', (all) => all.slice(0, -2), [['removed', 8]]],
    [
      'all lines missing',
      () => [],
      [
        ['unreadable', 1],
        ['removed', 0],
      ],
    ],
    ['nothing wrong', (all) => [...all], []],
  ] as const satisfies readonly [string, (all: readonly string[]) => readonly string[], readonly (readonly [string, number])[]][])(
    '%s',
    async ([, harm, wanted]) => {
      const file = await written(10);
      await save(file, harm(await linesOf(file)));
      const { findings } = await verifyRecord(dir, {
        seq: 10,
        hash: JSON.parse((await readFile(path.join(dir, 'head.json'), 'utf8')).trim()).hash,
      });
      expect(findings.map(({ what, line }) => [what, line])).toEqual(wanted.map((each) => [...each]));
    },
  );

  test('a record that was written anew from its beginning, by the last line that the portal wrote', async () => {
    const log = await openLog();
    for (let at = 0; at < 3; at += 1) log.record(admin);
    const head = await log.flush();
    await log.close();
    await rm(dir, { recursive: true });
    clock.ms += 1;
    await written(3);
    expect((await verifyRecord(dir, head)).findings).toMatchObject([
      { what: 'changed', message: 'line 3 is not the one that the portal wrote' },
    ]);
    expect((await verifyRecord(dir, null)).found).toBe(0);
  });
});

describe('a start', () => {
  test('takes off a line that a crash left unfinished, tells it, and the chain goes on', async () => {
    const file = await written(3);
    await appendFile(file, '{"seq":4,"time":"2026-03-01T10:0');
    const log = await openLog();
    await log.flush();
    const lines = await linesOf(file);
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(['link/make', 'link/make', 'link/make', 'audit/mend']);
    expect(JSON.parse(lines[3]!).details).toEqual({ tornBytes: 32 });
    expect(await verifyRecord(dir, await log.flush())).toMatchObject({ lines: 4, found: 0 });
  });

  test('tells that lines are gone that had been written', async () => {
    const file = await written(5);
    await save(file, (await linesOf(file)).slice(0, 2));
    const log = await openLog();
    await log.flush();
    expect(log.figures().found).toBe('3 lines that were written are gone (up to 5)');
    expect(JSON.parse((await linesOf(file)).at(-1)!)).toMatchObject({ seq: 3, action: 'audit/missing', details: { lines: 3, seq: 5 } });
  });
});

describe('days that are too old', () => {
  test('are dropped with a line that says where they ended, and the chain holds', async () => {
    const log = await openLog();
    for (let day = 0; day < 8; day += 1) {
      log.record(admin);
      await log.flush();
      clock.ms += dayMs;
    }
    expect((await readdir(dir)).filter((name) => name.endsWith('.jsonl'))).toEqual(
      ['05', '06', '07', '08'].map((day) => `2026-03-${day}.jsonl`),
    );
    expect(await verifyRecord(dir, await log.flush())).toMatchObject({ files: 4, found: 0 });
    await rm(path.join(dir, '2026-03-05.jsonl'));
    expect((await verifyRecord(dir, null)).findings).toMatchObject([{ what: 'removed', line: 1 }]);
  });
});

describe('a disk that takes nothing', () => {
  test('ends no act: lines wait, those beyond the bound are counted, and one line says how many', { tags: ['costly'] }, async () => {
    const told: (string | null)[] = [];
    const log = await openLog({ onTrouble: (why) => told.push(why) });
    log.record(admin);
    await log.flush();
    // A folder in the place of the file: opening it for writing fails, as a full disk does.
    clock.ms += dayMs;
    const file = path.join(dir, '2026-03-02.jsonl');
    await import('node:fs/promises').then(({ mkdir }) => mkdir(file));
    for (let at = 0; at < limits.waitingLinesMax + 7; at += 1) log.record(admin);
    await log.flush();
    expect(log.figures()).toMatchObject({ lines: 1, lost: 7, waiting: limits.waitingLinesMax, trouble: 'EISDIR' });
    await rm(file, { recursive: true });
    await log.flush();
    expect(told).toEqual(['EISDIR', null]);
    expect(log.figures()).toMatchObject({ lines: limits.waitingLinesMax + 2, waiting: 0, trouble: null });
    const { lines } = await readBack(dir, undefined, { query: { action: 'audit/lost' }, linesMax: 9 });
    expect(lines).toMatchObject([{ details: { lines: 7 } }]);
    expect(await verifyRecord(dir, await log.flush())).toMatchObject({ found: 0 });
  });

  test('a part of a line that could not be cut when its write failed does not become the begin of the next one', async () => {
    const log = await openLog();
    log.record(admin);
    await log.flush();
    const file = path.join(dir, '2026-03-01.jsonl');
    await appendFile(file, '{"seq":2,"at":"20');
    log.record(guess);
    const head = await log.flush();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly seq: number }).seq)).toEqual([1, 2]);
    expect(await verifyRecord(dir, head)).toMatchObject({ lines: 2, found: 0 });
  });

  test('a file that is deleted under the portal is made again, and what is gone is found', async () => {
    const log = await openLog();
    log.record(admin);
    await log.flush();
    await rm(path.join(dir, '2026-03-01.jsonl'));
    log.record(admin);
    const head = await log.flush();
    expect((await verifyRecord(dir, head)).findings).toMatchObject([{ what: 'removed', line: 1 }]);
  });
});

test('more of one kind from one caller than 60 a minute is one line with its count; an administrator has a line for each', async () => {
  const log = await openLog();
  for (let at = 0; at < 100; at += 1) for (const address of ['192.0.2.1', '192.0.2.2']) log.record({ ...guess, from: { address } });
  for (let at = 0; at < 100; at += 1) log.record(admin);
  await log.close();
  const { lines } = await readBack(dir, undefined, { query: {}, linesMax: 500 });
  const of = (address: string) => lines.filter((line) => line.from?.address === address);
  expect(lines.filter(({ by }) => by.kind === 'control')).toHaveLength(100);
  expect([of('192.0.2.1').length, of('192.0.2.2').length]).toEqual([61, 61]);
  expect(
    of('192.0.2.1')
      .map(({ times }) => times ?? 1)
      .reduce((sum, times) => sum + times),
  ).toBe(100);
});

describe('reading', () => {
  test('goes back page by page over days without missing a line, and on from a place', async () => {
    const log = await openLog();
    for (let day = 0; day < 3; day += 1) {
      for (let at = 0; at < 700; at += 1) log.record({ ...admin, object: `Link/${'x'.repeat(at)}` });
      await log.flush();
      clock.ms += dayMs;
    }
    const seen: number[] = [];
    let pages = 0;
    for (let before: string | null | undefined; before !== null; pages += 1) {
      const page = await readBack(dir, before, { query: {}, linesMax: 250 });
      seen.push(...page.lines.map(({ seq }) => seq));
      before = page.next;
    }
    expect(seen).toEqual(Array.from({ length: 2_100 }, (_, at) => 2_100 - at));
    expect(pages).toBe(9);
    const end = await endOfRecord(dir);
    log.record({ ...admin, person: 'bia' });
    await log.flush();
    const on = await readOn(dir, end, { query: {}, linesMax: 9 });
    expect(on.lines.map(({ person }) => person)).toEqual(['bia']);
    expect((await readOn(dir, on.next!, { query: {}, linesMax: 9 })).lines).toEqual([]);
  });

  test.for([
    [{ person: 'ana' }, [1, 2]],
    [{ action: 'session' }, [2, 3]],
    [{ action: 'session/open' }, [3]],
    [{ result: 'refused' }, [3]],
    [{ object: 'Backend/ana' }, [1]],
    [{ sinceMs: begin + 1_000, untilMs: begin + 1_000 }, [2]],
  ] as const)('by %j', async ([query, wanted]) => {
    const log = await openLog();
    log.record({ by: { kind: 'controller' }, action: 'app/stop', object: 'Backend/ana/notas', person: 'ana', result: 'ok' });
    clock.ms += 1_000;
    log.record({ by: { kind: 'person', person: 'ana' }, action: 'session/close', result: 'ok' });
    clock.ms += 1_000;
    log.record(guess);
    await log.flush();
    const { lines } = await readBack(dir, undefined, { query, linesMax: 9 });
    expect(lines.map(({ seq }) => seq).toReversed()).toEqual([...wanted]);
  });
});
