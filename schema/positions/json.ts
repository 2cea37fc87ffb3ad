/**
 * Strict JSON (RFC 8259) with places. JSON.parse decides what is JSON; this scanner adds the place of each key and value, duplicate keys,
 * and where exactly the syntax breaks. It does not recurse.
 */
import type { Problem } from '../findings.ts';
import { limits } from '../limits.ts';
import { type SourceDocument, type SourceEntry, type SourceNode, tooDeep } from './node.ts';

/** Thrown inside this file only: the first place where the text stops being JSON. */
class Broken extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function readJson(text: string): SourceDocument {
  try {
    const node = scanJson(text);
    JSON.parse(text);
    return { node, problems: [] };
  } catch (error) {
    if (error instanceof Broken) return { node: null, problems: [error.problem] };
    const message = error instanceof Error ? error.message : String(error);
    return { node: null, problems: [{ code: 'SYNTAX', path: '', span: { start: 0, end: 0 }, message }] };
  }
}

type OpenMap = { readonly type: 'map'; readonly start: number; readonly entries: SourceEntry[] };
type OpenList = { readonly type: 'list'; readonly start: number; readonly items: SourceNode[] };

// oxlint-disable-next-line no-control-regex
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const plainToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/** The places of a text that is JSON; throws at one that is not. */
export function scanJson(text: string): SourceNode {
  const cursor = { text, at: 0 };
  const open: (OpenMap | OpenList)[] = [];
  const keys: { key: string; keySpan: { start: number; end: number } }[] = [];
  for (;;) {
    let node = value(cursor, open);
    if (!node) {
      // An object or a list was opened and is not empty.
      if (open.length > limits.documentDepthMax) throw new Broken(tooDeep({ start: cursor.at - 1, end: cursor.at }));
      if (open.at(-1)?.type === 'map') keys.push(readKey(cursor));
      continue;
    }
    // Close every container that ends here, then go on with the next member.
    for (;;) {
      const parent = open.at(-1);
      if (!parent) {
        skip(cursor);
        if (cursor.at < text.length) broken(cursor, 'expected the end of the file');
        return node;
      }
      if (parent.type === 'map') {
        const key = keys.pop();
        if (key) parent.entries.push({ ...key, node });
      } else parent.items.push(node);
      skip(cursor);
      const mark = text[cursor.at];
      if (mark === ',') {
        cursor.at += 1;
        if (parent.type === 'map') keys.push(readKey(cursor));
        break;
      }
      if (mark !== (parent.type === 'map' ? '}' : ']')) broken(cursor, `expected "," or "${parent.type === 'map' ? '}' : ']'}"`);
      cursor.at += 1;
      open.pop();
      node = { ...parent, end: cursor.at };
    }
  }
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** A scalar or an empty container; null when a container was opened. */
function value(cursor: Cursor, open: (OpenMap | OpenList)[]): SourceNode | null {
  skip(cursor);
  const { text, at: start } = cursor;
  const first = text[start];
  if (first === '{' || first === '[') {
    cursor.at += 1;
    skip(cursor);
    if (text[cursor.at] === (first === '{' ? '}' : ']')) {
      cursor.at += 1;
      return first === '{' ? { type: 'map', start, end: cursor.at, entries: [] } : { type: 'list', start, end: cursor.at, items: [] };
    }
    open.push(first === '{' ? { type: 'map', start, entries: [] } : { type: 'list', start, items: [] });
    return null;
  }
  if (first === '"') {
    const string = token(cursor, stringToken);
    if (string === null) brokenString(cursor);
    return { type: 'scalar', start, end: cursor.at, value: decodeString(string ?? '') };
  }
  const plain = token(cursor, plainToken);
  if (plain === null) broken(cursor, 'expected a value');
  return { type: 'scalar', start, end: cursor.at, value: JSON.parse(plain ?? 'null') as number | boolean | null };
}

function readKey(cursor: Cursor): { key: string; keySpan: { start: number; end: number } } {
  skip(cursor);
  const start = cursor.at;
  const string = token(cursor, stringToken);
  if (string === null) {
    if (cursor.text[start] === '"') brokenString(cursor);
    broken(cursor, cursor.text[start] === '}' ? 'expected a field after ",", not' : 'expected a field name in double quotes');
  }
  const end = cursor.at;
  skip(cursor);
  if (cursor.text[cursor.at] !== ':') broken(cursor, 'expected ":" after the field name');
  cursor.at += 1;
  return { key: decodeString(string ?? ''), keySpan: { start, end } };
}

function decodeString(source: string): string {
  return source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);
}

function skip(cursor: Cursor): void {
  // Space, tab, line feed, carriage return; without a regular expression, since it runs around every token.
  for (let code = cursor.text.charCodeAt(cursor.at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;)
    code = cursor.text.charCodeAt((cursor.at += 1));
}

function token(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text);
  if (!found) return null;
  cursor.at = pattern.lastIndex;
  return found[0];
}

function broken(cursor: Cursor, expected: string): never {
  const { text, at } = cursor;
  const found = text[at];
  const hint = found === '/' ? '; JSON has no comments' : found === "'" ? '; JSON uses double quotes' : '';
  const message = `${expected}, found ${found === undefined ? 'the end of the file' : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}${hint}`;
  throw new Broken({ code: 'SYNTAX', path: '', span: { start: at, end: at + 1 }, message: message.replace(', not, found', ', found') });
}

/** A string that does not end, or an escape or a control character that JSON does not know. */
function brokenString(cursor: Cursor): never {
  const { text, at: start } = cursor;
  // oxlint-disable-next-line no-control-regex
  const good = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
  good.lastIndex = start;
  good.exec(text);
  const at = good.lastIndex;
  const found = text[at];
  const message =
    found === undefined || found === '\n' || found === '\r'
      ? 'expected a closing double quote before the end of the line'
      : found === '\\'
        ? `expected an escape of JSON, found ${JSON.stringify(text.slice(at, at + 2))}`
        : 'a control character in a string must be written as an escape';
  throw new Broken({ code: 'SYNTAX', path: '', span: { start: at, end: at + 1 }, message });
}
