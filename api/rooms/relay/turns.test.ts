/**
 * When a room sends: whatever happens to it in whatever order, everybody sees everybody's newest presence and text soon after, and a room
 * in which nothing happens sends nothing. The clock and the turns of the event loop are moved by hand; the orders are drawn by fast-check.
 * Source: rules 2.4, 6. Decision: docs/decisions/0092-presence-table.md
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../testing/manual-clock.ts';
import { limits } from '../limits.ts';
import type { Connection } from './room.ts';
import { leave, publish } from './presence.ts';
import { createRoom, type Room } from './room.ts';
import { createTurns, type Loop, type Turns } from './turns.ts';

/** How long a state may be on its way, however much a sending costs and however busy the loop is. */
const onTheWayMsMax = limits.roomGatherMsMax + 1;

interface Person {
  readonly id: number;
  readonly connection: Connection;
  clock: number;
  /** Client id → clock, from the received frames; and the number of received letters. */
  readonly sees: Map<number, number>;
  letters: number;
}

interface World {
  readonly people: Person[];
  readonly room: Room;
  readonly turns: Turns;
  sent: number;
  /** In sending. */
  busyMs: number;
  nowMs(): number;
  letters: number;
  join(): void;
  leave(nth: number): void;
  move(nth: number): void;
  type(): void;
  /** The event loop turns, and so much time goes by. */
  pass(ms: number): void;
}

function word(id: number, clock: number): Uint8Array {
  const json = Buffer.from('{}');
  return Uint8Array.of(1, (id & 127) | 128, id >> 7, (clock & 127) | 128, clock >> 7, json.length, ...json);
}

interface Machine {
  /** For each socket of a sending. */
  readonly msPerSocket?: number;
  readonly busy?: number;
}

function createWorld({ msPerSocket = 0, busy = 0 }: Machine = {}): World {
  const clock = createManualClock();
  const room = createRoom({ sala: 's', canal: 'documento' });
  const people: Person[] = [];
  const loop: (() => void)[] = [];
  let next = 0;
  const turns = createTurns(
    { clock, busy: () => busy, atTurnEnd: (fn) => void loop.push(fn) },
    {
      send: (_room, withPresence) => {
        world.sent += 1;
        world.busyMs += msPerSocket * people.length;
        clock.advance(msPerSocket * people.length);
        room.unsent = 0;
        for (const person of people) person.letters = world.letters;
        if (!withPresence) return;
        for (const { sees } of people) for (const [id, goneAt] of room.presence.changed) see(room, sees, id, goneAt);
        room.presence.changed.clear();
      },
      sendTable: (connection) => {
        const person = people.find((one) => one.connection === connection)!;
        for (const id of room.presence.entries.keys()) see(room, person.sees, id, null);
      },
    },
  );
  const world: World = {
    people,
    room,
    turns,
    sent: 0,
    busyMs: 0,
    nowMs: () => clock.monotonicMs(),
    letters: 0,
    join: () => {
      next += 1;
      const seat = { sala: 's', app: 'notas', usuario: `p${next}`, nome: 'P', iniciais: 'P', papel: 'editar', por: 'pagina' } as const;
      const connection = { seat, color: '#000', ids: new Set<number>(), gone: false } as unknown as Connection;
      const person: Person = { id: next, connection, clock: 0, sees: new Map(), letters: world.letters };
      people.push(person);
      room.sockets.add(connection);
      turns.tableSoon(connection);
      world.move(people.length - 1);
    },
    leave: (nth) => {
      const [person] = people.splice(nth % people.length, 1);
      if (!person) return;
      person.connection.gone = true;
      room.sockets.delete(person.connection);
      if (leave(room.presence, person.connection)) turns.presenceSoon(room);
    },
    move: (nth) => {
      const person = people[nth % people.length];
      if (!person) return;
      person.clock += 1;
      expect(
        publish(room.presence, person.connection, word(person.id, person.clock), { discard: () => expect.unreachable(), nowMs: 0 }),
      ).toBe('changed');
      turns.presenceSoon(room);
    },
    type: () => {
      world.letters += 1;
      room.unsent += 1;
      turns.soon(room);
    },
    pass: (ms) => {
      for (const fn of loop.splice(0)) fn();
      clock.advance(ms);
      for (const fn of loop.splice(0)) fn();
    },
  };
  return world;
}

function see({ presence }: Room, sees: Map<number, number>, id: number, goneAt: number | null): void {
  const entry = presence.entries.get(id);
  if (goneAt === null && entry) sees.set(id, entry.clock);
  else sees.delete(id);
}

/** People who miss an entry, or still see one that is gone. */
function unaware({ people, letters }: World): readonly number[] {
  const all = people.map(({ id, clock }) => `${id}:${clock}`).join(' ');
  const seen = ({ sees }: Person): string =>
    [...sees]
      .toSorted(([one], [other]) => one - other)
      .map((pair) => pair.join(':'))
      .join(' ');
  return people.filter((person) => seen(person) !== all || person.letters !== letters).map(({ id }) => id);
}

