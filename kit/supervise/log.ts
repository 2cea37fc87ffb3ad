/**
 * The supervisor's log: JSON lines on a descriptor. A full or missing disk loses lines and nothing else: a failed log write never fails its
 * caller and is not logged.
 */
import { writeSync } from 'node:fs';
import type { Supervisor } from './app-state.ts';

/** Lines that were lost are counted in the next one that is written. */
export function createLog(fd: number, write: typeof writeSync = writeSync): Supervisor['log'] {
  let lost = 0;
  let isCut = false;
  return (event, fields = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), event, ...fields, ...(lost > 0 ? { linesLost: lost } : {}) });
    // Half a line was the last thing that fitted.
    const bytes = Buffer.from(`${isCut ? '\n' : ''}${line}\n`);
    let at = 0;
    try {
      while (at < bytes.length) at += write(fd, bytes, at);
      lost = 0;
      isCut = false;
    } catch {
      lost += 1;
      isCut ||= at > 0;
    }
  };
}
