/** Whom the words of a comment name. */

/** `@ana` is not in `@anabel`. */
export function isMentioned(words: string, login: string): boolean {
  const at = words.indexOf(`@${login}`);
  if (at === -1) return false;
  const rest = words.slice(at + login.length + 1);
  return !/^[\p{L}\p{N}_-]/u.test(rest) || isMentioned(rest, login);
}
