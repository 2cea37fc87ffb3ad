/**
 * The supervisor's log: JSON lines on a descriptor. A disk that is full or gone loses lines and nothing else: nobody may fail, or be told
 * of a failure through this very log, because a line could not be written.
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
