/** Each row of the machine's table (`node setup/machine-tables.ts` prints it): what an event makes of a phase, and at which moment. */
import { describe, expect, test } from 'vitest';
import { advanceRoom, enterRoom, type RoomConnection, type RoomEvent } from './room-connection.ts';
import { closed, leave, offline, online, opened, refused, said, synced, tick, ticket } from './testing/room-events.ts';

describe('each row of the table', () => {
  const phases: Readonly<Record<'asking' | 'opening' | 'syncing' | 'synced' | 'waiting', readonly RoomEvent[]>> = {
    asking: [],
    opening: [ticket(1)],
    syncing: [ticket(1), opened(1)],
    synced: [ticket(1), opened(1), synced(1)],
    waiting: [offline, refused(1, 'passing')],
  };
  /** In that phase since 0 ms. */
  function inPhase(phase: keyof typeof phases): RoomConnection {
    return phases[phase].reduce((at, event) => advanceRoom(at, event, { nowMs: 0, random: 1 }).next, enterRoom(0).next);
  }
  type Row = readonly [phase: keyof typeof phases, event: RoomEvent, nowMs: number, next: RoomConnection['phase'], effects: string];
  test.for<Row>([
    ['asking', tick(), 14_999, 'asking', ''],
    ['asking', tick(), 15_000, 'waiting', ''],
    ['asking', leave, 1, 'saiu', ''],
    ['opening', offline, 1, 'waiting', 'closeSocket 1'],
    ['opening', tick(), 14_999, 'opening', ''],
    ['opening', tick(), 15_000, 'waiting', 'closeSocket 1'],
    ['opening', closed(1, 1006), 1, 'waiting', ''],
    ['opening', leave, 1, 'saiu', 'closeSocket 1'],
    ['syncing', offline, 1, 'waiting', 'closeSocket 1'],
    ['syncing', tick(), 119_999, 'syncing', ''],
    ['syncing', tick(), 120_000, 'waiting', 'closeSocket 1'],
    ['syncing', closed(1, 1006), 1, 'waiting', ''],
    ['syncing', leave, 1, 'saiu', 'closeSocket 1'],
    ['synced', offline, 1, 'waiting', 'closeSocket 1'],
    ['synced', tick(0), 30_000, 'synced', 'probe 1'],
    ['synced', closed(1, 1006), 1, 'waiting', ''],
    ['synced', leave, 1, 'saiu', 'closeSocket 1'],
    ['waiting', tick(), 999, 'waiting', ''],
    ['waiting', tick(), 1_000, 'asking', 'askTicket 2'],
    ['waiting', online, 1, 'asking', 'askTicket 2'],
    ['waiting', leave, 1, 'saiu', ''],
  ])('%s × %o at %i ms', ([phase, event, nowMs, next, effects]) => {
    const step = advanceRoom(inPhase(phase), event, { nowMs, random: 1 });
    expect([step.next.phase, step.effects.map(said).join(', ')]).toEqual([next, effects]);
  });

  test.for(Object.keys(phases) as (keyof typeof phases)[])('%s takes another role', (phase) => {
    const { next } = advanceRoom(inPhase(phase), { type: 'ROLE', papel: 'ver' }, { nowMs: 1, random: 1 });
    expect([next.phase, next.papel]).toEqual([phase, 'ver']);
  });

  test('synced that was asked and stays silent is lost, and a tick before its time moves no deadline', () => {
    const probed = advanceRoom(inPhase('synced'), tick(0), { nowMs: 30_000, random: 1 }).next;
    const silent = advanceRoom(probed, tick(0), { nowMs: 40_000, random: 1 });
    expect([silent.next.phase, silent.effects.map(said).join(', ')]).toEqual(['waiting', 'closeSocket 1']);
    expect(advanceRoom(inPhase('synced'), tick(5_000), { nowMs: 10_000, random: 1 }).next.deadlineMs).toBe(30_000);
  });
});
