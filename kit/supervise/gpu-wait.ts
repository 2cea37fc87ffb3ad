/**
 * Apps that wait for a GPU in use: woken when a lease is free. No signal arrives when an app of another account ends, so each pass tries the lock;
 * when one of this account ends, it is tried at once. Decision: docs/decisions/0078-gpu-leases.md
 */
import { gpuRootFrom } from '../launch/environment.ts';
import { isAnyGpuFree } from '../launch/gpu-verdict.ts';
import type { Supervisor } from './app-state.ts';

let asking = false;

/** Wakes one: the next is asked for when it has the card or was refused again. */
export async function wakeGpuWaiters(supervisor: Supervisor): Promise<void> {
  const isWaiting = () =>
    [...supervisor.apps.values()].find(({ supervision }) => supervision.state === 'failed' && supervision.reason === 'GpuBusy');
  if (asking || isWaiting() === undefined) return;
  asking = true;
  try {
    // Cards that can't be looked at now wake nobody: the next pass.
    if (!(await isAnyGpuFree(gpuRootFrom(process.env)).catch(() => false))) return;
    const app = isWaiting();
    if (app !== undefined) supervisor.apply(app, { type: 'WAKE' });
  } finally {
    asking = false;
  }
}
