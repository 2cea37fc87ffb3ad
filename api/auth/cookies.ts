/**
 * The session cookie. `__Host-` binds it to one origin: no app can set or read it for the shell or for another app.
 * Decision: docs/decisions/0036-session-cookie.md
 */
import { limits } from './limits.ts';
import { isSecureContext, type Site } from '../http/hosts.ts';
import { trimSpace } from '../http/space.ts';
import { isSecretShape } from './secrets.ts';

export function sessionCookieName(site: Site): string {
  return isSecureContext(site) ? '__Host-svc' : 'svc-sessao';
}

/**
 * Kept on an app's origin between "who are you?" and the pass that answers it, so that a pass works only in the browser that asked: a link
 * can't sign a person in as someone else. The proxy hides both names from backends (proxy/header-names.ts).
 */
export function askCookieName(site: Site): string {
  return `${sessionCookieName(site)}-ida`;
}

function knownBrowserName(site: Site): string {
  return `${sessionCookieName(site)}-conhecido`;
}

function oidcCookieName(site: Site): string {
  return `${sessionCookieName(site)}-oidc`;
}

/** Value of the session cookie; null when absent, sent twice or not of our shape. */
export function readSessionCookie(header: string | undefined, site: Site): string | null {
  return readSecret(header, sessionCookieName(site));
}

export function readAskCookie(header: string | undefined, site: Site): string | null {
  return readSecret(header, askCookieName(site));
}

export function readOidcCookie(header: string | undefined, site: Site): string | null {
  return readSecret(header, oidcCookieName(site));
}

/** `value` null removes it. */
export function oidcCookie(site: Site, value: string | null): string {
  return cookie(site, oidcCookieName(site), { value: value ?? '', maxAgeMs: value === null ? 0 : limits.oidcBeginMs });
}

/** Entries `<random>.<time>.<mac>` of our shape; what they say is checked by known-browsers.ts. */
export function readKnownBrowsers(header: string | undefined, site: Site): readonly string[] {
  const entries = readCookie(header, knownBrowserName(site))?.split('~') ?? [];
  return entries.filter((entry) => /^[\w-]{22}\.[0-9a-z]{1,11}\.[\w-]{43}$/.test(entry)).slice(0, limits.knownBrowserLoginsMax);
}

export function knownBrowserCookie(site: Site, entries: readonly string[]): string {
  return cookie(site, knownBrowserName(site), { value: entries.join('~'), maxAgeMs: limits.knownBrowserMs });
}

function readSecret(header: string | undefined, name: string): string | null {
  const found = readCookie(header, name);
  return found !== null && isSecretShape(found) ? found : null;
}

function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  let found: string | null = null;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals === -1 || trimSpace(part.slice(0, equals)) !== name) continue;
    // Two cookies of one name: another origin planted one (cookie tossing). Neither is believed.
    if (found !== null) return null;
    found = trimSpace(part.slice(equals + 1));
  }
  return found;
}

/** Kept by the browser as long as any session can live: when it ends, the portal knows. */
export function sessionCookie(site: Site, value: string): string {
  return cookie(site, sessionCookieName(site), { value, maxAgeMs: limits.sessionAgeMsMax });
}

export function expiredSessionCookie(site: Site): string {
  return cookie(site, sessionCookieName(site), { value: '', maxAgeMs: 0 });
}

/** `value` null removes it. */
export function askCookie(site: Site, value: string | null): string {
  return cookie(site, askCookieName(site), { value: value ?? '', maxAgeMs: value === null ? 0 : limits.askCookieMs });
}

interface CookieContent {
  readonly value: string;
  readonly maxAgeMs: number;
}

function cookie(site: Site, name: string, { value, maxAgeMs }: CookieContent): string {
  const secure = isSecureContext(site) ? '; Secure' : '';
  const maxAge = Math.max(0, Math.floor(maxAgeMs / 1_000));
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}
