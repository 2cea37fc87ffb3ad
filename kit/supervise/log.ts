/**
 * The supervisor's log: JSON lines on a descriptor. A full or missing disk loses lines and nothing else: a failed log write never fails its
 * caller and is not logged.
 */
import { constants, fstatSync, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { readEnd } from '../launch/run-log.ts';
import { limits } from './limits.ts';
import type { Supervisor } from './app-state.ts';

/**
 * Lines that were lost are counted in the next one that is written. A file over the limit keeps its last part, also one that earlier supervisors
 * of the home wrote.
 */
export function createLog(fd: number, write: typeof writeSync = writeSync): Supervisor['log'] {
  let lost = 0;
  let isCut = false;
  let untilLook = 0;
  return (event, fields = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), event, ...fields, ...(lost > 0 ? { linesLost: lost } : {}) });
    // Half a line was the last thing that fitted.
    const bytes = Buffer.from(`${isCut ? '\n' : ''}${line}\n`);
    let at = 0;
    try {
      untilLook -= bytes.length;
      if (untilLook <= 0) {
        untilLook = limits.supervisorLogLookBytes;
        shorten(fd);
      }
      while (at < bytes.length) at += write(fd, bytes, at);
      lost = 0;
      isCut = false;
    } catch {
      lost += 1;
      isCut ||= at > 0;
    }
  };
}

/**
 * Cuts the log in place, since the starter of the supervisor has it open, too. A log that is not opened for appending would have a hole where it was
 * cut.
 */
function shorten(fd: number): void {
  try {
    const seen = fstatSync(fd);
    if (!seen.isFile() || seen.size <= limits.supervisorLogBytesMax) return;
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    if ((Number.parseInt(flags, 8) & constants.O_APPEND) === 0) return;
    const end = readEnd(`/proc/self/fd/${fd}`, limits.supervisorLogKeptBytes);
    ftruncateSync(fd, 0);
    writeSync(fd, end.subarray(end.indexOf(0x0a) + 1));
  } catch {
    // Tried again after as many bytes.
  }
}
