import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../api/testing/manual-clock.ts';
import { limits } from '../limits.ts';
import { backupsCheck } from './backups-check.ts';
import { dueMs, keepBackups, type Backups } from './backups.ts';

const hour = 3_600_000;
const spec = { to: '../b', every: '6h', keep: { daily: 7, last: 2 } } as const;

let clock: ManualClock;
let ran: (readonly string[])[];
let answer: () => Promise<string>;
let values: Map<string, string>;
let leads: boolean;
let backups: Backups;
let ends: (() => Promise<void> | void)[];
beforeEach(() => {
  clock = createManualClock();
  ran = [];
  values = new Map();
  leads = true;
  ends = [];
  answer = async () => JSON.stringify({ backup: { id: 'x', atMs: clock.nowMs(), left: [] } });
});
const stop = async (): Promise<void> => {
  for (const end of ends.splice(0)) await end();
};
afterEach(stop);

async function start(asked: typeof spec | null = spec): Promise<void> {
  backups = await keepBackups({
    stateDir: '/s',
    desiredDir: '/d',
    ends,
    store: { value: async (name) => values.get(name) ?? null, putValue: async (name, value) => void values.set(name, value) },
    clock,
    log: { info: () => undefined, error: () => undefined },
    run: async (args) => {
      ran.push(args);
      return await answer();
    },
  });
  backups.follow({ spec: () => asked ?? undefined, leads: () => leads });
}

/** Look by look: each arms the next one. */
async function goOn(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += limits.backupLookMs) {
    clock.advance(limits.backupLookMs);
    for (let n = 0; n < 6; n += 1) await turn();
  }
}

test('one is made at once, with everything read, and the next when the time is over', async () => {
  await start();
  await goOn(limits.backupLookMs);
  const command = ['backup', '/b', '--state', '/s', '--desired', '/d', '-o', 'json', '--keep-daily', '7', '--keep-last', '2'];
  expect(ran).toEqual([[...command, '--check']]);
  await goOn(6 * hour - limits.backupLookMs);
  expect(ran).toHaveLength(1);
  await goOn(2 * limits.backupLookMs);
  expect(ran.slice(1)).toEqual([command]);
});

test('the next start goes on where the one before was', async () => {
  await start();
  await goOn(limits.backupLookMs);
  await stop();
  await start();
  await goOn(hour);
  expect(ran).toHaveLength(1);
  // Relative to the state folder.
  expect(backups.standing()).toMatchObject({ to: '/b', madeMs: expect.any(Number), error: null });
});

test('none is made where none is asked for, or by a portal that does not lead', async () => {
  await start(null);
  await goOn(hour);
  expect([ran, backups.standing()]).toEqual([[], null]);
  await stop();
  leads = false;
  await start();
  await goOn(hour);
  expect(ran).toEqual([]);
});

test('one that failed is told, tried again after waits that double, and forgotten once one was made', async () => {
  const good = answer;
  answer = () => Promise.reject(new Error('DISK_FULL no space'));
  await start();
  await goOn(2 * hour);
  // At once, after 10, 20 and 40 minutes.
  expect(ran).toHaveLength(4);
  expect(backups.standing()).toMatchObject({ failures: 4, error: 'DISK_FULL no space', madeMs: null });
  answer = good;
  await goOn(2 * hour);
  expect(backups.standing()).toMatchObject({ failures: 0, error: null });
});

test.for([
  [{ madeMs: null, failures: 0, triedMs: null }, 0],
  [{ madeMs: 1_000, failures: 0, triedMs: 900 }, 1_000 + 6 * hour],
  [{ madeMs: 1_000, failures: 1, triedMs: 5_000 }, 5_000 + 600_000],
  [{ madeMs: null, failures: 3, triedMs: 5_000 }, 5_000 + 2_400_000],
  [{ madeMs: null, failures: 99, triedMs: 5_000 }, 5_000 + 6 * hour],
] as const)('%o is due at %i', ([kept, at]) => {
  expect(dueMs(spec, kept)).toBe(at);
});

describe('svc doctor', () => {
  const standing = {
    to: '/b',
    everyMs: 6 * hour,
    madeMs: 10 * hour,
    checkedMs: 9 * hour,
    left: [],
    error: null,
    failures: 0,
    triedMs: null,
  };
  test.for([
    ['asks for none', null, 0, 'ok', 'asks for none'],
    ['is young', standing, 12 * hour, 'ok', 'the newest is 2h old in /b; all of it was read 3h ago'],
    ['is too old', standing, 23 * hour, 'bad', 'the newest is 13h old'],
    ['failed', { ...standing, error: 'DISK_FULL', failures: 2 }, 12 * hour, 'bad', '2 tries failed: DISK_FULL'],
    ['lacks a secret', { ...standing, left: ['a file'] }, 12 * hour, 'warning', 'not in it: a file'],
  ] as const)('tells one that %s', ([, kept, nowMs, verdict, words]) => {
    const { ok, warning, detail } = backupsCheck(kept, nowMs);
    expect(ok ? 'ok' : warning ? 'warning' : 'bad').toBe(verdict);
    expect(detail.en).toContain(words);
  });
});
