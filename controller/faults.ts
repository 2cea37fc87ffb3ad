/**
 * Points at which a test kills the portal: one before and one after every side effect. With `SVC_FAULT_POINT=name` in the environment the
 * process kills itself with SIGKILL when it first reaches that point, as a power cut would.
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
/** Points of a move from a state folder into the database; test/postgres/recorded.real.test.ts goes through them. */
export const moveFaultPoints = ['up/rooms-copied', 'up/rooms-moved', 'up/anexos-copied', 'up/fila-copied'] as const;
/** Points of acts on installed packages; test/integration/packages.real.test.ts goes through them. */
export const packageFaultPoints = [
  'confirm/before',
  'confirm/done',
  'roll-back/before',
  'roll-back/done',
  'mend/before',
  'mend/done',
] as const;
/** Points of a person's consent to apps that use each other; test/integration/capabilities.real.test.ts goes through them. */
export const consentFaultPoints = ['consent/before-write', 'consent/written'] as const;
/** Points of a job of the queue, from its submission to the last of its bytes; controller/kinds/job-killed.test.ts goes through them, queue-killed.real.test.ts of test/integration with real kills. */
export const jobFaultPoints = [
  'job/before-release',
  'job/released',
  'job/before-attempt',
  'job/attempt-noted',
  'job/submitted',
  'job/accepted',
  'job/before-cancel',
  'job/cancel-sent',
  'job/before-settle',
  'job/settled',
  'job/before-forget',
  'job/forgotten',
  'job/before-drop',
  'job/dropped',
] as const;
/** Points of a change to a person's files; test/files/killed.real.test.ts goes through them. */
export const fileFaultPoints = [
  'files/before-new',
  'files/new-made',
  'files/new-written',
  'files/before-rename',
  'files/renamed',
  'files/name-taken',
  'files/copied',
  'files/unpacked',
  'files/verified',
  'files/placed',
  'files/old-removed',
  'files/trash-noted',
  'files/trashed',
  'files/restored',
] as const;
/** Points of a backup and of a restore; test/backup/killed.real.test.ts goes through them. */
export const backupFaultPoints = [
  'backup/begun',
  'backup/files-read',
  'backup/held',
  'backup/released',
  'backup/databases-read',
  'backup/settled',
  'backup/before-manifest',
  'backup/manifest-written',
  'backup/pruned',
] as const;
export const restoreFaultPoints = [
  'restore/begun',
  'restore/staged',
  'restore/before-commit',
  'restore/committed',
  'restore/half-moved',
  'restore/moved',
] as const;
/** In a change of the portal's ssh key; test/worlds/keys.real.test.ts goes through them. */
export const keyFaultPoints = [
  'keys/scope-kept',
  'keys/put',
  'keys/own-added',
  'keys/accounts-added',
  'keys/tried',
  'keys/own-dropped',
  'keys/accounts-dropped',
  'keys/marked',
  'keys/before-take',
  'keys/taken',
] as const;
/** In the erasure of a person; test/ssh/erase.real.test.ts goes through them. */
export const eraseFaultPoints = [
  'erase/asked',
  'erase/signed-out',
  'erase/rooms',
  'erase/server-done',
  'erase/server-kept',
  'erase/before-rest',
  'erase/rest',
] as const;
/** In the move of a person to another server; controller/people/move.test.ts goes through them. */
export const personMoveFaultPoints = [
  'person-move/noted',
  'person-move/stopped',
  'person-move/copied',
  'person-move/verified',
  'person-move/aside',
  'person-move/placed',
  'person-move/ended',
  'person-move/switched',
  'person-move/started',
] as const;
export type FaultPoint =
  | (typeof personMoveFaultPoints)[number]
  | (typeof eraseFaultPoints)[number]
  | (typeof keyFaultPoints)[number]
  | (typeof faultPoints)[number]
  | (typeof packageFaultPoints)[number]
  | (typeof moveFaultPoints)[number]
  | (typeof backupFaultPoints)[number]
  | (typeof restoreFaultPoints)[number]
  | (typeof consentFaultPoints)[number]
  | (typeof jobFaultPoints)[number]
  | (typeof fileFaultPoints)[number];

const chosen = process.env['SVC_FAULT_POINT'];

let watcher: ((name: FaultPoint) => void) | null = null;

/** A test in the same process does something else than a kill at these points: it cuts the network. */
export function watchFaultPoints(watch: ((name: FaultPoint) => void) | null): void {
  watcher = watch;
}

/** Ends the process here if a test asked for it; costs two comparisons otherwise. */
export function faultPoint(name: FaultPoint): void {
  watcher?.(name);
  if (chosen === name) process.kill(process.pid, 'SIGKILL');
}
