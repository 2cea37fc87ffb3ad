/** How an act ended, for who follows acts from outside (audited.ts): executors answer nothing, and some go on beside the loop. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEntry } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';

export type Outcome = Pick<AuditEntry, 'result' | 'code' | 'reason'>;
export type Report = (outcome: Outcome) => void;

interface Following {
  readonly report: Report;
  /** The executor reports later, by what `takeReport` gave it. */
  isTaken: boolean;
}

const following = new AsyncLocalStorage<Following>();

/** `report` is called with the outcome of each part of the act that may fail. */
export const followed = <Result>(report: Report, act: () => Result): Result => following.run({ report, isTaken: false }, act);

export const outcomeOf = (failed: SvcError | null): Outcome =>
  failed === null ? { result: 'ok' } : { result: 'failed', code: failed.code };

export function reportOutcome(failed: SvcError | null): void {
  const now = following.getStore();
  if (now !== undefined && !now.isTaken) now.report(outcomeOf(failed));
}

/** For an act whose order is taken long before its outcome is seen: nothing else of this act is reported. */
export function takeReport(): Report {
  const now = following.getStore();
  if (now === undefined) return () => undefined;
  now.isTaken = true;
  return now.report;
}

export const codedError = (error: unknown): SvcError =>
  error instanceof SvcError ? error : new SvcError('INTERNAL', (error as Error).message, {}, { cause: error });

/** Reports how work beside the loop ended; never rejects. */
export async function reportEnd(work: Promise<unknown>): Promise<void> {
  try {
    await work;
    reportOutcome(null);
  } catch (error) {
    reportOutcome(codedError(error));
  }
}
