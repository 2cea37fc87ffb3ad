/**
 * Which app has a card: a flock on the card's folder in /sys. It needs no folder and no rights, holds across all accounts of the server,
 * and the kernel releases it when the process (and its children) ended. Decision: docs/decisions/0078-gpu-leases.md
 */
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { serverGpuFile } from '../../schema/server-paths.ts';
import { limits } from '../limits.ts';
import { readEvidence } from '../atomic-file.ts';
import type { GpuDevice } from './gpu.ts';

/** Held by every process that has the descriptor open: ours now, the backend that inherits it later. */
export interface GpuLease {
  readonly path: string;
  readonly fd: number;
}

/** Null when the card has no folder to lock. */
export function leasePath(root: string, { dispositivo, pci }: Pick<GpuDevice, 'dispositivo' | 'pci'>): string | null {
  const render = /^\/dev\/dri\/(renderD[0-9]+)$/.exec(dispositivo)?.[1];
  for (const path of [
    ...(render === undefined ? [] : [join(root, '/sys/class/drm', render, 'device')]),
    ...(pci === '' ? [] : [join(root, '/sys/bus/pci/devices', pci)]),
  ]) {
    try {
      return realpathSync(path);
    } catch {
      // Not there: the next one.
    }
  }
  return null;
}

/** The lease, or null when another process has it. The caller closes the descriptor, or hands it on. */
export function takeLease(path: string): GpuLease | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    return null;
  }
  // flock(1) locks the open file that we share with it: the lock stays ours when it has ended.
  const { status } = spawnSync('flock', ['-w', String(limits.gpuLeaseWaitMsMax / 1_000), '-x', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    timeout: limits.gpuLeaseMsMax,
  });
  if (status === 0) return { path, fd };
  closeSync(fd);
  return null;
}

/** Whether a lease could be had now; takes none. */
export function isLeaseFree(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('flock', ['-n', '-x', path, 'true'], { timeout: limits.gpuLeaseMsMax }, (error) => resolve(error === null));
  });
}

/** `/etc/svc-kit/gpu.json` with `{ "share": true }`: the administrator lets any number of apps use a card at once. */
export function isShared(root: string): boolean {
  try {
    const value: unknown = JSON.parse(readEvidence(join(root, serverGpuFile)) ?? 'null');
    return typeof value === 'object' && value !== null && (value as { share?: unknown }).share === true;
  } catch {
    return false;
  }
}
