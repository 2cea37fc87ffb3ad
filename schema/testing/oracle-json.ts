/**
 * Another reader of strict JSON, for the tests: letter by letter, recursive, with the rules of our files (no name twice, none that
 * reaches a prototype, whole characters, UTF-8 without a mark). Undefined: refused.
 */
class Refused extends Error {}

export function readStrictly(bytes: Uint8Array): unknown {
  if (bytes.length > 256 * 1024) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.includes('\0') || text.startsWith('\ufeff')) return undefined;
    const cursor = { chars: text, at: 0 };
    const value = readValue(cursor, 0);
    skip(cursor);
    return cursor.at === text.length ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Cursor {
  readonly chars: string;
  at: number;
}

function skip(cursor: Cursor): void {
  while (' \t\n\r'.includes(cursor.chars[cursor.at] ?? 'x')) cursor.at += 1;
}

function take(cursor: Cursor, mark: string): boolean {
  skip(cursor);
  if (!cursor.chars.startsWith(mark, cursor.at)) return false;
  cursor.at += mark.length;
  return true;
}

function must(holds: boolean): void {
  if (!holds) throw new Refused();
}

function readValue(cursor: Cursor, depth: number): unknown {
  skip(cursor);
  const first = cursor.chars[cursor.at] ?? '';
  if (first === '{') return readObject(cursor, depth + 1);
  if (first === '[') return readList(cursor, depth + 1);
  if (first === '"') return readText(cursor);
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const)
    if (take(cursor, word)) return value;
  return readNumber(cursor);
}

function readObject(cursor: Cursor, depth: number): unknown {
  must(depth <= 64);
  const value: Record<string, unknown> = {};
  take(cursor, '{');
  if (take(cursor, '}')) return value;
  do {
    skip(cursor);
    const name = readText(cursor);
    must(!Object.hasOwn(value, name) && !['__proto__', 'constructor', 'prototype'].includes(name) && take(cursor, ':'));
    value[name] = readValue(cursor, depth);
  } while (take(cursor, ','));
  must(take(cursor, '}'));
  return value;
}

function readList(cursor: Cursor, depth: number): unknown {
  must(depth <= 64);
  const items: unknown[] = [];
  take(cursor, '[');
  if (take(cursor, ']')) return items;
  do items.push(readValue(cursor, depth));
  while (take(cursor, ','));
  must(take(cursor, ']'));
  return items;
}

const escapes: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function readText(cursor: Cursor): string {
  must(cursor.chars[cursor.at] === '"');
  cursor.at += 1;
  let text = '';
  for (;;) {
    const char = cursor.chars[cursor.at] ?? '';
    must(char >= ' ');
    cursor.at += 1;
    if (char === '"') break;
    if (char !== '\\') text += char;
    else text += readEscape(cursor);
  }
  must(text.isWellFormed());
  return text;
}

function readEscape(cursor: Cursor): string {
  const mark = cursor.chars[cursor.at] ?? '';
  cursor.at += 1;
  if (mark !== 'u') {
    must(Object.hasOwn(escapes, mark));
    return escapes[mark] ?? '';
  }
  const four = cursor.chars.slice(cursor.at, cursor.at + 4);
  must(four.length === 4 && Array.from(four.toLowerCase()).every((char) => '0123456789abcdef'.includes(char)));
  cursor.at += 4;
  return String.fromCharCode(Number(`0x${four}`));
}

function readNumber(cursor: Cursor): number {
  const start = cursor.at;
  const digits = (): void => {
    const from = cursor.at;
    while ('0123456789'.includes(cursor.chars[cursor.at] ?? 'x')) cursor.at += 1;
    must(cursor.at > from);
  };
  const next = (marks: string): boolean => {
    if (!marks.includes(cursor.chars[cursor.at] ?? ' ')) return false;
    cursor.at += 1;
    return true;
  };
  next('-');
  if (!next('0')) digits();
  if (next('.')) digits();
  if (next('eE')) {
    next('+-');
    digits();
  }
  return Number(cursor.chars.slice(start, cursor.at));
}
