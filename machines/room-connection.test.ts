import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  advanceRoom,
  enterRoom,
  reasonOf,
  reconnectWaitMs,
  stateOf,
  type RoomConnection,
  type RoomEffect,
  type RoomEvent,
} from './room-connection.ts';
import { closed, leave, offline, online, opened, refused, said, synced, tick, ticket } from './testing/room-events.ts';

const eventOf = (words: string): RoomEvent => {
  const [name = '', attempt, value, more] = words.split(' ');
  const number = Number(attempt);
  const events: Readonly<Record<string, () => RoomEvent>> = {
    ticket: () => ticket(number, value === 'null' ? null : 'b'),
    refused: () => refused(number, value as 'passing', more === undefined ? null : Number(more)),
    opened: () => opened(number),
    synced: () => synced(number),
    closed: () => closed(number, Number(value)),
    tick: () => tick(Number(attempt ?? 0)),
    role: () => ({ type: 'ROLE', papel: 'dona' }),
    online: () => online,
    offline: () => offline,
    leave: () => leave,
  };
  const made = events[name];
  if (made === undefined) throw new Error(`there is no event ${words}`);
  return made();
};

/** Runs lines `ms event → state deadline effects` with no luck in the waits: what came of those with an arrow, and what they say. */
function played(script: string): { readonly came: readonly string[]; readonly wanted: readonly string[] } {
  let { next } = enterRoom(0);
  const [came, wanted]: [string[], string[]] = [[], []];
  for (const line of script.trim().split(/\n\s*/)) {
    const [, ms = '', words = '', after] = /^(\d+) ([^→]*?)(?: → (.*))?$/.exec(line) ?? [];
    const step = advanceRoom(next, eventOf(words), { nowMs: Number(ms), random: 1 });
    next = step.next;
    if (after === undefined) continue;
    came.push(`${ms} ${words} → ${[stateOf(next), next.deadlineMs ?? 'never', ...step.effects.map(said)].join(' ')}`);
    wanted.push(line);
  }
  return { came, wanted };
}

describe('table 3.4', () => {
  test('entering begins at once: conectando, and a ticket is asked for', () => {
    const { next, effects } = enterRoom(1_000);
    expect([stateOf(next), next.deadlineMs, effects.map(said)]).toEqual(['conectando', 16_000, ['askTicket 1']]);
  });

  test('conectando becomes sincronizado when the portal has sent what the room held', () => {
    const { came, wanted } = played(`
      10 ticket 1 → conectando 15010 openSocket 1
      20 opened 1 → conectando 120020
      30 synced 1 → sincronizado 30030
    `);
    expect(came).toEqual(wanted);
  });

  test('a lost network is fora, with a new ticket for every attempt and a wait that grows up to 30 s', () => {
    const { came, wanted } = played(`
      0 ticket 1
      0 opened 1
      0 synced 1
      20000 closed 1 1006 → fora 21000
      21000 tick → fora 36000 askTicket 2
      21000 refused 2 passing → fora 23000
      23000 tick → fora 38000 askTicket 3
      23000 ticket 3 → fora 38000 openSocket 3
      23000 closed 3 1006 → fora 27000
      27000 tick → fora 42000 askTicket 4
      27000 refused 4 passing → fora 35000
      35000 tick → fora 50000 askTicket 5
      35000 refused 5 passing → fora 51000
      51000 tick → fora 66000 askTicket 6
      51000 refused 6 passing → fora 81000
      81000 tick → fora 96000 askTicket 7
      81000 refused 7 passing → fora 111000
      111000 tick → fora 126000 askTicket 8
      111100 ticket 8 → fora 126100 openSocket 8
      111200 opened 8 → fora 231200
      111300 synced 8 → sincronizado 141300
    `);
    expect(came).toEqual(wanted);
  });

  test.for([
    [4403, 'sem-acesso never dropCopy'],
    [4410, 'apagada never dropCopy'],
    [1006, 'fora 1005'],
    [1013, 'fora 1005'],
    [1007, 'fora 1005'],
  ] as const)('a socket closed with %s', ([code, after]) => {
    for (const before of ['', '0 opened 1\n', '0 opened 1\n0 synced 1\n']) {
      const { came, wanted } = played(`0 ticket 1\n${before}5 closed 1 ${code} → ${after}`);
      expect(came).toEqual(wanted);
    }
  });

  test.for([
    ['a null ticket', 'ticket 1 null', 'sem-acesso never dropCopy'],
    ['a room that the portal does not know', 'refused 1 unknown', 'apagada never'],
    ['an app without rooms', 'refused 1 forbidden', 'sem-acesso never'],
    ['no network at the first attempt', 'refused 1 passing', 'fora 1005'],
  ] as const)('%s is %s', ([, event, after]) => {
    const { came, wanted } = played(`5 ${event} → ${after}`);
    expect(came).toEqual(wanted);
  });

  test.for([
    [4413, 'sem-espaco'],
    [1009, 'cheia'],
    [1006, null],
    [1013, null],
  ] as const)('fora after %i says why, until it is in sync again', ([code, motivo]) => {
    let { next } = enterRoom(0);
    const told = [ticket(1), opened(1), synced(1), closed(1, code), tick(), ticket(2), opened(2), synced(2)].map((event, n) => {
      ({ next } = advanceRoom(next, event, { nowMs: 40_000 * n, random: 1 }));
      return reasonOf(next);
    });
    expect(told).toEqual([null, null, null, motivo, motivo, motivo, motivo, null]);
  });

  test.for([
    [4403, 'sem-acesso'],
    [4410, 'apagada'],
  ] as const)('the final state after %i is left by sair() only', ([code, state]) => {
    const { came, wanted } = played(`
      0 ticket 1
      0 closed 1 ${code}
      1 online → ${state} never
      1 tick → ${state} never
      1 ticket 1 → ${state} never
      1 role → ${state} never
      2 leave → saiu never
      3 online → saiu never
      3 tick → saiu never
    `);
    expect(came).toEqual(wanted);
  });

  test('sair() closes the socket that is there', () => {
    for (const [before, after] of [
      ['', ''],
      ['0 ticket 1\n', ' closeSocket 1'],
      ['0 ticket 1\n0 opened 1\n0 synced 1\n', ' closeSocket 1'],
    ] as const) {
      const { came, wanted } = played(`${before}0 leave → saiu never${after}`);
      expect(came).toEqual(wanted);
    }
  });
});

