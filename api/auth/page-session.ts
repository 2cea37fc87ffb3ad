/** The session behind a call that a page of the shell makes. Decision: docs/decisions/0035-http-border.md */
import type { IncomingMessage } from 'node:http';
import { SvcError } from '../../schema/errors.ts';
import type { Site } from '../http/hosts.ts';
import { readSessionCookie } from './cookies.ts';
import { isSafeMethod, mayChange, mayRead } from './same-origin.ts';
import type { Session, Sessions } from './sessions.ts';

/** Throws CROSS_ORIGIN for what the browser says that another origin sends. */
export function refuseOtherOrigins(req: IncomingMessage, site: Site): void {
  const may = isSafeMethod(req.method) ? mayRead : mayChange;
  if (!may(req, site.origin)) throw new SvcError('CROSS_ORIGIN', `only pages of ${site.origin} may call this`);
}

/** Null without a session. Rejects OTHER_PERSON. */
export async function pageSession(req: IncomingMessage, site: Site, sessions: Pick<Sessions, 'portal'>): Promise<Session | null> {
  const session = await sessions.portal(readSessionCookie(req.headers.cookie, site));
  // A page says for whom it was loaded: what one person did in it never lands in the account of another who signed in meanwhile.
  const loadedFor = req.headers['svc-pessoa'];
  if (session && loadedFor !== undefined && loadedFor !== session.person) {
    throw new SvcError('OTHER_PERSON', 'another person is signed in than this page was loaded for; nothing was done');
  }
  return session;
}