const join = (world: World, count: number): void => {
  for (let n = 0; n < count; n += 1) world.join();
};

describe('a room that grows and shrinks', () => {
  test.for([30, 200, 500])('%i who join within one turn see each other', (count) => {
    const world = createWorld();
    join(world, count);
    world.pass(onTheWayMsMax);
    expect(unaware(world)).toEqual([]);
  });

  test('a presence that fell due among 19 goes out although the 20th came before it was sent', () => {
    const world = createWorld();
    join(world, 19);
    world.pass(onTheWayMsMax);
    world.move(3);
    join(world, 1);
    world.pass(onTheWayMsMax);
    expect(unaware(world)).toEqual([]);
    world.move(4);
    world.pass(onTheWayMsMax);
    expect(unaware(world)).toEqual([]);
  });

  test('a presence that fell due among 20 goes out although somebody left before it was sent', () => {
    const world = createWorld();
    join(world, 20);
    world.pass(onTheWayMsMax);
    world.move(3);
    world.leave(0);
    world.move(5);
    world.pass(onTheWayMsMax);
    expect(unaware(world)).toEqual([]);
  });

  test('a sending that fails keeps no other room back', () => {
    const loop: (() => void)[] = [];
    const [bad, good] = ['bad', 'good'].map((sala) => createRoom({ sala, canal: 'documento' })) as [Room, Room];
    const sent: Room[] = [];
    const send = (room: Room): void => {
      if (room === bad) throw new Error('bad');
      sent.push(room);
    };
    const turns = createTurns(machineOf(loop), { send, sendTable: () => undefined });
    turns.soon(bad);
    turns.soon(good);
    expect(() => loop.splice(0).forEach((fn) => fn())).toThrow('bad');
    for (const fn of loop.splice(0)) fn();
    expect(sent).toEqual([good]);
  });
});

const machineOf = (loop: (() => void)[], clock = createManualClock()): Loop => ({
  clock,
  busy: () => 0,
  atTurnEnd: (fn) => void loop.push(fn),
});

/** So many ms in which somebody acts in each; how many sendings there were, and their share of the time. */
function during(world: World, ms: number, act: (ms: number) => unknown): { readonly sent: number; readonly share: number } {
  const [sent, busyMs, fromMs] = [world.sent, world.busyMs, world.nowMs()];
  while (world.nowMs() < fromMs + ms) {
    act(Math.floor(world.nowMs() - fromMs));
    world.pass(1);
  }
  return { sent: world.sent - sent, share: (world.busyMs - busyMs) / (world.nowMs() - fromMs) };
}

function crowd(count: number, machine: Machine): World {
  const world = createWorld(machine);
  join(world, count);
  world.pass(onTheWayMsMax);
  // The first sendings teach what one costs.
  during(world, 2_000, (ms) => (ms % 2 === 0 ? world.type() : world.move(ms)));
  for (const ms of [1_000, 1_000]) world.pass(ms);
  return world;
}

