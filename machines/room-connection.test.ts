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

/** Runs events at times, with no luck in the waits, and tells state, deadline and effects after each. */
function run(steps: readonly (readonly [number, RoomEvent])[]) {
  let { next } = enterRoom(0);
  return steps.map(([nowMs, event]) => {
    const step = advanceRoom(next, event, { nowMs, random: 1 });
    next = step.next;
    return [stateOf(next), next.deadlineMs, step.effects.map(said).join(', ')];
  });
}

describe('table 3.4', () => {
  test('entering begins at once: conectando, and a ticket is asked for', () => {
    const { next, effects } = enterRoom(1_000);
    expect([stateOf(next), next.deadlineMs, effects.map(said)]).toEqual(['conectando', 16_000, ['askTicket 1']]);
  });

  test('conectando becomes sincronizado when the portal has sent what the room held', () => {
    expect(
      run([
        [10, ticket(1)],
        [20, opened(1)],
        [30, synced(1)],
      ]),
    ).toEqual([
      ['conectando', 15_010, 'openSocket 1'],
      ['conectando', 120_020, ''],
      ['sincronizado', 30_030, ''],
    ]);
  });

  test('a lost network is fora, with a new ticket for every attempt and a wait that grows up to 30 s', () => {
    const steps: [number, RoomEvent][] = [
      [0, ticket(1)],
      [0, opened(1)],
      [0, synced(1)],
      [20_000, closed(1, 1006)],
      [21_000, tick()],
      [21_000, refused(2, 'passing')],
      [23_000, tick()],
      [23_000, ticket(3)],
      [23_000, closed(3, 1006)],
      [27_000, tick()],
      [27_000, refused(4, 'passing')],
      [35_000, tick()],
      [35_000, refused(5, 'passing')],
      [51_000, tick()],
      [51_000, refused(6, 'passing')],
      [81_000, tick()],
      [81_000, refused(7, 'passing')],
      [111_000, tick()],
      [111_100, ticket(8)],
      [111_200, opened(8)],
      [111_300, synced(8)],
    ];
    expect(run(steps).slice(3)).toEqual([
      ['fora', 21_000, ''],
      ['fora', 36_000, 'askTicket 2'],
      ['fora', 23_000, ''],
      ['fora', 38_000, 'askTicket 3'],
      ['fora', 38_000, 'openSocket 3'],
      ['fora', 27_000, ''],
      ['fora', 42_000, 'askTicket 4'],
      ['fora', 35_000, ''],
      ['fora', 50_000, 'askTicket 5'],
      ['fora', 51_000, ''],
      ['fora', 66_000, 'askTicket 6'],
      ['fora', 81_000, ''],
      ['fora', 96_000, 'askTicket 7'],
      ['fora', 111_000, ''],
      ['fora', 126_000, 'askTicket 8'],
      ['fora', 126_100, 'openSocket 8'],
      ['fora', 231_200, ''],
      ['sincronizado', 141_300, ''],
    ]);
  });

  test.for([
    ['4403', [closed(1, 4403)], 'sem-acesso', 'dropCopy'],
    ['4410', [closed(1, 4410)], 'apagada', 'dropCopy'],
    ['1006', [closed(1, 1006)], 'fora', ''],
    ['1013', [closed(1, 1013)], 'fora', ''],
    ['1007', [closed(1, 1007)], 'fora', ''],
  ] as const)('a socket closed with %s', ([, events, state, effects]) => {
    const before: [number, RoomEvent][] = [
      [0, ticket(1)],
      [0, opened(1)],
      [0, synced(1)],
    ];
    for (const through of [1, 2, 3]) {
      const steps = [...before.slice(0, through), ...events.map((event): [number, RoomEvent] => [5, event])];
      expect(run(steps).at(-1)).toEqual([state, state === 'fora' ? 1_005 : null, effects]);
    }
  });

  test.for([
    ['a null ticket', ticket(1, null), 'sem-acesso', 'dropCopy'],
    ['a room that the portal does not know', refused(1, 'unknown'), 'apagada', ''],
    ['an app without rooms', refused(1, 'forbidden'), 'sem-acesso', ''],
    ['no network at the first attempt', refused(1, 'passing'), 'fora', ''],
  ] as const)('%s is %s', ([, event, state, effects]) => {
    expect(run([[5, event]])[0]).toEqual([state, state === 'fora' ? 1_005 : null, effects]);
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

  test('a final state is left by sair() only', () => {
    for (const end of [closed(1, 4403), closed(1, 4410)]) {
      const all = run([
        [0, ticket(1)],
        [0, end],
        [1, online],
        [1, tick()],
        [1, ticket(1)],
        [1, { type: 'ROLE', papel: 'dona' }],
        [2, leave],
        [3, online],
        [3, tick()],
      ]);
      const state = all[1]![0];
      expect(all.slice(2).map(([state]) => state)).toEqual([state, state, state, state, 'saiu', 'saiu', 'saiu']);
      expect(all.slice(2).map(([, , effects]) => effects)).toEqual(['', '', '', '', '', '', '']);
    }
  });

  test('sair() closes the socket that is there', () => {
    expect(run([[0, leave]])).toEqual([['saiu', null, '']]);
    expect(
      run([
        [0, ticket(1)],
        [0, leave],
      ])[1],
    ).toEqual(['saiu', null, 'closeSocket 1']);
    expect(
      run([
        [0, ticket(1)],
        [0, opened(1)],
        [0, synced(1)],
        [0, leave],
      ])[3],
    ).toEqual(['saiu', null, 'closeSocket 1']);
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
    expect(run([[15_000, tick()]])[0]).toEqual(['fora', 16_000, '']);
    expect(
      run([
        [0, ticket(1)],
        [14_999, tick()],
        [15_000, tick()],
      ]).slice(1),
    ).toEqual([
      ['conectando', 15_000, ''],
      ['fora', 16_000, 'closeSocket 1'],
    ]);
    expect(
      run([
        [0, ticket(1)],
        [0, opened(1)],
        [120_000, tick()],
      ])[2],
    ).toEqual(['fora', 121_000, 'closeSocket 1']);
  });

  test('a network that is back ends the wait, and one that went ends the connection', () => {
    expect(
      run([
        [0, refused(1, 'passing')],
        [10, online],
        [10, online],
        [20, ticket(2)],
        [20, opened(2)],
        [20, synced(2)],
        [30, offline],
      ]),
    ).toEqual([
      ['fora', 1_000, ''],
      ['fora', 15_010, 'askTicket 2'],
      ['fora', 15_010, ''],
      ['fora', 15_020, 'openSocket 2'],
      ['fora', 120_020, ''],
      ['sincronizado', 30_020, ''],
      ['fora', 2_030, 'closeSocket 2'],
    ]);
  });

  test('what the portal asks to wait is waited, but never more than 30 s', () => {
    expect(run([[0, refused(1, 'passing', 12_000)]])[0]).toEqual(['fora', 12_000, '']);
    expect(run([[0, refused(1, 'passing', 900_000)]])[0]).toEqual(['fora', 30_000, '']);
  });

  test('answers of an older attempt change nothing', () => {
    expect(
      run([
        [0, refused(1, 'passing')],
        [1_000, tick()],
        [1_001, ticket(1)],
        [1_002, ticket(1, null)],
        [1_003, ticket(2)],
        [1_004, closed(1, 4403)],
      ])
        .slice(2)
        .map(([state, , effects]) => [state, effects]),
    ).toEqual([
      ['fora', ''],
      ['fora', ''],
      ['fora', 'openSocket 2'],
      ['fora', ''],
    ]);
  });

  test('silence is asked about, and only then ends the connection', () => {
    expect(
      run([
        [0, ticket(1)],
        [0, opened(1)],
        [0, synced(1)],
        [30_000, tick(20_000)],
        [50_000, tick(20_000)],
        [60_000, tick(50_010)],
        [80_010, tick(50_010)],
        [90_010, tick(50_010)],
      ]).slice(3),
    ).toEqual([
      ['sincronizado', 50_000, ''],
      ['sincronizado', 60_000, 'probe 1'],
      ['sincronizado', 80_010, ''],
      ['sincronizado', 90_010, 'probe 1'],
      ['fora', 91_010, 'closeSocket 1'],
    ]);
  });

  test('a connection that falls as soon as it stands does not begin the waits anew', () => {
    const steps: [number, RoomEvent][] = [];
    for (const [attempt, atMs] of [
      [1, 0],
      [2, 2_000],
      [3, 5_000],
    ] as const) {
      steps.push(
        [atMs, ticket(attempt)],
        [atMs, opened(attempt)],
        [atMs, synced(attempt)],
        [atMs, closed(attempt, 1013)],
        [atMs + 5_000, tick()],
      );
    }
    const waits = run(steps).filter((_, index) => index % 5 === 3);
    expect(waits.map(([, deadlineMs]) => deadlineMs)).toEqual([1_000, 4_000, 9_000]);
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