describe('attempts', () => {
  test.for([
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 0.5, 1_500],
    [5, 1, 16_000],
    [6, 0, 15_000],
    [6, 1, 30_000],
    [5_000, 1, 30_000],
  ] as const)('after failure %i with chance %f the wait is %i ms', ([failures, random, waitMs]) => {
    expect(reconnectWaitMs(failures, random)).toBe(waitMs);
  });

  test('each step of an attempt has a deadline', () => {
    for (const script of [
      '15000 tick → fora 16000',
      '0 ticket 1\n14999 tick → conectando 15000\n15000 tick → fora 16000 closeSocket 1',
      '0 ticket 1\n0 opened 1\n120000 tick → fora 121000 closeSocket 1',
    ]) {
      const { came, wanted } = played(script);
      expect(came).toEqual(wanted);
    }
  });

  test('a network that is back ends the wait, and one that went ends the connection', () => {
    const { came, wanted } = played(`
      0 refused 1 passing → fora 1000
      10 online → fora 15010 askTicket 2
      10 online → fora 15010
      20 ticket 2 → fora 15020 openSocket 2
      20 opened 2 → fora 120020
      20 synced 2 → sincronizado 30020
      30 offline → fora 2030 closeSocket 2
    `);
    expect(came).toEqual(wanted);
  });

  test('what the portal asks to wait is waited, but never more than 30 s', () => {
    for (const script of ['0 refused 1 passing 12000 → fora 12000', '0 refused 1 passing 900000 → fora 30000']) {
      const { came, wanted } = played(script);
      expect(came).toEqual(wanted);
    }
  });

  test('answers of an older attempt change nothing', () => {
    const { came, wanted } = played(`
      0 refused 1 passing
      1000 tick
      1001 ticket 1 → fora 16000
      1002 ticket 1 null → fora 16000
      1003 ticket 2 → fora 16003 openSocket 2
      1004 closed 1 4403 → fora 16003
    `);
    expect(came).toEqual(wanted);
  });

  test('silence is asked about, and only then ends the connection', () => {
    const { came, wanted } = played(`
      0 ticket 1
      0 opened 1
      0 synced 1
      30000 tick 20000 → sincronizado 50000
      50000 tick 20000 → sincronizado 60000 probe 1
      60000 tick 50010 → sincronizado 80010
      80010 tick 50010 → sincronizado 90010 probe 1
      90010 tick 50010 → fora 91010 closeSocket 1
    `);
    expect(came).toEqual(wanted);
  });

  test('a connection that falls as soon as it stands does not begin the waits anew', () => {
    const fall = (atMs: number, attempt: number, dueMs: number): string =>
      [`ticket ${attempt}`, `opened ${attempt}`, `synced ${attempt}`, `closed ${attempt} 1013 → fora ${dueMs}`]
        .map((event) => `${atMs} ${event}`)
        .join('\n');
    const { came, wanted } = played([fall(0, 1, 1_000), '5000 tick', fall(2_000, 2, 4_000), '7000 tick', fall(5_000, 3, 9_000)].join('\n'));
    expect(came).toEqual(wanted);
  });
});

