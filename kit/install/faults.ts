/**
 * Places where a test kills the installer (SIGKILL), to show that at every one the old or the new version is whole and that the next run
 * leaves nothing behind. Inert unless SVC_FAULT_POINT names a point.
 */

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

export function faultPoint(point: InstallFaultPoint): void {
  if (killAt === point) process.kill(process.pid, 'SIGKILL');
}
