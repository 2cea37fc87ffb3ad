import { describe, expect, test } from 'vitest';
import { createBudget, shortages } from './budget.ts';
import { createRoom, type Room } from './room.ts';
import { moving } from '../../../schema/testing/moving.ts';

const mib = 1_024 * 1_024;

/** Rooms of so many bytes, without the bytes. */
function world() {
  const closed: string[] = [];
  let nowMs = 0;
  const budget = createBudget({
    nowMs: moving(() => nowMs),
    diskOf: async () => 0,
    close: (room) => {
      closed.push(room.name);
      budget.forget(room);
    },
  });
  let last = 0;
  const open = (dona: string, bytes: number, app = 'notas'): Room | keyof typeof shortages => {
    last += 1;
    nowMs += 1;
    const room = createRoom({ sala: `${dona}${last}`, canal: 'documento' }, app, budget.accountOf(dona));
    budget.enter(room);
    const shortage = budget.hold(room, bytes);
    if (shortage !== null) {
      budget.forget(room);
      return shortage;
    }
    room.baseBytes = bytes - 16 * 1_024;
    room.changedAtMs = nowMs;
    budget.count(room, 0);
    return room;
  };
  /** Opens one after the other, until it may not. */
  const fill = (dona: string, bytes: number, app = 'notas'): { readonly rooms: Room[]; readonly shortage: string } => {
    const rooms: Room[] = [];
    for (;;) {
      const room = open(dona, bytes, app);
      if (typeof room === 'string') return { rooms, shortage: room };
      rooms.push(room);
    }
  };
  return { budget, open, fill, closed };
}

describe('one owner', () => {
  test('fills 48 MiB with one app, and 64 with several', () => {
    const { fill } = world();
    const first = fill('ana', mib, 'notas');
    expect([first.rooms.length, first.shortage]).toEqual([48, 'ownerApp']);
    const second = fill('ana', mib, 'quadro');
    expect([second.rooms.length, second.shortage]).toEqual([16, 'owner']);
  });
});

describe('nine who fill all that there is', () => {
  const filled = () => {
    const made = world();
    const owners = Array.from({ length: 9 }, (_, n) => `dono${n}-`);
    const refusals = owners.map((dona) => [made.fill(dona, mib, 'notas').shortage, made.fill(dona, mib, 'quadro').shortage]);
    return { ...made, owners, refusals };
  };

  test('leave everybody else an equal part', () => {
    const { fill, closed, refusals } = filled();
    expect(refusals.at(-1)).toContain('all');
    const { rooms, shortage } = fill('bea', mib);
    expect(rooms.length).toBeGreaterThanOrEqual(Math.min(48, Math.floor(512 / 10) - 1));
    expect(['all', 'ownerApp']).toContain(shortage);
    expect(closed.length).toBeGreaterThanOrEqual(rooms.length);
    expect(closed.every((name) => name.startsWith('dono'))).toBe(true);
  });

  test('and take nothing back from who holds less', () => {
    const { open, closed, owners } = filled();
    expect(open('bea', 10 * mib)).toBeTypeOf('object');
    closed.length = 0;
    for (const dona of owners) for (const app of ['notas', 'quadro']) open(dona, mib, app);
    expect(closed.filter((name) => name.startsWith('bea'))).toEqual([]);
  });
});

describe('one app that everybody has', () => {
  test('leaves a quarter to the others, and who holds little of it still gets in', () => {
    const { fill, open, closed } = world();
    const shortagesOf = Array.from({ length: 400 }, (_, n) => fill(`p${n}-`, mib, 'guloso').shortage);
    expect(shortagesOf.at(-1)).toBe('app');
    const held = closed.length;
    // Another app: nobody has to close.
    expect(open('p0-', 3 * mib, 'notas')).toBeTypeOf('object');
    expect(open('bea', 16 * mib, 'notas')).toBeTypeOf('object');
    expect(closed).toHaveLength(held);
    expect(open('nova', mib / 2, 'guloso')).toBeTypeOf('object');
    expect(closed.length).toBeGreaterThan(held);
  });
});

test('a room that was closed counts no more, whatever still happens to it', () => {
  const { open, budget, fill } = world();
  const room = open('ana', 40 * mib) as Room;
  budget.forget(room);
  budget.count(room, 0);
  budget.forget(room);
  expect(fill('ana', mib).rooms).toHaveLength(48);
});

test('what is told fits into a close frame', () => {
  for (const text of Object.values(shortages)) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(123);
});
