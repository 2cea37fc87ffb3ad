/**
 * Whether the home can be written to, for the person and `svc doctor`. Each pass asks the file system for space and inodes; with less than 16 MiB or
 * 64 inodes, or when something could not be written, 64 KiB are written and synced to `~/.svc-apps/.space` and deleted, since a quota shows nowhere
 * else. ENOSPC, EDQUOT and EROFS are in `disk` of `hello`, which the portal asks at each resync: `Supervisor/PERSON` is `up / DiskFull`, `svc why`
 * of each app of the person adds a sentence, `svc doctor` has the row `homes`. Apps that run are left alone: they may not need to write. A start is
 * refused with DISK_FULL; a relaunch waits as `DiskFull`, which costs no failure, and goes on with the first pass that could write. A line of the
 * log that can't be written is lost and counted (`linesLost`): the handler of unexpected errors once logged to the full file thousands of times a
 * second.
 */
import { closeSync, constants, fsyncSync, openSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { limits } from './limits.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isDiskFull } from '../disk-error.ts';
import type { Supervisor } from './app-state.ts';

/** '' when a start could write its files, otherwise a sentence. A failed check is no statement about space. */
export function diskTrouble(supervisor: Supervisor): string {
  const { root } = accountPaths(supervisor.place);
  try {
    if (!isDoubtful(supervisor) && hasRoom(root)) return '';
    tryToWrite(`${root}/.space`);
    return '';
  } catch (error) {
    return isDiskFull(error) ? `the home ${supervisor.place.home} can't be written: ${errorCode(error)}` : '';
  }
}

/** Something could not be written a moment ago, or was not yet at the last pass. */
function isDoubtful(supervisor: Supervisor): boolean {
  if (supervisor.disk !== '') return true;
  return [...supervisor.apps.values()].some(
    ({ supervision, isUnwritten }) => isUnwritten || (supervision.state === 'backoff' && supervision.reason === 'DiskFull'),
  );
}

function hasRoom(folder: string): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return bavail * bsize >= limits.homeDoubtBytes && (files === 0 || ffree >= limits.homeDoubtFiles);
}

const block = Buffer.alloc(limits.homeProbeBytes);

function tryToWrite(path: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK, 0o600);
  try {
    for (let at = 0; at < block.length;) at += writeSync(fd, block, at);
    // A network home may say it only here.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
    unlinkSync(path);
  }
}
