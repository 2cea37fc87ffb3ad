/**
 * Points at which a test kills the portal: one before and one after every effect on the world (anchors D, kill matrix). With
 * `SVC_FAULT_POINT=name` in the environment the process ends itself by SIGKILL the first time it gets there, as a power cut would.
 */
export const faultPoints = [
  'up/locked',
  'up/store-open',
  'up/listening',
  'desired/before-remember',
  'desired/after-remember',
  'install/before',
  'install/done',
  'remove/before',
  'remove/done',
  'supervisor/before-spawn',
  'supervisor/spawned',
  'supervisor/greeted',
  'supervisor/before-end',
  'start/before-send',
  'start/sent',
  'start/confirmed',
  'stop/before-send',
  'stop/sent',
  'stop/confirmed',
  'pin/before-send',
  'pin/confirmed',
  'probe/before',
  'probe/answered',
  'intent/before-finish',
  'intent/finished',
  'status/before-write',
  'status/written',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

const chosen = process.env['SVC_FAULT_POINT'];

/** Ends the process here if a test asked for it; costs one comparison otherwise. */
export function faultPoint(name: FaultPoint): void {
  if (chosen === name) process.kill(process.pid, 'SIGKILL');
}
