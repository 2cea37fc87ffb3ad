import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nothingRuns } from './leaving-fixtures.ts';
import { decideLeaving } from './leaving.ts';

const up = nothingRuns;

/** Counts the processes that are left when the person is forgotten; null when that never happens. */
function leave(apps: number, isUp: boolean, breaks: readonly boolean[]): number | null {
  let living = Array.from({ length: apps }, (_unused, index) => `app-${index}`);
  let isRunning = isUp || apps > 0;
  let line = isUp;
  let ended = false;
  for (let step = 0; step < 60; step += 1) {
    const decided = decideLeaving({ ...up, supervisor: line ? 'up' : 'down', living: line ? living : [], ended });
    if (decided.kind === 'forget') return living.length + (isRunning ? 1 : 0);
    if (decided.kind === 'find-out') [isRunning, line, ended] = [true, true, false];
    else if (decided.kind === 'stop') living = living.slice(1);
    else if (decided.kind === 'end-supervisor') [isRunning, line, ended] = [false, false, true];
    // The line breaks; the supervisor lives on and nobody said that it ends.
    if (breaks[step] === true && line) line = false;
  }
  return null;
}

describe('a person who leaves', () => {
  it.for([
    ['whose apps run', { living: ['notas', 'relogio'] }, { kind: 'stop', apps: ['notas', 'relogio'] }],
    ['whose apps have ended', {}, { kind: 'end-supervisor' }],
    ['whose supervisor is still there after it was asked to end', { ended: true }, { kind: 'end-supervisor' }],
    ['whose supervisor ended as asked', { supervisor: 'down', ended: true }, { kind: 'forget' }],
    [
      'whose package is still there',
      { supervisor: 'down', ended: true, packages: ['Package/notas-ana'] },
      { kind: 'wait-for-packages', packages: ['Package/notas-ana'] },
    ],
    ['whose supervisor is away and was never asked', { supervisor: 'down' }, { kind: 'find-out' }],
    ['whose supervisor is being started', { supervisor: 'starting', ended: true }, { kind: 'wait' }],
    ['whose account is gone', { account: false, supervisor: 'down' }, { kind: 'forget' }],
    ['whose account is another one', { shared: true, living: ['notas'] }, { kind: 'forget' }],
  ] as const)('%s', ([, changes, step]) => {
    expect(decideLeaving({ ...up, ...changes })).toEqual(step);
  });

  it('is forgotten in the end, and never while anything of theirs lives, in whatever order lines break', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.boolean(), fc.array(fc.boolean(), { maxLength: 12 }), (apps, isUp, breaks) => {
        expect(leave(apps, isUp, breaks)).toBe(0);
      }),
    );
  });
});
