/**
 * Classifies a request before any route sees it: a navigation of a browser or not, and its path in raw form.
 * Source: rules 3.2 ("only a navigation triggers this").
 */
import type { IncomingMessage } from 'node:http';

const frameDestinations = new Set(['document', 'iframe', 'frame']);

/** A browser opens a page. Clients without Fetch Metadata count when they ask for HTML first. */
export function isNavigation(req: IncomingMessage): boolean {
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  const mode = req.headers['sec-fetch-mode'];
  if (mode !== undefined) {
    const destination = req.headers['sec-fetch-dest'];
    return mode === 'navigate' && (typeof destination !== 'string' || frameDestinations.has(destination));
  }
  return /^\s*text\/html\b/i.test(req.headers.accept ?? '');
}

/** A browser that preloads a page must not use up a one-time link. */
export function isPrefetch(req: IncomingMessage): boolean {
  return /\b(prefetch|preview)\b/i.test(`${String(req.headers['sec-purpose'] ?? '')} ${String(req.headers['purpose'] ?? '')}`);
}

/** Path without query, as sent. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

export function queryOf(url: string): URLSearchParams {
  const query = url.indexOf('?');
  return new URLSearchParams(query === -1 ? '' : url.slice(query + 1));
}

/**
 * A path that stays on the origin it is redirected on: one slash first, then neither slash nor backslash (browsers read
 * `/\evil` as `//evil`), no control characters, no raw non-ASCII, no fragment, at most 2,048 characters.
 */
export function cleanLocalPath(text: string): string | null {
  if (text.length > 2_048 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\') || text.includes('#')) return null;
  return text;
}
