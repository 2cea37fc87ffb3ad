import { expect, test } from 'vitest';
import type { DevOutcome } from '../../schema/wire/dev.ts';
import { createBoard } from './board.ts';
import { systemClock } from '../../controller/clock/system.ts';

function shownAfter(outcomes: readonly (DevOutcome | 'unsaid')[]): DevOutcome | undefined {
  const board = createBoard({ app: 'notas', folder: '/a', mode: 'folder' }, systemClock);
  for (const outcome of outcomes)
    if (outcome === 'unsaid') board.unsaid();
    else board.last({ files: [], outcome, atMs: 1, tookMs: null, reason: null, detail: '' });
  return board.state().last?.outcome;
}

test.for([
  // A page that is loaded again starts no backend.
  [['crashed', 'reloaded'], 'crashed'],
  [['crashed', 'working', 'ready'], 'ready'],
  [['slow', 'reloaded'], 'slow'],
  [['failed', 'reloaded', 'reloaded'], 'failed'],
  // The last good program goes on, whatever else is changed.
  [['unbuilt', 'working', 'ready', 'reloaded'], 'unbuilt'],
  [['unbuilt', 'building', 'built'], 'built'],
  [['crashed', 'building', 'built'], 'crashed'],
  [['crashed', 'building'], 'building'],
  [['unbuilt', 'crashed'], 'crashed'],
  [['ready', 'building', 'unsaid'], 'ready'],
  [['crashed', 'refused'], 'crashed'],
] as const)('after %j it shows %s', ([outcomes, shown]) => expect(shownAfter(outcomes)).toBe(shown));
