/** Reports to the supervisor what requests show of an app: that it is in use, and that it may not answer. */
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import { limits as machineLimits } from '../../machines/limits.ts';
import type { BackendEntry } from '../entries.ts';

/** Reported within the last `useReportMs`; `again`: and used since. */
const reported = new WeakMap<BackendEntry, { again: boolean }>();
const doubted = new WeakSet<BackendEntry>();

/**
 * A request to an app of `ocioso:<N>m`. Reported at once, then at most every limits.useReportMs, and once more after the last of several.
 * Never rejects.
 * Decision: docs/decisions/0024-idle-connections.md
 */
export function reportUse(entry: BackendEntry, clock: Clock): void {
  const lately = reported.get(entry);
  if (lately) {
    lately.again = true;
    return;
  }
  const now = { again: false };
  reported.set(entry, now);
  const { person, app } = entry;
  // While the supervisor is away it counts nothing down, and one of an older kit counts connections alone.
  person.link.ask({ op: 'used', app }).catch(() => undefined);
  clock.at(clock.monotonicMs() + limits.useReportMs, () => {
    reported.delete(entry);
    if (now.again) reportUse(entry, clock);
  });
}

/** A request that waits for its answer. The supervisor is notified at most once a second. Never rejects. */
export function reportDoubt(entry: BackendEntry, clock: Clock): void {
  if (doubted.has(entry)) return;
  doubted.add(entry);
  const { person, app } = entry;
  person.link.ask({ op: 'doubt', app }).catch(() => undefined);
  clock.at(clock.monotonicMs() + machineLimits.healthAgainMs, () => doubted.delete(entry));
}
