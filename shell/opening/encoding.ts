/**
 * Bytes of a file as text, and back: what was not changed comes back byte by byte. Pure. Decision: docs/decisions/0217-the-text-editor.md
 */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];
/** `mixed`: several are in it; each line keeps its own. */
export type LineEnd = '\n' | '\r\n' | '\r' | 'mixed';

export interface TextFormat {
  readonly encoding: Encoding;
  /** It begins with a byte order mark. */
  readonly mark: boolean;
  readonly lineEnd: LineEnd;
}

export interface Decoded {
  /** Line ends are `\n`; mixed ones are as they were. */
  readonly text: string;
  readonly format: TextFormat;
  /** Some bytes are no text in this encoding: written back they would be others. */
  readonly isLossy: boolean;
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const markOf = (encoding: Encoding): readonly number[] => marks.find(([name]) => name === encoding)?.[1] ?? [];
const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean => mark.every((byte, at) => bytes[at] === byte);
/** Is looked at to tell text from other bytes. */
const headBytes = 64 * 1_024;

/** Null: no text that we know. */
export function detect(bytes: Uint8Array): { readonly encoding: Encoding; readonly mark: boolean } | null {
  for (const [encoding, mark] of marks) if (startsWith(bytes, mark)) return { encoding, mark: true };
  const head = bytes.subarray(0, headBytes);
  const wide = wideWithoutMark(head);
  if (wide !== null && bytes.length % 2 === 0) return { encoding: wide, mark: false };
  if (bytes.includes(0)) return null;
  if (strictly(bytes, 'utf-8') !== null) return controls(head) > head.length / 20 ? null : { encoding: 'utf-8', mark: false };
  return controls(head) > 0 ? null : { encoding: 'windows-1252', mark: false };
}

/** In western texts every second byte of UTF-16 is zero. */
function wideWithoutMark(head: Uint8Array): Encoding | null {
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length * 0.35 && even === 0) return 'utf-16le';
  return even > head.length * 0.35 && odd === 0 ? 'utf-16be' : null;
}

/** Bytes that are in no text: all below a space but tab, line ends, form feed and escape. */
function controls(head: Uint8Array): number {
  let count = 0;
  for (const byte of head) if ((byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte)) || byte === 0x7f) count += 1;
  return count;
}

function strictly(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function decode(bytes: Uint8Array, { encoding, mark }: Pick<TextFormat, 'encoding' | 'mark'>): Decoded {
  const body = mark ? bytes.subarray(markOf(encoding).length) : bytes;
  const strict = strictly(body, encoding);
  const raw = strict ?? new TextDecoder(encoding, { ignoreBOM: true }).decode(body);
  const lineEnd = lineEndOf(raw);
  const text = lineEnd === '\r\n' || lineEnd === '\r' ? raw.replaceAll(lineEnd, '\n') : raw;
  return { text, format: { encoding, mark, lineEnd }, isLossy: strict === null };
}

function lineEndOf(text: string): LineEnd {
  const found = new Set<string>();
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) {
    found.add(end);
    if (found.size > 1) return 'mixed';
  }
  return ([...found][0] ?? '\n') as LineEnd;
}

/** Null: a character is in the text that the encoding does not have. */
export function encode(text: string, { encoding, mark, lineEnd }: TextFormat): Uint8Array<ArrayBuffer> | null {
  const whole = lineEnd === '\r\n' || lineEnd === '\r' ? text.replaceAll('\n', lineEnd) : text;
  const body = encoders[encoding](whole);
  if (body === null || !mark) return body;
  const first = markOf(encoding);
  const all = new Uint8Array(first.length + body.length);
  all.set(first);
  all.set(body, first.length);
  return all;
}

const encoders: Readonly<Record<Encoding, (text: string) => Uint8Array<ArrayBuffer> | null>> = {
  'utf-8': (text) => (text.isWellFormed() ? new TextEncoder().encode(text) : null),
  'utf-16le': (text) => wide(text, true),
  'utf-16be': (text) => wide(text, false),
  'windows-1252': narrow,
};

function wide(text: string, isLittle: boolean): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
}

let byteOf: ReadonlyMap<string, number> | null = null;

/** Each byte is one character there. */
function narrow(text: string): Uint8Array<ArrayBuffer> | null {
  byteOf ??= new Map(
    Array.from(new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)), (char, byte) => [char, byte]),
  );
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const byte = byteOf.get(text.charAt(at));
    if (byte === undefined) return null;
    bytes[at] = byte;
  }
  return bytes;
}
