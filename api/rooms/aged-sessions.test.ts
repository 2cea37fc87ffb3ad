/** Sockets whose session has ended by its age, with the clock in hand. */
import { expect, test, vi } from 'vitest';
import { limits } from '../../schema/limits.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { endAgedSessions } from './aged-sessions.ts';

test('a session that is no longer good loses its sockets at the next look, the others stay; after the end nobody looks', async () => {
  const clock = createManualClock();
  const good = new Set(['a', 'b']);
  const ended: string[] = [];
  const errors: unknown[] = [];
  const relay = { pageSessions: () => new Set(['a', 'b']), endSession: (session: string) => void ended.push(session) };
  const alive = vi.fn<(session: string) => Promise<boolean>>(async (session) => good.has(session));
  const stop = endAgedSessions({ clock, relay, alive, onError: (error) => errors.push(error) });
  const look = async (): Promise<void> => {
    clock.advance(limits.roomSessionLookMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await look();
  expect(ended).toEqual([]);
  good.delete('b');
  await look();
  expect(ended).toEqual(['b']);
  // A store that can't be read ends nobody, and is asked again.
  alive.mockRejectedValueOnce(new Error('away'));
  await look();
  expect([ended, errors]).toEqual([['b'], [new Error('away')]]);
  await look();
  expect(ended).toEqual(['b', 'b']);
  stop();
  alive.mockClear();
  await look();
  expect(alive).not.toHaveBeenCalled();
});
