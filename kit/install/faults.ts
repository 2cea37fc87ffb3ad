/**
 * Places where a test kills the installer (SIGKILL) or fills its disk, to show that at every one the old or the new version is
 * whole and that the next run leaves nothing behind. Inert unless SVC_FAULT_POINT or SVC_FAULT_FILL names a point.
 */
import { closeSync, openSync, writeSync } from 'node:fs';

export const installFaultPoints = [
  'staging-made',
  'first-file-copied',
  'staged',
  'checked',
  'locked',
  'recovered',
  'store-made',
  'staging-moved',
  'root-phase-run',
  'record-written',
  'replaced-linked',
  'link-made',
  'swapped',
  'previous-linked',
  'old-deleted',
  'instances-ended',
] as const;

export const removalFaultPoints = ['previous-unlinked', 'unlinked', 'store-deleted'] as const;
export const rollbackFaultPoints = ['rollback-link-made', 'rolled-back', 'rollback-previous-unlinked', 'rollback-deleted'] as const;

export const engineFaultPoints = [
  'engine-part-opened',
  'engine-part-written',
  'engine-downloaded',
  'engine-verified',
  'engine-extracted',
  'engine-checked',
  'engine-swapped',
  'engine-part-deleted',
  'engine-old-deleted',
] as const;

export type InstallFaultPoint =
  | (typeof installFaultPoints)[number]
  | (typeof removalFaultPoints)[number]
  | (typeof rollbackFaultPoints)[number]
  | (typeof engineFaultPoints)[number];

const killAt = process.env['SVC_FAULT_POINT'];
/** `POINT:FOLDER`: at that point the file system of the folder is filled to its last byte and inode. */
const [fillAt, fillFolder] = (process.env['SVC_FAULT_FILL'] ?? '').split(':');

export function faultPoint(point: InstallFaultPoint): void {
  if (killAt === point) process.kill(process.pid, 'SIGKILL');
  if (fillAt === point && fillFolder !== undefined) fillDisk(fillFolder);
}

/** Every byte and every inode of the file system of the folder. */
export function fillDisk(folder: string): void {
  const block = Buffer.alloc(4_096);
  const full = (act: () => void): void => {
    for (;;) {
      try {
        act();
      } catch {
        return;
      }
    }
  };
  const fd = openSync(`${folder}/.filled`, 'w');
  full(() => writeSync(fd, block));
  closeSync(fd);
  let count = 0;
  full(() => closeSync(openSync(`${folder}/.filled-${(count += 1)}`, 'w')));
}
