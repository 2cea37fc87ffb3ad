import { expect, test } from 'vitest';
import { createFigures } from './figures.ts';

test('work is counted by kind, with its time, whether it ends at once, later, or with an error', async () => {
  let nowMs = 0;
  const figures = createFigures(
    () => 3,
    () => nowMs,
  );
  void figures.worked('Backend/ana/notas', () => undefined);
  const later = figures.worked('Backend/ana/notas', async () => {
    await Promise.resolve();
    nowMs += 200;
  });
  await later;
  const failing = figures.worked('Server/casa', async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  figures.failed('Server/casa');
  const { reconciled, queued } = figures.seen;
  const of = (kind: string) => reconciled.get(kind)!;
  expect(of('Backend').durations.baldes.reduce((sum, n) => sum + n, 0)).toBe(2);
  expect([of('Backend').durations.soma, of('Backend').failed]).toEqual([0.2, 0]);
  expect([of('Server').durations.baldes[0], of('Server').failed, queued()]).toEqual([1, 1, 3]);
});

test('probes are counted by verdict, steps by app up to a bound', () => {
  const figures = createFigures(
    () => 0,
    () => 0,
  );
  for (const code of [200, 404, 0, 503, 401, 700]) figures.probed({ code, byGate: false });
  figures.probed({ code: 403, byGate: true });
  expect(Object.fromEntries(figures.seen.probes)).toEqual({ Healthy: 2, NeverBound: 1, AnswersError: 3, RefusesToken: 1 });
  for (let n = 0; n < 1_000; n += 1) figures.step(`app-${n}`, 'order', -5);
  expect(figures.seen.starts.size).toBe(301);
  expect(figures.seen.starts.get('other')?.get('order')).toMatchObject({ soma: 0 });
});
