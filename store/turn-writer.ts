/**
 * Groups the writes of one event-loop turn into one transaction. Every write settles on its own: when a group fails, its
 * writes are tried again one by one, so that a bad one takes no other with it.
 */
import type { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../schema/errors.ts';

interface PendingWrite {
  readonly run: () => unknown;
  readonly onFailed: (() => void) | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface TurnWriter {
  /** Resolves with what `run` returned once it is committed; rejects STORE_FAILED after calling `onFailed`. */
  write<Result>(run: () => Result, onFailed?: () => void): Promise<Result>;
  /** Commits what is pending now; reads call it first, so that everyone reads their own writes. */
  flush(): void;
  /** Every write rejects STORE_FAILED with `why` from now on, also those that wait. */
  giveUp(why: string): void;
  givenUp(): boolean;
}

export function createTurnWriter(database: DatabaseSync): TurnWriter {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  let pending: PendingWrite[] = [];
  let lost: string | null = null;

  const runGroup = (group: readonly PendingWrite[]): unknown[] => {
    if (lost !== null) throw new SvcError('STORE_FAILED', lost);
    begin.run();
    try {
      const results = group.map((write) => write.run());
      commit.run();
      return results;
    } catch (error) {
      if (database.isTransaction) rollback.run();
      throw error;
    }
  };

  const commitAlone = (write: PendingWrite): void => {
    try {
      write.resolve(runGroup([write])[0] as never);
    } catch (error) {
      try {
        write.onFailed?.();
      } catch {
        // It reads from the same file; the cause is reported below.
      } finally {
        const cause = error instanceof Error ? error.message : String(error);
        write.reject(
          error instanceof SvcError ? error : new SvcError('STORE_FAILED', `the store refused a write: ${cause}`, {}, { cause: error }),
        );
      }
    }
  };

  const flush = (): void => {
    if (pending.length === 0) return;
    const group = pending;
    pending = [];
    let results: unknown[];
    try {
      results = runGroup(group);
    } catch {
      for (const write of group) commitAlone(write);
      return;
    }
    for (const [index, write] of group.entries()) write.resolve(results[index] as never);
  };

  return {
    write: (run, onFailed) =>
      new Promise((resolve, reject) => {
        if (pending.length === 0) setImmediate(flush);
        pending.push({ run, onFailed, resolve, reject });
      }),
    flush,
    giveUp: (why) => {
      lost ??= why;
    },
    givenUp: () => lost !== null,
  };
}
