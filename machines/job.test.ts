/** The life of a job, written as tables from docs/decisions/0211-the-queue.md: in each state what each sight leads to. */
import { expect, test } from 'vitest';
import { advanceJob, jobBackoffMs, jobDeadlineMs, newJob, type JobLife, type JobSight } from './job.ts';

const nowMs = 1_000_000;
const open = ['em-espera', 'a-submeter', 'na-fila', 'a-correr', 'a-recolher', 'desconhecido'] as const;
const at = (state: JobLife['state'], over: Partial<JobLife> = {}): JobLife => ({ ...newJob, state, ...over });
const see = (life: JobLife, type: JobSight, { cancel = false, waitedTooLong = false, atMs = nowMs } = {}) => {
  const { next, effects } = advanceJob(life, [{ type, cancel, waitedTooLong, nowMs: atMs }]);
  return {
    next,
    told: [next.state, ...effects.map((effect) => (effect.kind === 'settle' ? `settle ${effect.as}` : effect.kind))].join(' '),
  };
};

/** From every open state the same: what is known decides, not what was. `*`: it stays where it is. */
const sights: readonly (readonly [JobSight, string, string])[] = [
  ['held', 'em-espera', '* settle cancelled'],
  ['unsent', 'a-submeter', '* settle cancelled'],
  ['unread', 'desconhecido', 'desconhecido cancel'],
  ['absent', 'a-submeter submit', '* settle cancelled'],
  ['missing', '*', '* settle cancelled'],
  ['refused', '* settle refused', '* settle cancelled'],
  ['waiting', 'na-fila', 'na-fila cancel'],
  ['running', 'a-correr', 'a-correr cancel'],
  ['sending', 'a-recolher', 'a-recolher cancel'],
  ['ended', 'a-recolher', '* settle cancelled'],
  ['finished', 'a-recolher settle ended', '* settle cancelled'],
];
test.for(sights.flatMap((row) => open.map((state) => [state, ...row] as const)))('%s, %s: %s', ([state, sight, told, cancelled]) => {
  expect(see(at(state), sight).told).toBe(told.replace('*', state));
  expect(see(at(state), sight, { cancel: true }).told).toBe(cancelled.replace('*', state));
});

test.for([
  ['absent', false, 'a-submeter'],
  ['waiting', true, 'na-fila'],
  ['running', true, 'a-correr'],
  ['sending', true, 'a-recolher'],
  ['unread', true, 'desconhecido'],
] as const)('%s: what was tried waits before it is tried again, longer each time', ([sight, cancel, state]) => {
  const kind = cancel ? 'cancel' : 'submit';
  const first = see(at('em-espera'), sight, { cancel });
  expect([first.told, first.next.nextAtMs]).toEqual([`${state} ${kind}`, nowMs + 500]);
  const early = see(first.next, sight, { cancel, atMs: nowMs + 499 });
  expect([early.told, early.next]).toEqual([state, first.next]);
  const second = see(first.next, sight, { cancel, atMs: nowMs + 500 });
  expect([second.told, second.next.nextAtMs, second.next.attempts]).toEqual([`${state} ${kind}`, nowMs + 1_500, 2]);
  // The clock was set back: it lies further ahead than the longest wait.
  expect(see(at('em-espera', { nextAtMs: nowMs + 60_001 }), sight, { cancel }).told).toBe(`${state} ${kind}`);
  expect(see(at('em-espera', { nextAtMs: nowMs + 60_000 }), sight, { cancel }).told).toBe(state);
});

test('waits grow to a minute', () => {
  expect([1, 2, 3, 7, 8, 20].map(jobBackoffMs)).toEqual([500, 1_000, 2_000, 32_000, 60_000, 60_000]);
});

test('what waited too long ends, unless it is to be cancelled anyway', () => {
  expect(see(at('em-espera'), 'held', { waitedTooLong: true }).told).toBe('em-espera settle waited');
  expect(see(at('em-espera'), 'held', { waitedTooLong: true, cancel: true }).told).toBe('em-espera settle cancelled');
});

