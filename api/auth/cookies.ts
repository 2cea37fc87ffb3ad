/**
 * The session cookie. `__Host-` binds it to one origin: no app can set or read it for the shell or for another app (design 7).
 * Decision: docs/decisions/0036-session-cookie.md
 */
import { isSecureContext, type Site } from '../hosts.ts';

/** Names that never reach a backend, whichever mode is in use. */
export const sessionCookieNames = ['__Host-svc', 'svc-sessao'] as const;

export function sessionCookieName(site: Site): string {
  return isSecureContext(site) ? '__Host-svc' : 'svc-sessao';
}

/** Value of the session cookie; null when absent, sent twice or not of our shape. */
export function readSessionCookie(header: string | undefined, site: Site): string | null {
  if (header === undefined) return null;
  const name = sessionCookieName(site);
  let found: string | null = null;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals === -1 || part.slice(0, equals).trim() !== name) continue;
    // Two cookies of one name: another origin planted one (cookie tossing). Neither is believed.
    if (found !== null) return null;
    found = part.slice(equals + 1).trim();
  }
  return found !== null && /^[A-Za-z0-9_-]{43}$/.test(found) ? found : null;
}

export function sessionCookie(site: Site, value: string, maxAgeMs: number): string {
  const secure = isSecureContext(site) ? '; Secure' : '';
  return `${sessionCookieName(site)}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}; HttpOnly; SameSite=Lax${secure}`;
}

export function expiredSessionCookie(site: Site): string {
  return sessionCookie(site, '', 0);
}
