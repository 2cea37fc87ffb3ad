/**
 * `subindo`, the dated marker of an app in set-up (rules 3.1 step 4). It shows the supervisor which process works on which step; after a refusal,
 * the reason. Only the process identity in it decides whether a set-up is really under way.
 */
import { startSteps, type ProcessIdentity, type StartStep } from '../../schema/backend.ts';
import { readRecord, writeFileAtomic } from '../atomic-file.ts';
import { isRefusalReason, refusalOf, type Refusal } from './refusal.ts';

export interface Marker {
  readonly process: ProcessIdentity;
  readonly step: StartStep;
  readonly detail: string;
  readonly atMs: number;
  readonly refusal: Refusal | null;
}

export function writeMarker(path: string, marker: Marker): void {
  writeFileAtomic(path, `${JSON.stringify(marker)}\n`);
}

/** Null when missing or not in our format. Throws when the file can't be read: a set-up may be under way. */
export function readMarker(path: string): Marker | null {
  const text = readRecord(path) ?? 'null';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { process, step, detail, atMs, refusal } = value as Record<string, unknown>;
  const who = process as ProcessIdentity | null | undefined;
  if (!Number.isSafeInteger(who?.pid) || !Number.isSafeInteger(who?.startTicks) || typeof who?.bootId !== 'string') return null;
  const known = startSteps.find((name) => name === step);
  if (known === undefined || typeof detail !== 'string' || typeof atMs !== 'number') return null;
  const { reason, message } = (refusal ?? {}) as Record<string, unknown>;
  const coded = isRefusalReason(reason) && typeof message === 'string' ? refusalOf(reason, message) : null;
  return { process: { pid: who.pid, startTicks: who.startTicks, bootId: who.bootId }, step: known, detail, atMs, refusal: coded };
}
