/** Counts failed operations of the store, for `/metrics`: a full disk, a database that is away or refuses. The errors go on to the caller. */
import { SvcError } from '../schema/errors.ts';
import type { Store } from './store.ts';

export interface ErrorCount {
  /** The same store; its tables are functions, alone or in groups (`rooms`, `jobs`). */
  of(store: Store): Store;
  soFar(): number;
}

export function createErrorCount(): ErrorCount {
  let failures = 0;
  const count = (error: unknown): void => {
    if (!(error instanceof SvcError) || error.code === 'STORE_FAILED') failures += 1;
  };
  return { of: (store) => counting(store, count), soFar: () => failures };
}

type Call = (...args: readonly unknown[]) => unknown;

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** `depth`: groups of groups are counted so deep; whatever else a store has (a pool of connections, a bus) stays the very same. */
function counting<Group extends object>(group: Group, count: (error: unknown) => void, depth = 1): Group {
  const counted = (value: unknown): unknown => {
    if (isGroup(value)) return depth === 0 ? value : counting(value, count, depth - 1);
    if (typeof value !== 'function') return value;
    return (...args: readonly unknown[]): unknown => {
      const answer = (value as Call)(...args);
      if (answer instanceof Promise) answer.catch(count);
      return answer;
    };
  };
  return Object.fromEntries(Object.entries(group).map(([name, value]) => [name, counted(value)])) as Group;
}
