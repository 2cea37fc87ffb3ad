import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { createYoungMemory } from './young-memory.ts';

test('collects each time when enough has passed', () => {
  let collections = 0;
  const moved = createYoungMemory(() => (collections += 1));
  moved(limits.youngBytes - 1);
  expect(collections).toBe(0);
  moved(1);
  expect(collections).toBe(1);
  moved(limits.youngBytes / 2);
  expect(collections).toBe(1);
  moved(10 * limits.youngBytes);
  expect(collections).toBe(2);
});

/** How often a process marks its whole heap while it passes 1 GB on. */
async function markings(tells: boolean): Promise<number> {
  const program = `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { bytesMoved } from ${JSON.stringify(path.join(import.meta.dirname, 'young-memory.ts'))};
    let full = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full += 1;
    }).observe({ type: 'gc' });
    const under = [];
    for (let n = 0; n < 16384; n += 1) {
      under.push(Buffer.allocUnsafeSlow(65536));
      if (under.length > 64) under.shift();
      if (${tells}) bytesMoved(65536);
      if (n % 16 === 0) await new Promise(setImmediate);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log(full);
  `;
  const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--input-type=module', '-e', program];
  return Number((await promisify(execFile)(process.execPath, flags)).stdout);
}

test('what passes makes V8 mark its heap no more', async () => {
  const [told, untold] = [await markings(true), await markings(false)];
  expect(untold).toBeGreaterThan(4);
  expect(told).toBeLessThanOrEqual(untold / 4);
});
