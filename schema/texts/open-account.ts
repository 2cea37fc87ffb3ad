import type { AccountClosed } from '../list-lines.ts';

/** What opens an account again that an administrator closed, for root on its server. */
export const openAccount = (account: string, closed: AccountClosed): string =>
  closed === 'locked' ? `usermod -U ${account}` : `chage -E -1 ${account}`;

/** What makes an account that is not there, for root on its server. */
export const makeAccount = (account: string): string => `useradd --create-home --shell /bin/bash ${account}`;
