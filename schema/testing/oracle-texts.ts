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

/** `name/vN`. Source: rules 2.1 `provides`. */
export function isCapability(text: string): boolean {
  const parts = text.split('/');
  const [name = '', version = ''] = parts;
  return parts.length === 2 && startsThen(name, [lower], [lower, digit, '-']) && version.startsWith('v') && digits(version.slice(1));
}

/** Source: rules 2.1 `opens.extensions`. */
export const isExtension = (text: string): boolean =>
  startsThen(text.startsWith('.') ? text.slice(1) : text, [lower, upper, digit], [lower, upper, digit, '+', '.', '_', '-']);

/** A path of the package that stays in it. Decision 0010. */
export function staysInside(path: string): boolean {
  for (const char of path) if (char < ' ' || char === '\u007f' || char === '\\') return false;
  return !path.startsWith('/') && !path.split('/').includes('..');
}

/** Decision 0010: a terminal or a page obeys these; tabs and ends of lines are text. */
const isObeyed = (code: number): boolean => {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0d;
  return isWithin(code, [0x7f, 0x9f], [0x2028, 0x202e], [0x2066, 0x2069]);
};

/** Unicode 16: White_Space and Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the empty Braille cell. */
const isUnseen = (code: number): boolean =>
  isWithin(
    code,
    ...([[0x09, 0x0d], [0x20], [0xa0], [0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f], [0x205f], [0x3000], [0x2800]] as const),
    ...([[0xad], [0x34f], [0x61c], [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f], [0x202a, 0x202e]] as const),
    ...([[0x2060, 0x206f], [0x3164], [0xfe00, 0xfe0f], [0xfeff], [0xffa0], [0xfff0, 0xfff8]] as const),
    ...([[0x1bca0, 0x1bca3], [0x1d173, 0x1d17a], [0x1d159], [0x13441, 0x13442], [0xe0000, 0xe0fff]] as const),
  );

const isWithin = (code: number, ...ranges: readonly (readonly [from: number, to?: number])[]): boolean =>
  ranges.some(([from, to = from]) => code >= from && code <= to);

/** People see what stands there, and something at all unless it is empty. */
export function isShown(text: string): boolean {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  return !codes.some(isObeyed) && (text === '' || !codes.every((code) => isUnseen(code) || isMark(code)));
}

/** It is drawn on the character before it. */
const isMark = (code: number): boolean => /^\p{M}$/u.test(String.fromCodePoint(code));

/** Something to see, on one line. */
export const isLine = (text: string): boolean => text.isWellFormed() && text !== '' && isShown(text) && !/[\t\n\r]/.test(text);

/** Examples that a text of one line refuses; descriptions, reasons and selectors may hold them. */
export const twoLines = (path: string): readonly string[] =>
  /description$|razao$|cancelarArraste/.test(path) ? [] : ['a\nb', 'a\tb', 'a\r\n'];
