import type { AccountClosed, AccountClosedSaid } from '../../schema/list-lines.ts';

export type ClosedAccounts = (asked: readonly string[], said: ReadonlyMap<string, AccountClosedSaid>) => ReadonlyMap<string, AccountClosed>;

/** Returns the closed ones of the accounts that were asked for. An account whose directory can't be asked stays as it was. */
export function createClosedAccounts(): ClosedAccounts {
  const known = new Map<string, AccountClosed>();
  return (asked, said) => {
    const now = new Map<string, AccountClosed>();
    for (const account of asked) {
      const why = said.get(account);
      const closed = why === 'unknown' ? known.get(account) : why;
      if (closed === undefined) {
        known.delete(account);
        continue;
      }
      known.set(account, closed);
      now.set(account, closed);
    }
    return now;
  };
}
