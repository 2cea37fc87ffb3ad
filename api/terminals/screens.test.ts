/** Real threads with the real emulator; what they draw is given without the bounds of `bounded-sequences.ts`, as an unknown fault would be. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { limits } from './limits.ts';
import { createScreens, type Screen, type Screens } from './screens.ts';

let clock: ManualClock;
let screens: Screens;
let lost: string[];

beforeEach(() => {
  clock = createManualClock();
  lost = [];
  screens = createScreens({ clock, onLost: (person) => lost.push(person), threadsMax: 3 });
});
afterEach(() => screens.close());

const size = { columns: 80, rows: 24 };

function opened(person: string): { readonly screen: Screen; readonly replies: string[]; readonly print: (text: string) => Promise<void> } {
  const replies: string[] = [];
  const screen = screens.open(person, {
    size,
    reply: (text) => replies.push(text),
    onTitle: () => undefined,
    onLost: () => replies.push('lost'),
  });
  return { screen, replies, print: (text) => new Promise((resolve) => screen.write(Buffer.from(text), resolve)) };
}

/** Takes an emulator minutes. */
const endless = '\u001B[2000000L'.repeat(50);

test('whose screen can not be drawn in time loses it, and is drawn again later; nobody else notices', async () => {
  const ana = opened('ana');
  const bia = opened('bia');
  await Promise.all([ana.print('before'), bia.print('hers')]);
  const stuck = ana.print(endless);
  await bia.print(' goes on');
  expect(await bia.screen.text()).toBe('hers goes on');
  clock.advance(limits.terminalStuckMsMax + 1_000);
  await stuck;
  expect([lost, ana.replies]).toEqual([['ana'], ['lost']]);
  expect(await ana.screen.text()).toBe('');
  // Not at once: a core would be busy for good.
  await ana.print('too early');
  expect(await ana.screen.text()).toBe('');
  clock.advance(limits.terminalThreadWaitMs);
  await ana.print('again');
  expect(await ana.screen.text()).toBe('again');
  expect(await bia.screen.text()).toBe('hers goes on');
});

test('a screen that takes more memory than it may is lost alone', { tags: ['costly'], timeout: 120_000 }, async () => {
  const ana = opened('ana');
  const bia = opened('bia');
  await bia.print('hers');
  for (let n = 0; n < 400 && lost.length === 0; n += 1)
    await ana.print(`\r\n${'a\u0301\u0302\u0303'.repeat(80)}`.repeat(200) + `x${'\u0301'.repeat(500_000)}\r\n`);
  expect(lost).toEqual(['ana']);
  expect(await bia.screen.text()).toBe('hers');
});

test('on which nothing happens is kept as text, without a thread, and goes on from there with its answers', async () => {
  const ana = opened('ana');
  await ana.print('one\r\n\u001B[31mtwo\u001B[6n');
  const before = await ana.screen.text();
  clock.advance(limits.terminalIdleMs + limits.terminalSweepMs);
  await expect.poll(() => screens.threads()).toBe(0);
  expect(await ana.screen.text()).toBe(before);
  ana.screen.resize({ columns: 20, rows: 10 });
  await ana.print(' three\u001B[6n');
  expect(await ana.screen.text()).toBe('one\r\n\u001B[31mtwo three');
  expect(ana.replies).toEqual(['\u001B[2;4R', '\u001B[2;10R']);
});

test('there are so many threads at most: whose screen was drawn on longest ago gives way, and keeps what it showed', async () => {
  const all = Array.from({ length: 5 }, (_, n) => opened(`p${n}`));
  for (const [n, { print }] of all.entries()) {
    await print(`screen ${n}`);
    expect(screens.threads()).toBeLessThanOrEqual(4);
  }
  await expect.poll(() => screens.threads()).toBe(3);
  expect(await all[0]?.screen.text()).toBe('screen 0');
  // A screen that prints at the same moment is drawn; afterwards there are as many again.
  await Promise.all(all.map(({ print }) => print('!')));
  clock.advance(limits.terminalSweepMs);
  await expect.poll(() => screens.threads()).toBe(3);
  expect(await Promise.all(all.map(({ screen }) => screen.text()))).toEqual(all.map((_, n) => `screen ${n}!`));
});

test('what it showed is still told to who asked before it was closed; a thread without screens ends', async () => {
  const ana = opened('ana');
  await ana.print('last');
  const text = ana.screen.text();
  ana.screen.close();
  expect(await text).toBe('last');
  await expect.poll(() => screens.threads()).toBe(0);
  // Nothing begins again.
  await ana.print('after it');
  expect(screens.threads()).toBe(0);
});
