/**
 * The YAML that people and programs mostly write, read in one pass: mappings of plain names, lists, words without escapes. Anything else is
 * null, and positions/yaml.ts reads it; a test holds that both find the same. Ten thousand people are read in a tenth of the time.
 * Decision: docs/decisions/0253-what-is-skipped.md
 */

export interface SimpleDocument {
  readonly value: Readonly<Record<string, unknown>>;
  /** Where the value of `metadata.name` begins. */
  readonly nameAt: number;
}

interface Reader {
  readonly text: string;
  at: number;
  /** Fields that lead to where it reads. */
  readonly path: string[];
  nameAt: number;
}

/** Thrown and caught here alone: the text is not simple. */
const notSimple = Symbol('not simple');

const depthMax = 8;
const name = /[A-Za-z][\w-]{0,60}/y;
/** Begins with a letter, so that it is no number, and holds nothing that means something. */
const plain = /\p{L}[\p{L}\p{M}\p{Nd} ._/@()+-]*/uy;
/** The same outside of brackets, where a colon may be in it: addresses, paths. */
const plainOfLine = /\p{L}(?:[\p{L}\p{M}\p{Nd} ._/@()+,&=%-]|:(?=[^\s]))*/uy;
const quoted = /"([^"\\\n\r\t\p{C}]*)"|'([^'\n\r\t\p{C}]*)'/uy;
const spaces = / */y;
const lineEnd = / *(?:\n+|$)/y;
const meansOther = /^(?:null|true|false)$/i;
/** Refused, with a place, by who reads the rest. */
const forbidden: ReadonlySet<string> = new Set(['constructor', 'prototype']);

/** `text`: one document, with its marker. */
export function readSimple(text: string): SimpleDocument | null {
  const reader: Reader = { text, at: text.startsWith('---\n') ? 4 : 0, path: [], nameAt: -1 };
  try {
    const value = mapping(reader, 0);
    return reader.at === text.length && reader.nameAt !== -1 ? { value, nameAt: reader.nameAt } : null;
  } catch (error) {
    if (error === notSimple) return null;
    throw error;
  }
}

function take(reader: Reader, token: RegExp): string | null {
  token.lastIndex = reader.at;
  const found = token.exec(reader.text);
  if (found === null) return null;
  reader.at = token.lastIndex;
  return found[1] ?? found[2] ?? found[0];
}

function need(reader: Reader, token: RegExp): string {
  const found = take(reader, token);
  if (found === null) throw notSimple;
  return found;
}

function skip(reader: Reader, letter: string): boolean {
  if (reader.text[reader.at] !== letter) return false;
  reader.at += 1;
  return true;
}

/** Spaces before the next line's first other letter; -1 at the end. */
function indentation({ text, at }: Reader): number {
  if (at === text.length) return -1;
  spaces.lastIndex = at;
  spaces.exec(text);
  return spaces.lastIndex - at;
}

/** Lines of fields that are so far in. */
function mapping(reader: Reader, indent: number): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  if (reader.path.length > depthMax) throw notSimple;
  while (indentation(reader) === indent) {
    reader.at += indent;
    const field = need(reader, name);
    if (!skip(reader, ':') || forbidden.has(field) || Object.hasOwn(value, field)) throw notSimple;
    reader.path.push(field);
    if (reader.text[reader.at] === ' ' && !atLineEnd(reader)) {
      need(reader, spaces);
      value[field] = inLine(reader, plainOfLine);
      need(reader, lineEnd);
    } else {
      need(reader, lineEnd);
      value[field] = below(reader, indent);
    }
    reader.path.pop();
    // A deeper indent would continue the scalar.
    if (indentation(reader) > indent) throw notSimple;
  }
  return value;
}

function atLineEnd({ text, at }: Reader): boolean {
  lineEnd.lastIndex = at;
  return lineEnd.test(text);
}

/** The value of a field in the lines below it. */
function below(reader: Reader, indent: number): unknown {
  const inner = indentation(reader);
  if (inner >= indent && reader.text.startsWith('- ', reader.at + inner)) return list(reader, inner);
  if (inner <= indent) throw notSimple;
  return mapping(reader, inner);
}

function list(reader: Reader, indent: number): unknown[] {
  const found: unknown[] = [];
  reader.path.push('');
  while (indentation(reader) === indent && reader.text.startsWith('- ', reader.at + indent)) {
    reader.at += indent + 2;
    found.push(inLine(reader, plain));
    need(reader, lineEnd);
  }
  reader.path.pop();
  if (indentation(reader) > indent) throw notSimple;
  return found;
}

/** A value that ends in its line. */
function inLine(reader: Reader, word: RegExp): unknown {
  const { text, at, path } = reader;
  if (text[at] === '{') return fields(reader);
  if (text[at] === '[') return items(reader);
  const isName = path.length === 2 && path[0] === 'metadata' && path[1] === 'name';
  if (isName) reader.nameAt = at;
  const inQuotes = take(reader, quoted);
  if (inQuotes !== null) return inQuotes;
  const found = need(reader, word).trimEnd();
  if (meansOther.test(found)) throw notSimple;
  return found;
}

function fields(reader: Reader): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  if (reader.path.length > depthMax) throw notSimple;
  reader.at += 1;
  need(reader, spaces);
  if (skip(reader, '}')) return value;
  do {
    need(reader, spaces);
    const field = need(reader, name);
    if (!skip(reader, ':') || reader.text[reader.at] !== ' ' || forbidden.has(field) || Object.hasOwn(value, field)) throw notSimple;
    need(reader, spaces);
    reader.path.push(field);
    value[field] = inLine(reader, plain);
    reader.path.pop();
    need(reader, spaces);
  } while (skip(reader, ','));
  if (!skip(reader, '}')) throw notSimple;
  return value;
}

function items(reader: Reader): unknown[] {
  const found: unknown[] = [];
  reader.path.push('');
  if (reader.path.length > depthMax) throw notSimple;
  reader.at += 1;
  need(reader, spaces);
  if (!skip(reader, ']')) {
    do {
      need(reader, spaces);
      found.push(inLine(reader, plain));
      need(reader, spaces);
    } while (skip(reader, ','));
    if (!skip(reader, ']')) throw notSimple;
  }
  reader.path.pop();
  return found;
}
