/**
 * Header blocks and extension headers of the tars that people bring: Unix V7, ustar, GNU, pax. Names are bytes, as they stand there. Read leniently where
 * writers differ, and never by two meanings: a form whose content is not the bytes of the file is refused. Costs as much as the bytes are many.
 */
import { refuse } from './rules.ts';
import { blockBytes } from './tar-frames.ts';

export type AnyKind = 'file' | 'folder' | 'link' | 'same' | 'other';
/** `x`: for the next entry, `g`: for all that follow; `L` and `K`: GNU's long name and link target of the next one. */
export type Extension = 'x' | 'g' | 'L' | 'K';

export interface AnyHeader {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly kind: AnyKind | Extension;
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedMs: number;
}

/** Keys of a pax header that count here; what is undefined was not said. */
export interface AnyPax {
  readonly path?: Buffer;
  readonly linkpath?: Buffer;
  readonly bytes?: number;
  readonly modifiedMs?: number;
}

const kinds: ReadonlyMap<string, AnyHeader['kind']> = new Map([
  ['0', 'file'],
  ['\0', 'file'],
  ['7', 'file'],
  ['1', 'same'],
  ['2', 'link'],
  ['3', 'other'],
  ['4', 'other'],
  ['5', 'folder'],
  ['6', 'other'],
  ['x', 'x'],
  ['g', 'g'],
  ['L', 'L'],
  ['K', 'K'],
]);

/** Beyond that a Date is none. */
const timeMsMax = 8.64e15;
const inTime = (ms: number): number => Math.max(-timeMsMax, Math.min(timeMsMax, ms));

export function readAnyHeader(block: Buffer): AnyHeader {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += block[at] as number;
  if (numberIn(block, 148, 156) !== sum) refuse('CHECKSUM', 'a header with a wrong checksum');
  const short = textIn(block, 0, 100);
  // GNU writers keep other things where ustar has the prefix.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textIn(block, 345, 500) : short.subarray(0, 0);
  const name = prefix.length === 0 ? short : Buffer.concat([prefix, Buffer.from('/'), short]);
  const kind = kinds.get(String.fromCharCode(block[156] as number));
  if (kind === undefined) refuse('TYPE', 'an entry of a form that only its own tar reads', name.toString('latin1'));
  const bytes = numberIn(block, 124, 136);
  if (bytes === null || bytes < 0) refuse('NUMBER', 'a size that is none', name.toString('latin1'));
  return {
    name,
    target: textIn(block, 157, 257),
    kind,
    // Writers put the size of the file, or of the folder, there, and no bytes behind it.
    bytes: kind === 'same' || kind === 'folder' ? 0 : bytes,
    mode: numberIn(block, 100, 108) ?? 0o666,
    modifiedMs: inTime((numberIn(block, 136, 148) ?? 0) * 1_000),
  };
}

/** Up to the first NUL. A copy: the block may be used again. */
function textIn(block: Buffer, from: number, to: number): Buffer {
  const end = block.indexOf(0, from);
  return Buffer.from(block.subarray(from, end === -1 ? to : Math.min(end, to)));
}

/** Octal digits, or GNU's base 256, where the first bit is set; null: neither, or beyond 2^53. */
function numberIn(block: Buffer, from: number, to: number): number | null {
  const field = block.subarray(from, to);
  if (((field[0] as number) & 0x80) === 0) {
    const digits = /^[ \0]*([0-7]*)(?:[ \0]|$)/.exec(field.toString('latin1'))?.[1];
    return digits === undefined ? null : digits === '' ? 0 : Number.parseInt(digits, 8);
  }
  const value = Number(BigInt.asIntN(8 * field.length - 1, BigInt(`0x${field.toString('hex')}`)));
  return Number.isSafeInteger(value) ? value : null;
}

/** Their bytes are not those of the file: holes are left out (GNU, star, Solaris), or the rest is in another archive. */
const otherBytes = /^(?:GNU\.sparse\.|GNU\.volume\.(?!label)|SCHILY\.realsize$|SUN\.holesdata$)/;
/** Seconds, with a fraction, also before 1970. */
const paxSeconds = /^-?\d{1,15}(?:\.\d{0,20})?$/;
const keyBytesMax = 64;

/** Records `LENGTH KEY=VALUE\n`. An empty value takes back what was said. */
export function readAnyPax(bytes: Buffer): AnyPax {
  const said: { -readonly [Key in keyof AnyPax]: AnyPax[Key] } = {};
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 || space - at > 7 ? '' : bytes.toString('latin1', at, space);
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, space);
    if (!/^[1-9]\d*$/.test(digits) || end > bytes.length || bytes[end - 1] !== 0x0a || equals === -1 || equals >= end)
      refuse('PAX', 'a pax record of another form');
    const key = bytes.toString('latin1', space + 1, Math.min(equals, space + 1 + keyBytesMax));
    takeKey(said, key, bytes.subarray(equals + 1, end - 1));
    at = end;
  }
  return said;
}

function takeKey(said: { -readonly [Key in keyof AnyPax]: AnyPax[Key] }, key: string, value: Buffer): void {
  if (otherBytes.test(key)) refuse('SPARSE', 'a sparse file, or one that goes on in another archive');
  if (key === 'path' || key === 'linkpath') {
    if (value.length === 0) delete said[key];
    else said[key] = value;
  } else if (key === 'size') {
    const size = /^\d{1,16}$/.test(value.toString('latin1', 0, 17)) ? Number(value.toString('latin1')) : Number.NaN;
    if (!Number.isSafeInteger(size)) refuse('NUMBER', 'a size that is none');
    said.bytes = size;
  } else if (key === 'mtime') {
    const text = value.toString('latin1', 0, 40);
    if (paxSeconds.test(text)) said.modifiedMs = inTime(Math.floor(Number(text) * 1_000));
  }
}
