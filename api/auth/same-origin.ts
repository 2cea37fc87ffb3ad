/**
 * Only the shell's own pages may call the shell's API. App origins are same-site, so the cookie alone proves nothing; the origin that the browser
 * states does.
 */
import type { IncomingMessage } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isSafeMethod(method: string | undefined): boolean {
  return safeMethods.has(method ?? '');
}

/** A call that changes something must say that it comes from this very origin: by `Origin`, else by `Sec-Fetch-Site`. */
export function mayChange(req: IncomingMessage, origin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const claimed = req.headers.origin;
  return claimed === undefined ? site === 'same-origin' : claimed === origin;
}

/** A call that reads: refused when the browser says that another origin makes it. */
export function mayRead(req: IncomingMessage, origin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return req.headers.origin === undefined || req.headers.origin === origin;
}

/** A WebSocket handshake is a GET that browsers let any page make: `Origin` must be there and on the list. */
export function mayUpgrade(req: IncomingMessage, allowed: readonly string[]): boolean {
  const claimed = req.headers.origin;
  return claimed !== undefined && allowed.includes(claimed);
}
