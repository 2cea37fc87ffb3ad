import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../clock/system.ts';
import { watchFolder } from './watch.ts';

test('a folder that goes and comes again is watched as before', async () => {
  const above = mkdtempSync(join(tmpdir(), 'svc-watch-'));
  const dir = join(above, 'desired');
  mkdirSync(dir);
  let edges = 0;
  const watcher = watchFolder(dir, systemClock, () => (edges += 1));
  onTestFinished(async () => {
    await watcher.close();
    rmSync(above, { recursive: true, force: true });
  });
  let round = 0;
  /** Until the watch stands, a file may be written before it. */
  const seen = async (): Promise<void> => {
    const before = edges;
    await vi.waitUntil(
      () => {
        writeFileSync(join(dir, 'a.yaml'), `${(round += 1)}`);
        return edges > before;
      },
      { interval: 200 },
    );
  };
  await seen();
  rmSync(dir, { recursive: true });
  const gone = edges;
  await vi.waitUntil(() => edges > gone);
  const quiet = edges;
  mkdirSync(dir);
  await vi.waitUntil(() => edges > quiet);
  await seen();
  expect(edges).toBeGreaterThan(quiet + 1);
});
