/**
 * Portals of the store that keep a part of the audit record in their state folders: those that live, and those that were there within the time that lines are
 * kept, so that lines which can't be read are not taken for lines that are not there. Decision: docs/decisions/0424-one-record-of-several-portals.md
 */
import { limits as auditLimits } from '../../store/audit/limits.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Store } from '../../store/store.ts';

const prefix = 'audit-portal/';
const keptMs = auditLimits.keepDaysDefault * 86_400_000;

export async function noteRecorded(store: Pick<Store, 'putValue'>, address: string, clock: Clock): Promise<void> {
  await store.putValue(`${prefix}${address}`, String(clock.nowMs()));
}

/** Rejects STORE_FAILED. */
export async function recordedPortals(
  store: Pick<Store, 'values'>,
  living: () => Promise<ReadonlySet<string>>,
  clock: Clock,
): Promise<readonly string[]> {
  const [noted, alive] = await Promise.all([store.values(prefix), living()]);
  const recent = [...noted].flatMap(([name, atMs]) => (clock.nowMs() - Number(atMs) < keptMs ? [name.slice(prefix.length)] : []));
  return [...new Set([...recent, ...alive])].filter((address) => address !== '');
}
