/** Two readings of what a person's apps have used make a rate. Read only while a page shows it. */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { AppUse, SupervisorReplies } from '../../schema/supervisor-lines.ts';
import type { AppUsage } from '../../schema/wire/http.ts';

interface UsageReading {
  readonly takenAtMs: number;
  /** By the supervisor's own clock: the time between two readings does not depend on the way to it. */
  readonly atMs: number;
  readonly apps: ReadonlyMap<string, AppUse>;
}

export interface Usage {
  /** `pid` is that of the process that the app has now. */
  of(app: string, pid: number | null): AppUsage | null;
  read(): Promise<void>;
}

export function createUsage(clock: Clock, ask: () => Promise<SupervisorReplies['usage']>): Usage {
  let before: UsageReading | null = null;
  let last: UsageReading | null = null;
  let reading: Promise<void> | null = null;
  const isRecent = (read: UsageReading | null): read is UsageReading =>
    read !== null && clock.monotonicMs() - read.takenAtMs < limits.usageKeptMs;
  const take = async (): Promise<void> => {
    const { atMs, apps } = await ask();
    before = isRecent(last) ? last : null;
    last = { takenAtMs: clock.monotonicMs(), atMs, apps: new Map(apps.map((use) => [use.app, use])) };
  };
  const read = async (): Promise<void> => {
    if (isRecent(last) && before !== null && clock.monotonicMs() - last.takenAtMs < limits.usagePollMs) return;
    if (!isRecent(last)) await take();
    const nextMs = (last?.takenAtMs ?? 0) + limits.usagePollMs;
    if (nextMs > clock.monotonicMs()) await new Promise<void>((resolve) => clock.at(nextMs, resolve));
    await take();
  };
  return {
    of: (app, pid) => {
      const now = isRecent(last) ? last.apps.get(app) : undefined;
      if (!isRecent(last) || now === undefined || now.pid !== pid) return null;
      return { cpu: rate(before, last, now), memoria: now.memoryBytes, tarefas: now.tasks };
    },
    read: () => {
      reading ??= withDeadline(
        clock,
        read().catch(() => undefined),
      ).finally(() => {
        reading = null;
      });
      return reading;
    },
  };
}

/** Percent of one processor, to a tenth. Null without an earlier reading of the same process. */
function rate(before: UsageReading | null, last: UsageReading, now: AppUse): number | null {
  const earlier = before?.apps.get(now.app);
  if (before === null || earlier?.pid !== now.pid || last.atMs <= before.atMs) return null;
  const percent = (Math.max(0, now.cpuMs - earlier.cpuMs) / (last.atMs - before.atMs)) * 100;
  return Math.round(percent * 10) / 10;
}

async function withDeadline(clock: Clock, work: Promise<void>): Promise<void> {
  const end = Promise.withResolvers<void>();
  const cancel = clock.at(clock.monotonicMs() + limits.usageAnswerMsMax, end.resolve);
  await Promise.race([work, end.promise]);
  cancel();
}
