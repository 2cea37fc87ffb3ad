/**
 * The order of names of files: that of `Intl.Collator` without case and accents, numbers by their value. Names that are plain ASCII up to
 * where they differ are compared without the collator, which takes ten times as long; a hundred thousand names are put in order while a
 * person waits.
 */

const collator = new Intl.Collator('pt', { numeric: true, sensitivity: 'base' });

/** Without case and accents: for names that are looked for. */
export const foldedName = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Lower case of a plain letter; 0: it is none. */
const letter = (code: number): number => (code >= 0x61 && code <= 0x7a ? code : code >= 0x41 && code <= 0x5a ? code + 0x20 : 0);
/** Letters and digits, of which each stands for itself in the order. */
const isPlain = (code: number): boolean => isDigit(code) || letter(code) !== 0;

export function compareNames(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a !== b && (letter(a) === 0 || letter(a) !== letter(b))) break;
    // A character that combines with the one before changes its meaning.
    if (a >= 0x80) return collator.compare(left, right);
    at += 1;
  }
  const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
  if (!isPlainAt(left, at) || !isPlainAt(right, at)) return collator.compare(left, right);
  const inNumber = at > 0 && isDigit(left.charCodeAt(at - 1));
  if (isDigit(a) || isDigit(b)) {
    // A number that goes on only on one side is the greater one; with zeros in front, or as long as the other, it takes a closer look.
    if (!(isDigit(a) && isDigit(b))) return inNumber ? collator.compare(left, right) : isDigit(a) ? -1 : 1;
    return numbersAt(left, right, at);
  }
  return letter(a) - letter(b);
}

/** A plain character, and behind it none that is joined with it. */
function isPlainAt(name: string, at: number): boolean {
  return at < name.length && isPlain(name.charCodeAt(at)) && !(name.charCodeAt(at + 1) >= 0x80);
}

/** Both have a digit at `at`, another one, and were the same before. Zeros in front count for nothing. */
function numbersAt(left: string, right: string, at: number): number {
  let start = at;
  while (start > 0 && isDigit(left.charCodeAt(start - 1))) start -= 1;
  const [leftEnd, rightEnd] = [endOfNumber(left, at), endOfNumber(right, at)];
  // Digits of other scripts go on with a number, too.
  if (left.charCodeAt(leftEnd) >= 0x80 || right.charCodeAt(rightEnd) >= 0x80) return collator.compare(left, right);
  const [leftFrom, rightFrom] = [firstOfNumber(left, start, leftEnd), firstOfNumber(right, start, rightEnd)];
  const longer = leftEnd - leftFrom - (rightEnd - rightFrom);
  if (longer !== 0) return longer;
  for (let offset = 0; leftFrom + offset < leftEnd; offset += 1) {
    const less = left.charCodeAt(leftFrom + offset) - right.charCodeAt(rightFrom + offset);
    if (less !== 0) return less;
  }
  return collator.compare(left, right);
}

function endOfNumber(name: string, at: number): number {
  let end = at;
  while (isDigit(name.charCodeAt(end))) end += 1;
  return end;
}

function firstOfNumber(name: string, start: number, end: number): number {
  let first = start;
  while (first < end && name.charCodeAt(first) === 0x30) first += 1;
  return first;
}
