import { expect, test } from 'vitest';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { SvcError } from '../../schema/errors.ts';
import type { GpuDecision, GpuVerdict } from '../launch/gpu-verdict.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { limits } from '../limits.ts';
import { cardFor, isForGood } from './waiting.ts';
import { moving } from '../../schema/testing/moving.ts';

/** A server whose only card is taken until then. */
function server(modo: GpuVerdict['modo'], freeAtMs: number) {
  let nowMs = 0;
  const noted: boolean[] = [];
  const decide = (): GpuDecision => {
    const concedida = nowMs >= freeAtMs;
    return { verdict: { modo, concedida, dispositivos: [], motivo: '', inventario: [] }, busy: !concedida, lease: null, variables: {} };
  };
  const asking = {
    decide,
    note: ({ concedida }: GpuVerdict) => void noted.push(concedida),
    nowMs: moving(() => nowMs),
    sleep: async (ms: number) => void (nowMs += ms),
  };
  return { asking, noted, now: () => nowMs };
}

test('an app that needs the card gets it within seconds of its being free', async () => {
  const taken = server('necessaria', 61_000);
  expect((await cardFor(taken.asking)).verdict.concedida).toBe(true);
  expect([taken.now(), taken.noted]).toEqual([65_000, [false, true]]);
});

test.for([
  ['necessaria', 0],
  ['opcional', Infinity],
] as const)('%s and free after %i ms: it does not wait', async ([modo, freeAtMs]) => {
  const other = server(modo, freeAtMs);
  await cardFor(other.asking);
  expect([other.now(), other.noted]).toEqual([0, [freeAtMs === 0]]);
});

test('a wait in vain ends, and waits alone never reach the limit of starts', async () => {
  const taken = server('necessaria', Infinity);
  expect(await cardFor(taken.asking)).toMatchObject({ busy: true });
  expect(taken.noted).toEqual([false]);
  expect(taken.now()).toBeGreaterThanOrEqual(limits.gpuServiceWaitMsMax);
  expect(limits.gpuServiceWaitMsMax * sharedLimits.restartFailuresMax).toBeGreaterThan(sharedLimits.failureResetMs);
});

test.for([
  [new LaunchRefused('GpuBusy', 'taken'), false],
  [new LaunchRefused('NoGpu', 'there is none'), true],
  [new LaunchRefused('InvalidManifest', 'no'), true],
  [new LaunchRefused('InstallCommandFailed', 'exit code 1'), false],
  [new SvcError('BAD_REQUEST', 'no'), true],
  [new Error('EIO'), false],
] as const)('%o is for good: %s', ([error, forGood]) => {
  expect(isForGood(error)).toBe(forGood);
});
