/**
 * The rule for paths that are appended to the `rota` of a provider (rules 2.1 `capacidades`: "a bridge request reaches only what lies under it"). It
 * is passed on byte for byte, as every path of the proxy; a provider that decodes it, once or more often, must not find a way out of its `rota`
 * either.
 * Decision: docs/decisions/0200-capability-calls.md
 */
import { pathFault } from '../proxy/proxy.ts';
import { limits } from './limits.ts';

/** Nothing in it that has a second reading. */
const ordinary = /^(?:\/[\w~-][\w.~-]*)+(?:\?[\x21\x22\x24-\x7e]*)?$/;
const escape = /%[0-9a-f]{2}/i;
const escapes = /(?:%[0-9a-f]{2})+/gi;
const dots = /^\.{1,2}(?:;|$)/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Null for a path that may follow a `rota`, otherwise what is wrong with it. It begins with '/' and may have a query. */
export function callPathFault(path: string): string | null {
  if (ordinary.test(path)) return null;
  const fault = pathFault(path);
  if (fault !== null) return fault;
  let plain = path.split('?', 1)[0] ?? '';
  if (/%(?![0-9a-f]{2})/i.test(plain)) return 'the path holds a % that begins no escape';
  const parts = plain.split('/').length;
  for (let decodings = 0; decodings <= limits.capabilityPathDecodingsMax; decodings += 1) {
    const seen = readingFault(plain, parts);
    if (seen !== null) return seen;
    // A % that is left over is text.
    if (!escape.test(plain)) return null;
    try {
      plain = plain.replaceAll(escapes, (run) => utf8.decode(Buffer.from(run.replaceAll('%', ''), 'hex')));
    } catch {
      return 'the path holds escapes that are not UTF-8';
    }
  }
  return 'the path is encoded over and over';
}

/** The fault of one reading of the path, which must have the parts of the first. */
function readingFault(plain: string, parts: number): string | null {
  // Some programs take a full-width dot or slash for a plain one.
  const text = plain.normalize('NFKC');
  if (/[\\\p{Cc}]/u.test(text)) return 'the path holds a backslash or a control character, encoded or not';
  const segments = text.split('/');
  if (segments.length !== parts) return 'the path holds an encoded slash';
  if (segments.some((segment) => dots.test(segment))) return 'the path holds a dot segment, encoded or not';
  if (segments.slice(1, -1).includes('')) return 'the path holds an empty segment';
  return null;
}
