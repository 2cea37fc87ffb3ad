import type { AccountClosed } from '../list-lines.ts';

/** The command that reopens an account which an administrator closed, for root on its server. */
export const openAccount = (account: string, closed: AccountClosed): string =>
  closed === 'locked' ? `usermod -U ${account}` : `chage -E -1 ${account}`;

/** The command that creates a missing account, for root on its server. */
export const makeAccount = (account: string): string => `useradd --create-home --shell /bin/bash ${account}`;
