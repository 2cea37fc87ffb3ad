/**
 * Bounds what one person can write into the log of the portal: of each kind of line about one person, address or object some leave in any case, and
 * of all kinds about them so many more; the rest is told as one line of each kind with their number, the rarer ones as one line. Decision: docs/decisions/0390-log-lines.md
 */
import type { LoggerOptions } from 'pino';
import { createLeakyCells } from '../../api/auth/leaky-cells.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

interface LeftOut {
  count: number;
  readonly tell: (count: number) => void;
  readonly tellOthers: (count: number, kinds: number) => void;
}

/** Fields that say about whom a line is; the first that it has counts. */
const subjects = ['person', 'key', 'address', 'app', 'uid'] as const;
const others = 'lines of other kinds';

function subjectOf(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null) return '';
  const all = fields as Readonly<Record<string, unknown>>;
  const found = subjects.map((name) => all[name]).find((value) => typeof value === 'string' || typeof value === 'number');
  // Each job has a key of its own: one person may make thousands of them.
  if (found !== undefined) return `${found}`.startsWith('Job/') ? 'Job' : `${found}`.slice(0, 128);
  const { err } = all;
  return err instanceof Error ? err.message.slice(0, 128) : '';
}

export interface LogBudget {
  /** For `hooks` of pino. */
  readonly logMethod: LogMethod;
  /** Tells what was left out so far, and waits for nothing more. */
  end(): void;
}

export function createLogBudget(clock: Clock): LogBudget {
  const kinds = createLeakyCells(clock, { burst: limits.logLinesOfKindBurst, refillMs: limits.logLineOfKindRefillMs });
  const about = createLeakyCells(clock, { burst: limits.logLinesBurst, refillMs: limits.logLineRefillMs });
  const leftOut = new Map<string, LeftOut>();
  let cancel = (): void => {};
  const tellAll = (): void => {
    cancel();
    const kindsByCount = [...leftOut.values()].toSorted((a, b) => b.count - a.count);
    for (const { count, tell } of kindsByCount.slice(0, limits.logLeftOutLinesMax)) tell(count);
    // Told as lines, they would be a flood of their own.
    const rest = kindsByCount.slice(limits.logLeftOutLinesMax);
    const restCount = rest.reduce((sum, { count }) => sum + count, 0);
    rest[0]?.tellOthers(restCount, rest.length);
    leftOut.clear();
  };
  const logMethod: LogMethod = function logMethod(args, method) {
    const [first] = args as readonly unknown[];
    const text = args.find((each): each is string => typeof each === 'string') ?? '';
    const subject = subjectOf(first);
    const kind = `${text} ${subject}`;
    // A line about nobody counts by its text.
    if (kinds.take(kind) === 0 || about.take(subject === '' ? kind : subject) === 0) return method.apply(this, args);
    if (leftOut.size === 0) cancel = clock.at(clock.monotonicMs() + limits.logLeftOutMs, tellAll);
    const isKnown = leftOut.has(kind) || leftOut.size < limits.logKindsMax;
    const name = isKnown ? kind : others;
    const known = leftOut.get(name);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const what = isKnown ? { of: text, about: subject } : { of: others };
    const say = (fields: object, count: number): void => method.call(this, { ...fields, leftOut: count }, `${count} more of this kind`);
    leftOut.set(name, {
      count: 1,
      tell: (count) => say(what, count),
      tellOthers: (count, kinds) => say({ of: others, kinds }, count),
    });
  };
  return { logMethod, end: tellAll };
}
