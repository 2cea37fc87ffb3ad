/**
 * Which paths reach a backend. The proxy never decodes, joins or normalises a path: what is accepted goes on byte for byte, so there is no second
 * reading that could lead elsewhere. Paths that a reader could take for a step upwards are refused.
 * Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */

/** Visible ASCII without '#' and, before the '?', without '\' (browsers send '/' for it). */
const pathShape = /^\/[\x21\x22\x24-\x3e\x40-\x5b\x5d-\x7e]*$/;
const queryShape = /^\?[\x21\x22\x24-\x7e]*$/;
const encodedControl = /%(?:[01][0-9a-f]|7f)/i;
/** '/' and '\' also in their encoded forms: some backends decode before they split. */
const anySeparator = /\/|%2f|%5c/i;
/** '.' or '..', also encoded, also with a path parameter as in `..;x`. */
const dotSegment = /^(?:\.|%2e){1,2}(?:;|%3b|$)/i;

/** Null for a path that may go to a backend, otherwise what is wrong with it. */
export function pathFault(path: string): string | null {
  const query = path.indexOf('?');
  const plain = query === -1 ? path : path.slice(0, query);
  if (!pathShape.test(plain)) return 'the path holds something other than visible ASCII, or a backslash or fragment';
  if (query !== -1 && !queryShape.test(path.slice(query))) return 'the query holds something other than visible ASCII, or a fragment';
  const percent = plain.includes('%');
  if (!percent && !plain.includes('/.')) return null;
  if (percent && encodedControl.test(plain)) return 'the path holds an encoded control character';
  for (const segment of plain.split(anySeparator)) {
    if (dotSegment.test(segment)) return `the path holds the dot segment ${segment}`;
  }
  return null;
}