test.for(['unread', 'absent', 'waiting', 'running', 'sending'] as const)(
  'missing is counted from its first sight, and %s ends the count',
  (sight) => {
    const first = see(at('a-correr'), 'missing').next;
    expect(first.missingSinceMs).toBe(nowMs);
    const later = see(first, 'missing', { atMs: nowMs + 59_999 });
    expect([later.told, later.next]).toEqual(['a-correr', first]);
    expect(see(first, 'missing', { atMs: nowMs + 60_000 }).told).toBe('a-correr settle missing');
    expect(see(first, sight).next).toMatchObject({ missingSinceMs: null, endedSinceMs: null });
    expect(see(first, sight, { cancel: true }).next.missingSinceMs).toBe(sight === 'absent' ? nowMs : null);
  },
);

test('what ended there without a word is ended ten seconds later; seen alive again, the count begins anew', () => {
  const first = see(at('a-correr', { missingSinceMs: 5 }), 'ended').next;
  expect(first).toMatchObject({ state: 'a-recolher', endedSinceMs: nowMs, missingSinceMs: null });
  const later = see(first, 'ended', { atMs: nowMs + 9_999 });
  expect([later.told, later.next]).toEqual(['a-recolher', first]);
  expect(see(first, 'ended', { atMs: nowMs + 10_000 }).told).toBe('a-recolher settle ended');
  expect(see(first, 'running').next.endedSinceMs).toBeNull();
});

test.for(['terminado', 'falhou', 'cancelado'] as const)('%s: nothing but what is left of it is seen to', (state) => {
  for (const from of open) {
    const { next, effects } = advanceJob(at(from, { attempts: 3, nextAtMs: nowMs + 9, missingSinceMs: 1, endedSinceMs: 2 }), [
      { type: 'settled', state, nowMs },
    ]);
    expect([next, effects]).toEqual([{ ...newJob, state }, []]);
  }
  for (const [rest, kind] of [
    ['alive', 'cancel'],
    ['kept', 'forget'],
  ] as const) {
    const first = advanceJob(at(state), [{ type: rest, nowMs }]);
    expect([first.next.state, first.effects, first.next.nextAtMs]).toEqual([state, [{ kind }], nowMs + 500]);
    expect(advanceJob(first.next, [{ type: rest, nowMs: nowMs + 499 }]).effects).toEqual([]);
    expect(advanceJob(first.next, [{ type: rest, nowMs: nowMs + 500 }]).effects).toEqual([{ kind }]);
  }
  expect(advanceJob(at(state), [{ type: 'clean', nowMs }])).toEqual({ next: at(state), effects: [] });
  expect(advanceJob(at(state), [{ type: 'expired', nowMs }]).effects).toEqual([{ kind: 'drop' }]);
  for (const [sight] of sights) expect(see(at(state), sight, { cancel: true }).told).toBe(state);
  expect(advanceJob(at(state), [{ type: 'settled', state: 'falhou', nowMs }]).next.state).toBe(state);
});

test('the next deadline is the earliest that lies ahead', () => {
  expect(jobDeadlineMs(at('a-correr'), nowMs)).toBeNull();
  expect(jobDeadlineMs(at('a-correr', { nextAtMs: nowMs + 7 }), nowMs)).toBe(nowMs + 7);
  expect(jobDeadlineMs(at('em-espera', { nextAtMs: nowMs + 7 }), nowMs)).toBeNull();
  expect(jobDeadlineMs(at('a-correr', { nextAtMs: nowMs }), nowMs)).toBeNull();
  expect(jobDeadlineMs(at('a-correr', { missingSinceMs: nowMs, nextAtMs: nowMs + 70_000 }), nowMs)).toBe(nowMs + 60_000);
  expect(jobDeadlineMs(at('a-recolher', { endedSinceMs: nowMs }), nowMs)).toBe(nowMs + 10_000);
});
