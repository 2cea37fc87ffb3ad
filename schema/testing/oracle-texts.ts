/** Texts letter by letter, for the oracle of the manifest: no regular expression, so that none is wrong in both readers. */
type Class = ((char: string) => boolean) | string;

export const lower = (char: string): boolean => char >= 'a' && char <= 'z' && char.length === 1;
export const upper = (char: string): boolean => char >= 'A' && char <= 'Z' && char.length === 1;
export const digit = (char: string): boolean => char >= '0' && char <= '9' && char.length === 1;
export const hex = (char: string): boolean => digit(char) || (char >= 'a' && char <= 'f' && char.length === 1);

const isOf = (char: string, classes: readonly Class[]): boolean =>
  classes.some((one) => (typeof one === 'string' ? one.includes(char) : one(char)));

/** Every letter is of one of the classes; a text as a class is its letters. */
export function all(text: string, ...classes: readonly Class[]): boolean {
  for (const char of text) if (!isOf(char, classes)) return false;
  return true;
}

export const digits = (text: string): boolean => text !== '' && all(text, digit);

/** Not empty; the first letter of one kind, the others of another. */
export function startsThen(text: string, first: readonly Class[], rest: readonly Class[]): boolean {
  const [head, ...tail] = Array.from(text);
  return head !== undefined && isOf(head, first) && tail.every((char) => isOf(char, rest));
}

/** Characters as a person counts them: a surrogate pair is one. */
export const characters = (text: string): number => Array.from(text).length;

/** `name/vN`. Source: spec 2.1 `provides`. */
export function isCapability(text: string): boolean {
  const parts = text.split('/');
  const [name = '', version = ''] = parts;
  return parts.length === 2 && startsThen(name, [lower], [lower, digit, '-']) && version.startsWith('v') && digits(version.slice(1));
}

/** Source: spec 2.1 `opens.extensions`. */
export const isExtension = (text: string): boolean =>
  startsThen(text.startsWith('.') ? text.slice(1) : text, [lower, upper, digit], [lower, upper, digit, '+', '.', '_', '-']);

/** A path of the package that stays in it. Decision 0010. */
export function staysInside(path: string): boolean {
  for (const char of path) if (char < ' ' || char === '\u007f' || char === '\\') return false;
  return !path.startsWith('/') && !path.split('/').includes('..');
}
