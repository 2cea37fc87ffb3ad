/**
 * The one rule for names of Linux accounts, before they reach a path, a command or a connection. Whether an account exists is asked of the
 * server. Decision: docs/decisions/0349-names-of-accounts.md
 */

/** A path is one name of it, a word of a command no option, and no number (getent and others take one for a uid). */
export const accountSource = '^(?![0-9]+$)[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,62}$';

const pattern = new RegExp(accountSource);

export function isAccountName(text: string): boolean {
  return pattern.test(text);
}

/**
 * Name of the person that a People document makes of an account. A directory may give accounts the name of its domain (`ana@corp.example`), which names
 * of documents do not have.
 */
export function personName(account: string): string {
  return account.replace(/@.*$/s, '').toLowerCase();
}
