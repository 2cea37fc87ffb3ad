/**
 * Places where a test lets a program kill itself (SIGKILL) to show that the next one converges. Inert unless SVC_FAULT_POINT
 * names a point; it is never passed on to an app. One table a program: the tests enumerate them.
 */
export const launcherFaultPoints = [
  'package-read',
  'environment-read',
  'socket-checked',
  'orphan-deleted',
  'marked',
  'log-rotated',
  'set-up-run',
  'set-up-marked',
  'gpu-decided',
  'pid-written',
  'marker-removed',
] as const;

export const supervisorFaultPoints = [
  'start-env-written',
  'start-status-written',
  'launch-claimed',
  'launch-spawned',
  'launch-pid-written',
  'launch-released',
  'death-noted',
  'stop-env-deleted',
  'stop-terminated',
  'stop-killed',
  'stop-gone',
  'replace-terminated',
  'status-written',
] as const;

export const publishFaultPoints = [
  'publish-staged',
  'publish-before-tarball',
  'publish-tarball-placed',
  'publish-icon-written',
  'publish-icon-placed',
  'publish-record-written',
  'publish-record-placed',
  'publish-catalogue-written',
  'publish-catalogue-placed',
] as const;

export type FaultPoint =
  | (typeof launcherFaultPoints)[number]
  | (typeof supervisorFaultPoints)[number]
  | (typeof publishFaultPoints)[number];

const chosen = process.env['SVC_FAULT_POINT'];

export function faultPoint(point: FaultPoint): void {
  if (chosen === point) process.kill(process.pid, 'SIGKILL');
}
