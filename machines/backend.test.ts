import { getNextSnapshot } from 'xstate';
import { describe, expect, it } from 'vitest';
import { backendStates } from '../schema/backend.ts';
import { backendMachine, eventOfState } from './backend.ts';

const seenIn = (state: (typeof backendStates)[number]) =>
  backendMachine.resolveState({ value: state, context: { reason: 'Healthy', sinceMs: 1, last: { state: 'running', reason: 'Healthy' } } });

describe('the life of a backend', () => {
  const pairs = backendStates.flatMap((from) => backendStates.map((to) => [from, to] as const));
  it.for(pairs)('from %s, what is seen is believed: %s', ([from, to]) => {
    const after = getNextSnapshot(backendMachine, seenIn(from), { type: eventOfState[to], reason: 'Crashed', nowMs: 50 });
    expect([after.value, after.context.reason]).toEqual([to, 'Crashed']);
    // Since moves with the state, not with the reason.
    expect(after.context.sinceMs).toBe(from === to ? 1 : 50);
    const last = to === 'unknown' ? { state: 'running', reason: 'Healthy' } : { state: to, reason: 'Crashed' };
    expect(after.context.last).toEqual(last);
  });
});
