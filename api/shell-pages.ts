/**
 * The shell's own files on the portal's origin, and the printed link `/?passe=…` that signs a person in.
 * Decision: docs/decisions/0003-sessions-and-passes.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SvcError } from '../schema/errors.ts';
import { readSessionCookie } from './auth/cookies.ts';
import type { Sessions } from './auth/sessions.ts';
import type { SignIn } from './auth/sign-in.ts';
import type { Site } from './hosts.ts';
import { isNavigation, isPrefetch, pathOf, queryOf } from './navigation.ts';
import { sendRefusal } from './people-page.ts';
import { sendProblem } from './problems.ts';
import { shellHeaders } from './security-headers.ts';
import { sendStatic, type StaticFolder } from './static-files.ts';

export interface ShellPageDeps {
  readonly site: Site;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly files: StaticFolder;
}

/** Answers every path of the shell's origin that is no route. Rejects only on a fault of ours. */
export async function servePage(deps: ShellPageDeps, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const headers = shellHeaders(deps.site);
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    const error = new SvcError('METHOD_NOT_ALLOWED', 'pages are read only');
    return sendProblem(res, error, req.method, { ...headers, allow: 'GET, HEAD' });
  }
  const url = req.url ?? '/';
  const path = pathOf(url);
  if (path === '/' && (await signedInByLink(deps, req, res, url))) return;
  const file = await deps.files.find(path === '/' ? 'index.html' : path.slice(1));
  if (!file) return sendRefusal(req, res, new SvcError('NOT_FOUND', 'the shell has no such page'), { site: deps.site, headers });
  sendStatic(req, res, file, headers);
}

/**
 * A navigation to the printed link takes the pass and goes on to a clean address. A pass that is refused stays in the address:
 * the shell shows it and says why. Nothing but a real GET navigation uses the pass up.
 */
async function signedInByLink(deps: ShellPageDeps, req: IncomingMessage, res: ServerResponse, url: string): Promise<boolean> {
  const passe = queryOf(url).get('passe');
  if (passe === null || req.method !== 'GET' || !isNavigation(req) || isPrefetch(req)) return false;
  // In a frame nobody signs in: it could only be another page's doing, to use up the refused passes of the address.
  if ((req.headers['sec-fetch-dest'] ?? 'document') !== 'document') return false;
  const previous = await deps.sessions.portal(readSessionCookie(req.headers.cookie, deps.site));
  // A page of another origin never turns a signed-in person into somebody else.
  if (previous && ['cross-site', 'same-site'].includes(String(req.headers['sec-fetch-site']))) return false;
  try {
    const { cookies } = await deps.signIn.byPass(req, passe);
    res.writeHead(302, {
      ...shellHeaders(deps.site),
      location: '/',
      'set-cookie': [...cookies],
      'cache-control': 'no-store',
      'content-length': 0,
    });
    res.end();
    return true;
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'PASS_REFUSED' || error.code === 'RATE_LIMITED')) return false;
    throw error;
  }
}
