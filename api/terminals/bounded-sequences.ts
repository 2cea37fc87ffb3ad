/**
 * Control sequences with parameters that fit on a screen. An emulator does what a sequence says as often as it says, and a few bytes may say
 * 2,147,483,647: numbers are cut here, for the emulator of the portal and those of the pages. Everything else goes through as it came.
 * States and transitions: https://vt100.net/emu/dec_ansi_parser, with C1 controls as UTF-8.
 */
import type { TerminalSize } from '../../schema/terminals.ts';
import { limits } from './limits.ts';

/** Answers what may be printed, in pieces that an emulator draws in a few milliseconds each. An unfinished sequence is kept for the next call. */
export type BoundedSequences = (bytes: Uint8Array) => readonly Uint8Array[];

const escape = 0x1b;
/** The first byte of a C1 control in UTF-8. */
const c1 = 0xc2;
const csiOfC1 = 0x9b;

const numberMax = 65_535;

/** Final characters, with the intermediate ones before them. An emulator repeats them so often, or moves so many cells of a line. */
const columnsOf = new Set(['b', 'I', 'Z', '@', 'P', 'X']);
/** It moves so many lines. */
const rowsOf = new Set(['L', 'M', 'S', 'T', '^']);
/** It moves so many cells of each line. */
const cellsOf = new Set([' @', ' A', "'}", "'~"]);
/** The whole screen may be drawn anew. */
const screenOf = new Set(['J', 'h', 'l', '!p']);

export function boundSequences(size: () => TerminalSize): BoundedSequences {
  const reader = new SequenceReader(size);
  return (bytes) => reader.read(bytes);
}

/** By its final character: 1 for a sequence that costs an emulator the same whatever its numbers are. */
const plainFinals = Uint8Array.from({ length: 0x80 }, (_, byte) => {
  const name = String.fromCharCode(byte);
  return byte >= 0x40 && byte < 0x7f && ![columnsOf, rowsOf, screenOf].some((names) => names.has(name)) ? 1 : 0;
});
const plainDigitsMax = 4;
const plainBytesMax = 64;

/** Returns the end of a whole sequence of small numbers, `;` and `:`, at whose `ESC` `at` stands; -1 for anything else. */
function plainSequenceEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== 0x5b) return -1;
  const most = Math.min(bytes.length, at + plainBytesMax);
  let digits = 0;
  for (let next = at + 2; next < most; next += 1) {
    const byte = bytes[next]!;
    if (byte > 0x3b) return plainFinals[byte] === 1 ? next + 1 : -1;
    digits = byte >= 0x3a ? 0 : digits + 1;
    if (byte < 0x30 || digits > plainDigitsMax) return -1;
  }
  return -1;
}

type State = 'text' | 'escape' | 'c1' | 'sequence';

class SequenceReader {
  readonly #size: () => TerminalSize;
  #state: State = 'text';
  /** The text between `CSI` and the final character, with its numbers cut; null when it is too long and none of it is printed. */
  #held: string | null = '';
  /** A number that goes on; -1: none. */
  #number = -1;
  #out = createOutput(0);
  /** Bytes of text since the last one of ASCII: as many may belong to the character that is repeated. */
  #tail = 0;

  constructor(size: () => TerminalSize) {
    this.#size = size;
  }

  read(bytes: Uint8Array): readonly Uint8Array[] {
    if (this.#state === 'text' && !bytes.includes(escape) && !bytes.includes(c1)) {
      this.#follow(bytes);
      return [...cut(bytes)];
    }
    this.#out = createOutput(bytes.length);
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'text') at = this.#plain(bytes, at);
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      if (this.#state === 'sequence') this.#inSequence(byte);
      else if (this.#state === 'escape') this.#afterEscape(byte);
      else if (this.#state === 'c1') this.#afterC1(byte);
      else this.#inText(byte);
    }
    return this.#out.pieces();
  }

  /** Takes text and sequences that go through as they are, for most programs print nothing else. Returns where something else begins. */
  #plain(bytes: Uint8Array, begin: number): number {
    let from = begin;
    let at = begin;
    let sequences = 0;
    while (at < bytes.length) {
      const end = bytes[at] === escape ? plainSequenceEnd(bytes, at) : at + 1;
      if (end === -1 || bytes[at] === c1) break;
      if (end > at + 1) sequences += 1;
      at = end;
      if (at - from + sequences * limits.terminalSequenceWork < limits.terminalPieceWorkMax) continue;
      this.#out.run(bytes.subarray(from, at), sequences * limits.terminalSequenceWork);
      from = at;
      sequences = 0;
    }
    if (at > from) this.#out.run(bytes.subarray(from, at), sequences * limits.terminalSequenceWork);
    this.#follow(bytes.subarray(begin, at));
    return at;
  }

