import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUnsaved, type Unsaved } from './unsaved.ts';

const saveMsMax = 15_000;
let done: string[];
let unsaved: Unsaved;

beforeEach(() => {
  vi.useFakeTimers();
  done = [];
  unsaved = createUnsaved({
    act: (window, act) => done.push(`${act} ${window}`),
    save: (window) => done.push(`save ${window}`),
    saveMsMax,
  });
});
afterEach(() => void vi.useRealTimers());

const asked = (window: string) => unsaved.asking.get().get(window);

test('a window in which all is saved closes at once; one that says otherwise asks, and each window for itself', () => {
  unsaved.before('1', 'close');
  expect(done).toEqual(['close 1']);
  unsaved.say('2', { name: 'a.txt', saves: false });
  unsaved.before('2', 'close');
  unsaved.before('3', 'close');
  expect(done).toEqual(['close 1', 'close 3']);
  expect(asked('2')).toEqual({ act: 'close', state: 'asked' });
});

test('the answer decides: stay leaves it as it was, discard closes it whatever its page does', () => {
  unsaved.say('1', { name: null, saves: false });
  unsaved.before('1', 'reload');
  unsaved.answer('1', 'stay');
  expect([done, asked('1')]).toEqual([[], undefined]);
  unsaved.before('1', 'reload');
  unsaved.answer('1', 'discard');
  expect([done, asked('1'), unsaved.state.get().size]).toEqual([['reload 1'], undefined, 0]);
});

test('save: the page is asked once, and the window closes when it says that it has', () => {
  unsaved.say('1', { name: null, saves: true });
  unsaved.before('1', 'close');
  unsaved.answer('1', 'save');
  unsaved.before('1', 'close');
  expect([done, asked('1')?.state]).toEqual([['save 1'], 'saving']);
  unsaved.say('1', null);
  expect(done).toEqual(['save 1', 'close 1']);
  vi.advanceTimersByTime(saveMsMax);
  expect([done.length, asked('1')]).toEqual([2, undefined]);
});

test('save: a page that could not, or says nothing for 15 s, is asked about again, and can be closed', () => {
  unsaved.say('1', { name: null, saves: true });
  unsaved.before('1', 'close');
  unsaved.answer('1', 'save');
  unsaved.say('1', { name: null, saves: true });
  expect(asked('1')?.state).toBe('failed');
  unsaved.answer('1', 'save');
  vi.advanceTimersByTime(saveMsMax - 1);
  expect(asked('1')?.state).toBe('saving');
  vi.advanceTimersByTime(1);
  expect(asked('1')?.state).toBe('failed');
  unsaved.answer('1', 'discard');
  expect(done).toEqual(['save 1', 'save 1', 'close 1']);
});

test('what is saved while it is asked about closes; an edit meanwhile is asked about on', () => {
  unsaved.say('1', { name: 'a', saves: false });
  unsaved.before('1', 'close');
  unsaved.say('1', { name: 'b', saves: false });
  expect([asked('1')?.state, unsaved.state.get().get('1')?.name]).toEqual(['asked', 'b']);
  unsaved.say('1', null);
  expect(done).toEqual(['close 1']);
});

test('of a page that is gone nothing is asked any more', () => {
  unsaved.say('1', { name: null, saves: true });
  unsaved.before('1', 'close');
  unsaved.answer('1', 'save');
  unsaved.drop('1');
  vi.advanceTimersByTime(saveMsMax);
  expect([done, asked('1')]).toEqual([['save 1'], undefined]);
});
