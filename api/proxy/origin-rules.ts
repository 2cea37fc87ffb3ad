/**
 * Decides which origins may make a person's browser call an app. Apps live on sibling origins (same site), so SameSite cookies alone do not keep one
 * app from calling another: the request says where it comes from, and only the app itself and the shell may.
 * Decision: docs/decisions/0042-who-may-call-an-app.md
 */
import type { RequestHead } from './request-head.ts';

const navigable = new Set(['document', 'iframe', 'frame']);

/** Null when the caller may; otherwise why not. `portalOrigin` is the shell. */
export function callerFault(method: string, head: RequestHead, portalOrigin: string): string | null {
  if (head.upgrade !== '') {
    // A browser always sends Origin with a WebSocket; what sends none is no browser and carries no cookie of a victim.
    return head.origin === '' || mayCall(head.origin, head.host, portalOrigin)
      ? null
      : `origin ${head.origin} may not open a socket to this app`;
  }
  if (head.fetchSite === 'same-origin' || head.fetchSite === 'none') return null;
  if (head.origin !== '' && mayCall(head.origin, head.host, portalOrigin)) return null;
  if (head.fetchSite === '') return head.origin === '' ? null : `origin ${head.origin} may not call this app`;
  const opens = (method === 'GET' || method === 'HEAD') && head.fetchMode === 'navigate' && navigable.has(head.fetchDest);
  return opens ? null : 'a page of another origin may open this app, but not call it';
}

function mayCall(origin: string, host: string, portalOrigin: string): boolean {
  if (origin === portalOrigin) return true;
  const scheme = portalOrigin.slice(0, portalOrigin.indexOf('://'));
  return origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
}

/**
 * Only a navigation starts a stopped app; a late XHR or a service worker of another tab does not (rules 3.2). Browsers say what a request is for.
 * Without Fetch Metadata (plain http on a host name, old browsers) a GET that asks for HTML first counts.
 */
export function isNavigation(method: string, head: RequestHead): boolean {
  if (method !== 'GET' || head.upgrade !== '' || head.scripted) return false;
  if (head.fetchMode !== '' || head.fetchDest !== '') return head.fetchMode === 'navigate' && navigable.has(head.fetchDest);
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(head.accept);
}