  #follow(text: Uint8Array): void {
    let at = text.length;
    while (at > 0 && text[at - 1]! >= 0x80) at -= 1;
    this.#tail = at === 0 ? this.#tail + text.length : text.length - at;
  }

  #inText(byte: number): void {
    if (byte === escape) this.#state = 'escape';
    else if (byte === c1) this.#state = 'c1';
    else {
      this.#tail = byte < 0x80 ? 0 : this.#tail + 1;
      this.#out.byte(byte);
    }
  }

  #afterC1(byte: number): void {
    if (byte === csiOfC1) return this.#begin();
    this.#state = 'text';
    this.#tail += 1;
    this.#out.byte(c1);
    this.#inText(byte);
  }

  #afterEscape(byte: number): void {
    if (byte === 0x5b) this.#begin();
    // They don't end it either.
    else if (byte < 0x20 && byte !== escape && !isCancel(byte)) this.#out.byte(byte);
    else if (byte !== 0x7f) {
      this.#state = 'text';
      this.#out.byte(escape);
      this.#inText(byte);
      if (byte < 0x80) this.#out.worked(workOfEscape(byte, this.#size()));
    }
  }

  #begin(): void {
    this.#state = 'sequence';
    this.#held = '';
    this.#number = -1;
  }

  #inSequence(byte: number): void {
    if (byte >= 0x30 && byte <= 0x39) this.#number = Math.min(Math.max(this.#number, 0) * 10 + byte - 0x30, numberMax);
    else if (byte >= 0x40 && byte < 0x7f) this.#finish(String.fromCharCode(byte));
    else if (byte >= 0x20 && byte < 0x40) {
      this.#endNumber();
      this.#keep(String.fromCharCode(byte));
    } else if (byte === escape) this.#state = 'escape';
    else if (isCancel(byte) || byte > 0x7f) {
      this.#endNumber();
      this.#state = 'text';
      // An emulator draws nothing for what ends it either.
      this.#out.text(`\u001B[${this.#held ?? ''}`);
      this.#inText(byte);
    }
    // Other controls are carried out in the middle of a sequence.
    else if (byte !== 0x7f) this.#out.byte(byte);
  }

  #endNumber(): void {
    if (this.#number >= 0) this.#keep(String(this.#number));
    this.#number = -1;
  }

  #keep(text: string): void {
    if (this.#held !== null) this.#held = this.#held.length + text.length > limits.terminalSequenceCharsMax ? null : this.#held + text;
  }

  #finish(final: string): void {
    this.#endNumber();
    this.#state = 'text';
    const tail = this.#tail;
    this.#tail = 0;
    if (this.#held === null) return;
    const { columns, rows } = this.#size();
    // A character with marks on it is repeated with all of them.
    const most = final === 'b' && tail > 0 ? Math.min(columns, Math.floor(limits.terminalRepeatedBytesMax / tail)) : columns;
    if (most === 0) return;
    const { text, work } = bounded(this.#held, final, { columns: most, rows });
    this.#out.text(`\u001B[${text}${final}`);
    this.#out.worked(final === 'b' ? work + most * tail : work);
  }
}

/** CAN and SUB. */
const isCancel = (byte: number): boolean => byte === 0x18 || byte === 0x1a;

/** `work`: what an emulator does for it, in characters of text that take it as long. */
function bounded(held: string, final: string, { columns, rows }: TerminalSize): { readonly text: string; readonly work: number } {
  const name = `${intermediatesOf(held)}${final}`;
  const isOfRows = rowsOf.has(name);
  const isOfCells = cellsOf.has(name);
  if (!isOfRows && !isOfCells && !columnsOf.has(name)) {
    return { text: held, work: screenOf.has(name) ? columns * rows * limits.terminalCellWork : limits.terminalSequenceWork };
  }
  const most = isOfRows ? rows : columns;
  const text = held.replaceAll(/\d+/g, (digits) => String(Math.min(Number(digits), most)));
  if (isOfRows) return { text, work: (Number.parseInt(text, 10) || 1) * limits.terminalRowWork };
  return { text, work: isOfCells ? columns * rows * limits.terminalCellWork * 4 : columns / 4 };
}

/** Characters from the space to `/` stand between the numbers and the final one. */
function intermediatesOf(held: string): string {
  let at = held.length;
  while (at > 0 && held[at - 1]! <= '/') at -= 1;
  return held.slice(at);
}

/** `ESC c` begins anew, `ESC # 8` fills the screen, `ESC M` and `ESC D` move it. */
function workOfEscape(byte: number, { columns, rows }: TerminalSize): number {
  const character = String.fromCharCode(byte);
  if (character === 'c' || character === '#') return columns * rows * limits.terminalCellWork;
  return 'DEM'.includes(character) ? limits.terminalRowWork : limits.terminalSequenceWork;
}

function* cut(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += limits.terminalPieceWorkMax) yield bytes.subarray(at, at + limits.terminalPieceWorkMax);
}

function createOutput(expected: number) {
  // A sequence that began earlier comes on top.
  let buffer = Buffer.allocUnsafe(expected + limits.terminalSequenceCharsMax * 2);
  let length = 0;
  let begun = 0;
  let work = 0;
  const ends: number[] = [];
  const fit = (more: number): void => {
    if (length + more > buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length + more)]);
  };
  const worked = (more: number): void => {
    work += more;
    if (work < limits.terminalPieceWorkMax || length === begun) return;
    ends.push(length);
    begun = length;
    work = 0;
  };
  return {
    byte: (byte: number): void => {
      fit(1);
      buffer[length] = byte;
      length += 1;
      worked(1);
    },
    /** `more`: work beyond one unit a byte. */
    run: (bytes: Uint8Array, more: number): void => {
      fit(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
      worked(bytes.length + more);
    },
    text: (text: string): void => {
      fit(text.length);
      length += buffer.write(text, length, 'latin1');
    },
    worked,
    pieces: (): readonly Uint8Array[] => {
      if (length > begun) ends.push(length);
      return ends.map((end, at) => buffer.subarray(ends[at - 1] ?? 0, end));
    },
  };
}
