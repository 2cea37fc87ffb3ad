import type { Clock } from '../../schema/clock.ts';
import { createCount } from '../work/counted.ts';
import type { Log } from '../work/record.ts';

/** Lines about a key are counted by what they say of it; all others are written. */
export function countedLog(clock: Clock, log: Log): Log {
  const count = createCount(clock);
  const counted =
    (level: 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void => {
      const { key, code, from, to, reason } = fields as Readonly<Record<string, unknown>>;
      const leftOut = typeof key === 'string' ? count(key, [message, code, from, to, reason].join(' ')) : 0;
      if (leftOut !== null) log[level](leftOut === 0 ? fields : { ...fields, leftOut }, message);
    };
  return { info: counted('info'), warn: counted('warn'), error: counted('error'), debug: (fields, message) => log.debug(fields, message) };
}
