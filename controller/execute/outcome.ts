/** How an act ended, for who follows acts from outside (audited.ts): executors answer nothing, and some go on beside the loop. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SvcError } from '../../schema/errors.ts';

type Report = (failed: SvcError | null) => void;

const reports = new AsyncLocalStorage<Report>();

/** `report` is called with the outcome of each part of the act that may fail. */
export const followed = <Result>(report: Report, act: () => Result): Result => reports.run(report, act);

export function reportOutcome(failed: SvcError | null): void {
  reports.getStore()?.(failed);
}