/** Any event at any time, with numbers of this, an older and a future attempt. */
const anyEvent = (attempt: number): fc.Arbitrary<RoomEvent> => {
  const number = fc.constantFrom(attempt, attempt, attempt, attempt - 1, attempt + 1);
  return fc.oneof(
    fc.record({
      type: fc.constant('TICKET' as const),
      attempt: number,
      bilhete: fc.constantFrom('b', 'b', 'b', null),
      caminho: fc.constant('/c'),
      papel: fc.constantFrom('ver' as const, 'editar' as const, null),
    }),
    fc.record({
      type: fc.constant('TICKET_FAILED' as const),
      attempt: number,
      failure: fc.constantFrom('passing' as const, 'passing' as const, 'forbidden' as const, 'unknown' as const),
      retryAfterMs: fc.constantFrom(null, 0, 5_000, 1e9),
    }),
    fc.record({ type: fc.constant('OPENED' as const), attempt: number }),
    fc.record({ type: fc.constant('SYNCED' as const), attempt: number }),
    fc.record({
      type: fc.constant('CLOSED' as const),
      attempt: number,
      code: fc.constantFrom(1000, 1006, 1009, 1011, 1013, 1013, 4403, 4410),
    }),
    fc.constantFrom(online, offline, leave, { type: 'ROLE', papel: 'ver' } as const),
    fc.record({ type: fc.constant('TICK' as const), heardAtMs: fc.integer({ min: 0, max: 400_000 }) }),
  );
};

test('whatever happens: never stuck, never two sockets, a ticket of its own for each attempt, bounded waits', () => {
  const step = fc.record({
    pick: fc.integer({ min: 0, max: 1e6 }),
    passMs: fc.integer({ min: 0, max: 20_000 }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let { next, effects } = enterRoom(0);
      let nowMs = 0;
      const open = new Set<number>();
      const asked: number[] = [];
      const used: number[] = [];
      const wrong: string[] = [];
      const obey = (all: readonly RoomEffect[]): void => {
        for (const effect of all) {
          if (effect.kind === 'askTicket') asked.push(effect.attempt);
          if (effect.kind === 'openSocket') {
            open.add(effect.attempt);
            used.push(effect.attempt);
          }
          if (effect.kind === 'closeSocket' && !open.delete(effect.attempt)) wrong.push('closes a socket that is not there');
        }
        if (open.size > 1) wrong.push('two sockets');
      };
      obey(effects);
      for (const { pick, passMs, random } of steps) {
        nowMs += passMs;
        const event = fc.sample(anyEvent(next.attempt), { numRuns: 1, seed: pick })[0]!;
        // A socket that is not there can't close.
        if (event.type === 'CLOSED' && !open.delete(event.attempt)) continue;
        const before: RoomConnection = next;
        ({ next, effects } = advanceRoom(before, event, { nowMs, random }));
        obey(effects);
        const final = ['sem-acesso', 'apagada', 'saiu'].includes(next.phase);
        const dueMs = next.deadlineMs;
        if ((dueMs === null) !== final) wrong.push(`${next.phase} with the deadline ${dueMs}`);
        if (final && open.size > 0) wrong.push('a socket outlives the end');
        if (dueMs === null) continue;
        if (next.phase === 'waiting' && dueMs - nowMs > 30_000) wrong.push(`waits ${dueMs - nowMs} ms`);
        // Time alone gets out of every state that is not final: the deadline brings another state or a later deadline.
        const later = advanceRoom(next, { type: 'TICK', heardAtMs: 0 }, { nowMs: Math.max(nowMs, dueMs), random }).next;
        if (later.phase === next.phase && (later.deadlineMs ?? 0) <= dueMs) wrong.push(`stuck in ${next.phase}`);
      }
      expect(wrong).toEqual([]);
      expect(new Set(asked).size).toBe(asked.length);
      expect(new Set(used).size).toBe(used.length);
      expect(used.every((attempt) => asked.includes(attempt))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