describe('how long a room waits for more', () => {
  test.for([2, 50, 500])('not at all when it sent nothing of late: %i people', (count) => {
    const world = crowd(count, { msPerSocket: 0.005, busy: 0.9 });
    world.sent = 0;
    world.type();
    world.pass(0);
    expect(world.sent).toBe(1);
    expect(world.people.every(({ letters }) => letters === world.letters)).toBe(true);
    world.pass(1_000);
    world.move(0);
    world.pass(0);
    expect([world.sent, unaware(world)]).toEqual([2, []]);
  });

  test('two who write by turns get every letter at once', () => {
    const world = crowd(2, { msPerSocket: 0.005 });
    const before = world.letters;
    expect(during(world, 1_000, () => world.type()).sent).toBe(world.letters - before);
  });

  test.for([50, 300])('sending to %i who type and move all the time takes a bounded share of the loop', (count) => {
    const world = crowd(count, { msPerSocket: 0.005 });
    const text = during(world, 2_000, (ms) => ms % 4 === 0 && world.type());
    expect(text.share).toBeLessThanOrEqual(0.3);
    expect(text.sent).toBeGreaterThanOrEqual(2_000 / (limits.roomGatherMsMax + 1));
    world.pass(1_000);
    const presence = during(world, 2_000, (ms) => world.move(ms));
    expect(presence.share).toBeLessThanOrEqual(0.3);
    expect(presence.sent).toBeGreaterThanOrEqual(2_000 / (limits.roomGatherMsMax + 1));
  });

  test('of four times the changes there are about twice the sendings', () => {
    const sendings = (everyMs: number): number => {
      const world = crowd(50, { msPerSocket: 0.008 });
      return during(world, 4_000, (ms) => ms % everyMs === 0 && world.move(ms)).sent;
    };
    const [few, more] = [sendings(4), sendings(1)];
    expect(more / few).toBeGreaterThan(1.5);
    expect(more / few).toBeLessThan(2.5);
  });

  test('a burst leaves at once, whatever was sent before', () => {
    const world = crowd(50, { msPerSocket: 0.012, busy: 0.9 });
    const share = during(world, 500, () => {
      for (let n = 0; n < 128; n += 1) world.type();
      world.pass(0);
      expect(world.people[0]!.letters).toBe(world.letters);
    });
    expect(share.sent).toBeGreaterThan(200);
  });

  test('a flood into a large room leaves it less than the half of the time', () => {
    const world = crowd(500, { msPerSocket: 0.02 });
    const flood = during(world, 2_000, () => {
      for (let n = 0; n < 16; n += 1) world.type();
    });
    expect(flood.share).toBeGreaterThan(0.2);
    expect(flood.share).toBeLessThanOrEqual(0.5);
  });

  test('longer the busier the loop is, once it is busy for more than half of the time', () => {
    const sent = [0, 0.5, 0.75, 0.85, 1].map((busy) => {
      const world = crowd(50, { msPerSocket: 0.005, busy });
      return during(world, 1_000, (ms) => ms % 3 === 0 && world.type()).sent;
    });
    expect(sent[1]).toBe(sent[0]);
    expect(sent).toEqual(sent.toSorted((one, other) => other - one));
    expect(new Set(sent).size).toBe(sent.length - 1);
    expect(sent.at(-1)).toBeGreaterThanOrEqual(1_000 / (limits.roomGatherMsMax + 1));
  });

  test('presence that waits leaves with the text', () => {
    const world = crowd(50, { msPerSocket: 0.005 });
    world.move(0);
    world.pass(0);
    world.move(1);
    world.pass(6);
    expect(unaware(world)).not.toEqual([]);
    world.type();
    world.pass(0);
    expect(unaware(world)).toEqual([]);
  });
});

describe('rooms beside each other', () => {
  const roomOf = (sockets: number): Room => {
    const room = createRoom({ sala: `of ${sockets}`, canal: 'documento' });
    for (let n = 0; n < sockets; n += 1) room.sockets.add({} as Connection);
    return room;
  };

  test('a quiet room is sent before large ones that were first, and those share the turns', () => {
    const loop: (() => void)[] = [];
    const clock = createManualClock();
    const sent: (readonly Room[])[] = [];
    const send = (room: Room): void => {
      sent[sent.length - 1] = [...sent.at(-1)!, room];
      clock.advance(room.sockets.size * 0.005);
    };
    const turns = createTurns(machineOf(loop, clock), { send, sendTable: () => undefined });
    const turn = (): void => {
      sent.push([]);
      for (const fn of loop.splice(0)) fn();
    };
    const large = [roomOf(2_000), roomOf(2_000), roomOf(2_000)];
    const [quiet, other] = [roomOf(2), roomOf(3)];
    for (const room of [...large, quiet]) turns.soon(room);
    turn();
    turns.soon(other);
    turn();
    turn();
    expect(sent).toEqual([[quiet, large[0]], [other, large[1]], [large[2]]]);
    expect(loop).toEqual([]);
  });
});

type Step = readonly ['join' | 'leave' | 'move' | 'type' | 'pass', number];

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant('join' as const), fc.integer({ min: 1, max: 12 })) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('leave' as const), fc.integer({ min: 1, max: 12 })) },
    { weight: 6, arbitrary: fc.tuple(fc.constant('move' as const), fc.nat(40)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('type' as const), fc.integer({ min: 1, max: 40 })) },
    { weight: 5, arbitrary: fc.tuple(fc.constant('pass' as const), fc.nat(60)) },
  ),
  { maxLength: 80 },
);

function act(world: World, [kind, value]: Step): void {
  if (kind === 'join') join(world, value);
  else if (kind === 'leave') for (let n = 0; n < value; n += 1) world.leave(n * 7);
  else if (kind === 'type') for (let n = 0; n < value; n += 1) world.type();
  else world[kind](value);
}

describe('any order of joins, leaves, moves and letters', () => {
  test('everybody sees everybody soon after, the next move too, and then nothing more is sent', () => {
    fc.assert(
      fc.property(fc.nat(40), steps, fc.nat(20), fc.nat(100), (count, order, hundredths, busy) => {
        const world = createWorld({ msPerSocket: hundredths / 100, busy: busy / 100 });
        join(world, count);
        for (const step of order) act(world, step);
        world.pass(onTheWayMsMax);
        expect(unaware(world)).toEqual([]);
        world.move(0);
        world.pass(onTheWayMsMax);
        expect(unaware(world)).toEqual([]);
        world.sent = 0;
        world.pass(1_000);
        expect(world.sent).toBe(0);
      }),
      { numRuns: 400, seed: 20_261_122 },
    );
  });
});
