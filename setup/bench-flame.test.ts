/** The flame graph of the benchmark: shares of the time in which the thread did something, callers above what they call. */
import { Session } from 'node:inspector/promises';
import { expect, test } from 'vitest';
import { flameGraph, type Profile } from '../bench/flame.ts';

const frame = (functionName: string, url = '') => ({ functionName, scriptId: '0', url, lineNumber: 0, columnNumber: 0 });
const profile: Profile = {
  startTime: 0,
  endTime: 1_000_000,
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('<send> & wait', 'node:net'), children: [5] },
    { id: 4, callFrame: frame('(garbage collector)') },
    { id: 5, callFrame: frame('writeBuffer') },
  ],
  samples: [2, 3, 5, 5, 4],
  timeDeltas: [600_000, 100_000, 100_000, 100_000, 100_000],
};

const sharesOf = (svg: string): readonly string[] => [...svg.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title!);

test('shares are of the time without waiting, also over several profiles', () => {
  for (const profiles of [[profile], [profile, profile]]) {
    const svg = flameGraph(profiles, 'a load');
    expect(svg).toContain(`a load: 0.${profiles.length * 4}0 s of ${profiles.length}.0 s (40.0 %)`);
    expect(sharesOf(svg)).toEqual([
      'all: 100.0 %',
      '&lt;send&gt; &amp; wait node:net: 75.0 %',
      'writeBuffer: 50.0 %',
      '(garbage collector): 25.0 %',
    ]);
  }
});

test('a real profile names functions of ours by their file', async () => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  const endMs = performance.now() + 60;
  let words = 0;
  while (performance.now() < endMs) words += spend();
  const { profile: real } = await session.post('Profiler.stop');
  session.disconnect();
  expect(words).toBeGreaterThan(0);
  const svg = flameGraph([real], 'a test');
  expect(sharesOf(svg).some((share) => /^spend setup\/bench-flame\.test\.ts: \d/.test(share))).toBe(true);
  expect(svg.length).toBeLessThan(200_000);
});

function spend(): number {
  return JSON.stringify(Array.from({ length: 2_000 }, (_, n) => ({ n }))).split(',').length;
}
