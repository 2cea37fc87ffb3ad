/**
 * JSON in order as a plain value, without places: a fraction of what the scanner (json.ts) costs, and nearly every file is in order. Other files,
 * and doubtful ones, are left to the scanner, which reports the fault and its place.
 */
import { limits } from '../limits.ts';
import { isForbiddenKey } from './node.ts';

/**
 * The value that `readJson` and `materialize` make of the text, when neither has anything to say about it; else undefined. A field that is
 * twice in an object is seen by counting: the value has fewer strings than the text.
 */
export function plainJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return stringsIn(value, 0) === stringsOf(text) ? value : undefined;
}

/**
 * It may be another key: JSON.parse of Node 24 reads `{"a":1,"\\n":2}` as `{"a":1,"\\\\":2}` once it has read that one, and so every escape where
 * it expects a key that ends in a backslash.
 */
const mayBeAnother = (key: string): boolean => key.endsWith('\\');

/** Keys and texts of a value; NaN where the scanner or `materialize` would find something, or read something else: no text has as many. */
function stringsIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.isWellFormed() ? 1 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === limits.documentDepthMax) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += stringsIn(item, depth + 1);
    return count;
  }
  for (const key of Object.keys(value)) {
    if (isForbiddenKey(key) || !key.isWellFormed() || mayBeAnother(key)) return Number.NaN;
    count += 1 + stringsIn((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }
  return count;
}

/** Counts the strings of a valid JSON text, where each quote is the edge of a string, except behind a backslash. */
function stringsOf(text: string): number {
  let quotes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) quotes += 1;
    else if (code === 0x5c) at += 1;
  }
  return quotes / 2;
}
