/**
 * Paths of a person's files as text. Names on Linux are bytes: what is UTF-8 is written as it is, but `%`, which is `%25`; each byte that is part
 * of no UTF-8 is `%` and two digits. So every path has one text, and its bytes come back as they were.
 * Decision: docs/decisions/0219-files-of-a-person.md
 */
import { limits } from '../limits.ts';
import { unplainSource } from '../plain-line.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const hex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

function strictText(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** The exact form. */
export function pathText(bytes: Uint8Array): string {
  const whole = strictText(bytes);
  if (whole !== null) return whole.includes('%') ? whole.replaceAll('%', '%25') : whole;
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((each) => at + each <= bytes.length && strictText(bytes.subarray(at, at + each)) !== null);
    if (length === undefined) text += hex(bytes[at] ?? 0);
    else text += strict.decode(bytes.subarray(at, at + length)).replace('%', '%25');
    at += length ?? 1;
  }
  return text;
}

/** The letters of a name; what is no UTF-8 is U+FFFD. */
export function nameText(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

/**
 * A file name as shown to people; it can't be turned back into the name. Characters that reverse the text, are invisible or control something become
 * U+FFFD, too: `nota\u202egpj.exe` is no picture.
 */
export function shownName(bytes: Uint8Array): string {
  return nameText(bytes).replaceAll(unplainCharacter, '\ufffd');
}

const unplainCharacter = new RegExp(unplainSource, 'gu');

/** Null: no exact form of anything. Any byte may be written as `%` and two digits. */
export function textBytes(text: string): Uint8Array | null {
  if (!text.isWellFormed()) return null;
  const bytes = new TextEncoder().encode(text);
  if (!text.includes('%')) return bytes;
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x25) out[length] = byte;
    else {
      const digits = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
      if (!/^[0-9a-fA-F]{2}$/.test(digits)) return null;
      out[length] = Number.parseInt(digits, 16);
      at += 2;
    }
    length += 1;
  }
  return out.slice(0, length);
}

/** Bytes of an absolute path without empty names, `.` and `..`, and no longer than the kernel takes; else null. `/` is one. */
export function pathBytes(text: string): Uint8Array | null {
  const bytes = textBytes(text);
  if (bytes === null || bytes[0] !== 0x2f || bytes.length > limits.filePathBytesMax) return null;
  if (bytes.length === 1) return bytes;
  return splitPath(bytes).every(isFileName) ? bytes : null;
}

/** Whether it would be a path, were it shorter, or were a name in it. */
export function isTooLong(text: string): boolean {
  const bytes = textBytes(text);
  if (bytes === null || bytes[0] !== 0x2f) return false;
  return bytes.length > limits.filePathBytesMax || splitPath(bytes).some(({ length }) => length > limits.fileNameBytesMax);
}

/** Bytes of one name; null when no file can have it. */
export function nameBytes(text: string): Uint8Array | null {
  const bytes = textBytes(text);
  return bytes !== null && isFileName(bytes) && !bytes.includes(0x2f) ? bytes : null;
}

function splitPath(path: Uint8Array): readonly Uint8Array[] {
  const names: Uint8Array[] = [];
  for (let at = 1; at <= path.length;) {
    const next = path.indexOf(0x2f, at);
    const end = next === -1 ? path.length : next;
    names.push(path.subarray(at, end));
    at = end + 1;
  }
  return names;
}

function isFileName(name: Uint8Array): boolean {
  if (name.length === 0 || name.length > limits.fileNameBytesMax || name.includes(0)) return false;
  return !(name[0] === 0x2e && (name.length === 1 || (name.length === 2 && name[1] === 0x2e)));
}
