import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { performance } from 'node:perf_hooks';
import { setImmediate as turnEnd } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBorderServer } from '../connections/border-server.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { ownerNow } from '../connections/work-owner.ts';
import { createBudgets, createFairTurns, type Budgets } from './budgets.ts';
import { ownEvents } from '../connections/fault-owner.ts';
import { limits } from './limits.ts';
import { workFor, workPassed, type Worker } from './loop-time.ts';

let clock: ManualClock;
let budgets: Budgets;
beforeEach(() => {
  clock = createManualClock();
  budgets = createBudgets(clock, clock);
});
afterEach(() => budgets.close());

const ana = { person: 'ana', app: null };
const bia = { person: 'bia', app: 'notas' };
const busy = (ms: number): void => {
  for (const endMs = performance.now() + ms; performance.now() < endMs;);
};
/** Portals of other tests in this process may work for people of the same names. */
const usedBy = (who: Worker) => budgets.usage().find(({ person, app }) => person === who.person && app === who.app);

test('the loop’s work is of the person for whom it was begun, also when it goes on after a file was read', async () => {
  await turnEnd();
  await workFor(ana, async () => {
    busy(5);
    await readFile(import.meta.filename);
    busy(30);
  });
  await turnEnd();
  workFor(bia, () => busy(5));
  await turnEnd();
  expect(usedBy(ana)?.cpuMs).toBeGreaterThanOrEqual(33);
  expect(usedBy(bia)).toMatchObject({ app: 'notas', bytes: 0 });
  expect(usedBy(bia)!.cpuMs).toBeLessThan(usedBy(ana)!.cpuMs);
});

test('frames of a socket are work for whose socket it is, who waits for nothing because of them', async () => {
  const socket = new EventEmitter();
  ownEvents(socket, { what: 'GET /ws/salas/x', person: 'ana', app: 'caderno', isOwed: false, end: () => undefined });
  socket.on('data', () => busy(650));
  await turnEnd();
  socket.emit('data');
  await turnEnd();
  expect(usedBy({ ...ana, app: 'caderno' })).toMatchObject({ app: 'caderno' });
  expect(usedBy({ ...ana, app: 'caderno' })!.cpuMs).toBeGreaterThanOrEqual(600);
  expect([budgets.turn('bia'), budgets.turn('ana')]).toEqual([null, null]);
});

test('bytes, requests and refusals are counted for a minute; what is held is what it is now', async () => {
  budgets.addHeld('terminais', (person) => (person === 'ana' ? 3 : 0));
  await workFor(ana, async () => workPassed(1_000));
  budgets.answered(ana, 200);
  budgets.answered(ana, 429);
  expect(usedBy(ana)).toMatchObject({ bytes: 1_000, pedidos: 2, recusados: 1, terminais: 3, abertas: 0 });
  clock.advance(70_000);
  expect(budgets.usage()).toEqual([]);
});

test('a request is owed whatever protocol it offers; a socket is not', async () => {
  const owed: unknown[] = [];
  const look = (): void => void owed.push(ownerNow()?.isOwed);
  const parts = { site: { origin: '' }, front: { upgrade: (_: unknown, socket: Duplex) => (look(), socket.destroy()) } };
  const holder = { parts, isMade: Promise.withResolvers<void>() };
  const server = createBorderServer({ holder, clock, isTrusted: () => false }, (_, res) => (look(), res.end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const upgrade of [undefined, 'h2c', 'websocket']) {
    const headers = upgrade === undefined ? {} : { connection: 'upgrade', upgrade };
    const request = http.get({ host: '127.0.0.1', port, headers, agent: false });
    request.on('response', (answer) => answer.resume()).on('error', () => undefined);
    await new Promise((resolve) => request.on('close', resolve));
  }
  server.close();
  expect(owed).toEqual([true, true, false]);
});

/** As if the loop had worked so long for somebody. */
async function owe(ms: number): Promise<void> {
  workFor(ana, () => busy(ms));
  await turnEnd();
}

test(
  'who worked the loop for more than their share waits while others are there, and is refused when that were too long',
  { tags: ['costly'] },
  async () => {
    await owe(limits.loopOwedMsMax + 50);
    expect(budgets.turn('bia')).toBeNull();
    let isTurn = false;
    const wait = budgets.turn('ana')?.then(() => (isTurn = true));
    expect(wait).toBeInstanceOf(Promise);
    await turnEnd();
    expect([isTurn, budgets.turn('bia')]).toEqual([false, null]);
    clock.advance(2_000);
    await wait;
    expect(isTurn).toBe(true);
    await owe(limits.loopOwedMsMax + 1_100);
    expect(budgets.turn('bia')).toBeNull();
    const refused = budgets.turn('ana');
    clock.advance(limits.loopRefusalMs);
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  },
);

test('those that wait are let in one after the other, each when the work of the one before was counted', async () => {
  const turns = createFairTurns(clock);
  turns.worked('ana', limits.loopOwedMsMax + 100);
  // Nobody else is there.
  expect(turns.turn('ana')).toBeNull();
  void turns.turn('bia');
  const began: number[] = [];
  const work = async (n: number): Promise<void> => {
    await turns.turn('ana');
    began.push(n);
    turns.worked('ana', 100);
  };
  const all = [1, 2, 3].map(work);
  const seen: (readonly number[])[] = [];
  for (const ms of [200, 4, 196, 4, 196, 4]) {
    clock.advance(ms);
    void turns.turn('bia');
    await turnEnd();
    seen.push([...began]);
  }
  await Promise.all(all);
  expect(seen).toEqual([[1], [1], [1, 2], [1, 2], [1, 2, 3], [1, 2, 3]]);
});

test('whoever took the loop for long is answered again soon after the end of it', async () => {
  const turns = createFairTurns(clock);
  turns.worked('ana', 3_600_000);
  void turns.turn('bia');
  const refused = turns.turn('ana');
  clock.advance(limits.loopRefusalMs);
  await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: 10_000 } });
  clock.advance(9_000);
  void turns.turn('bia');
  expect(turns.turn('ana')).toBeNull();
});

test('nobody waits for much longer than what was owed when they came, however long those before them work', async () => {
  const turns = createFairTurns(clock);
  turns.worked('ana', limits.loopOwedMsMax + 100);
  void turns.turn('bia');
  const [first, second] = [turns.turn('ana'), turns.turn('ana')];
  clock.advance(200);
  await first;
  turns.worked('ana', 3_000);
  for (let ms = 0; ms < limits.loopWaitMsMax + limits.loopRefusalMs; ms += 500) {
    void turns.turn('bia');
    clock.advance(500);
  }
  await expect(second).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: limits.loopRefusalMs } });
});
