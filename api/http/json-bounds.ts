/** Bounds that JSON must keep before it is parsed: depth costs V8 a hundred times its bytes, many small values ten times. */

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

export interface JsonBounds {
  readonly depthMax: number;
  /** Members and elements, of all objects and lists together. */
  readonly valuesMax: number;
}

/** The exceeded bound; null when there is none. `text` is UTF-8, and need not be valid JSON. */
export function excessOf(text: Uint8Array, { depthMax, valuesMax }: JsonBounds): 'depth' | 'values' | null {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text[at]!;
    if (code === quote) at = endOfString(text, at);
    else if (code === comma) values += 1;
    else if (opening.has(code)) [depth, values] = [depth + 1, values + 1];
    else if (closing.has(code)) depth -= 1;
    if (depth > depthMax) return 'depth';
    if (values > valuesMax) return 'values';
  }
  return null;
}

/** Returns the place of the closing quote; the end of the text where there is none. */
function endOfString(text: Uint8Array, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text[at]!;
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
  return text.length;
}
