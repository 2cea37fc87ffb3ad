/**
 * A browser that signed in with a login keeps a cookie signed by the portal. It grants nothing: its attempts at that login are counted
 * separately, so that guessing from elsewhere can't lock the person out. It contains no name.
 * Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies. Decision: docs/decisions/0071-guessing-passwords.md
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import type { Site } from '../http/hosts.ts';
import { knownBrowserCookie, readKnownBrowsers } from './cookies.ts';
import type { KeyRing } from './key-rings.ts';

export interface KnownBrowsers {
  /** Id of this browser for the login; null when it never signed in with it. */
  find(cookies: string | undefined, login: string): Promise<string | null>;
  /** The cookie to be set after a sign-in with the login. */
  remember(cookies: string | undefined, login: string): Promise<string>;
}

export function createKnownBrowsers(ring: KeyRing, clock: Clock, site: Site): KnownBrowsers {
  const matching = (cookies: string | undefined, login: string): { id: string | null; others: readonly string[] } => {
    let id: string | null = null;
    const others: string[] = [];
    for (const entry of readKnownBrowsers(cookies, site)) {
      const [random = '', at = '', mac = ''] = entry.split('.');
      const isOwn = ring.all().some((key) => timingSafeEqual(Buffer.from(macOf(key, login, random, at)), Buffer.from(mac)));
      if (!isOwn) others.push(entry);
      else if (clock.nowMs() - parseInt(at, 36) < limits.knownBrowserMs) id = random;
    }
    return { id, others };
  };
  return {
    find: async (cookies, login) => matching(cookies, login).id,
    remember: async (cookies, login) => {
      const { id, others } = matching(cookies, login);
      const random = id ?? randomBytes(16).toString('base64url');
      const at = clock.nowMs().toString(36);
      const own = `${random}.${at}.${macOf(ring.current(), login, random, at)}`;
      return knownBrowserCookie(site, [own, ...others].slice(0, limits.knownBrowserLoginsMax));
    },
  };
}

function macOf(key: Buffer, login: string, random: string, at: string): string {
  return createHmac('sha256', key).update(`${random}.${at}.${login}`).digest('base64url');
}
