/**
 * The shell's own files on the portal's origin, and the printed link `/?passe=…` that signs a person in.
 * Decisions: docs/decisions/0003-sessions-and-passes.md, 0121-who-led-to-a-link.md
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SvcError } from '../../schema/errors.ts';
import { readSessionCookie } from '../auth/cookies.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { SignIn } from '../auth/sign-in.ts';
import type { Site } from '../http/hosts.ts';
import { isNavigation, isPrefetch, pathOf, queryOf } from '../http/navigation.ts';
import { pageLanguage } from '../http/page-language.ts';
import { sendRefusal } from './people-page.ts';
import { sendProblem } from '../http/problems.ts';
import { partHeaders, shellHeaders } from '../http/security-headers.ts';
import { sendStatic, type StaticFolder } from '../http/static-files.ts';

export interface ShellPageDeps {
  readonly site: Site;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly files: StaticFolder;
}

/** Answers every path of the shell's origin that is no route. Rejects only on an internal error. */
export async function servePage(deps: ShellPageDeps, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const headers = shellHeaders(deps.site);
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    const error = new SvcError('METHOD_NOT_ALLOWED', 'pages are read only');
    return sendProblem(res, error, req.method, { ...headers, allow: 'GET, HEAD' });
  }
  const url = req.url ?? '/';
  const path = pathOf(url);
  if (path === '/' && (await signedInByLink(deps, req, res, url))) return;
  if (isHelpWithoutLanguage(path)) return sendToHelp(deps.site, req, res, path);
  const file = await deps.files.find(path.endsWith('/') ? `${path.slice(1)}index.html` : path.slice(1));
  if (!file) return sendRefusal(req, res, new SvcError('NOT_FOUND', 'the shell has no such page'), { site: deps.site, headers });
  await sendStatic(req, res, file, file.immutable ? partHeaders : headers);
}

/** Links that know no language: `/ajuda/failures.html`. Decision: docs/decisions/0428-a-help-of-static-pages.md */
const isHelpWithoutLanguage = (path: string): boolean => /^\/ajuda(?:\/(?:[a-z-]{1,40}\.html)?|\/(?:pt|en|docs))?$/.test(path);

/** The browser keeps the part of the address after `#`. */
function sendToHelp(site: Site, req: IncomingMessage, res: ServerResponse, path: string): void {
  const language = pageLanguage(req.headers['accept-language'] ?? '');
  const page = path.slice('/ajuda/'.length);
  const location = /^(?:pt|en|docs)$/.test(page) ? `${path}/` : `/ajuda/${language}/${page}`;
  res.writeHead(302, { ...shellHeaders(site), location, 'cache-control': 'no-store', vary: 'Accept-Language', 'content-length': 0 });
  res.end();
}

/** The verdict on a printed link: it is taken, the shell's page asks first, or the shell says that it was refused. */
export type LinkVerdict = 'take' | 'ask' | 'refuse';

/**
 * Sec-Fetch-Site says which page led the browser here; a page can't change it. An app's page (`same-site`) never signs a person in. A link
 * in a mail or on another site is confirmed first, and so is a request without the header (old browsers, plain http). Only an address that
 * was typed, pasted or bookmarked (`none`) is taken at once, unless another person is signed in. Decision:
 * docs/decisions/0121-who-led-to-a-link.md
 */
export function judgeLink(fetchSite: string | undefined, owner: string, signedIn: string | null): LinkVerdict {
  if (fetchSite === 'same-site') return 'refuse';
  return fetchSite === 'none' && (signedIn === null || signedIn === owner) ? 'take' : 'ask';
}

/**
 * A navigation to the printed link. False: the shell's page is served, which finds the pass in its address and asks. Nothing but a real GET navigation
 * uses a pass up, and one that is not asked about stays in no address.
 */
async function signedInByLink(deps: ShellPageDeps, req: IncomingMessage, res: ServerResponse, url: string): Promise<boolean> {
  const passe = queryOf(url).get('passe');
  if (passe === null || req.method !== 'GET' || !isNavigation(req) || isPrefetch(req)) return false;
  // No sign-in in a frame: only another page could have made it.
  if ((req.headers['sec-fetch-dest'] ?? 'document') !== 'document') return false;
  const fetchSite = req.headers['sec-fetch-site'];
  const previous = await deps.sessions.portal(readSessionCookie(req.headers.cookie, deps.site));
  try {
    const { person } = await deps.signIn.whose(req, passe);
    const verdict = judgeLink(typeof fetchSite === 'string' ? fetchSite : undefined, person, previous?.person ?? null);
    if (verdict === 'ask') return false;
    if (verdict === 'refuse') throw new SvcError('LINK_FROM_APP', 'a page of an app opened this sign-in link');
    const { cookies } = await deps.signIn.byPass(req, passe);
    sendHome(deps.site, res, homeOf(queryOf(url).get('destino')), cookies);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'INTERNAL') throw error;
    sendHome(deps.site, res, `/?entrada=${error.code}`, []);
  }
  return true;
}

/** A link of `svc dev` leads on into the app; what can't be one leads home. */
function homeOf(destination: string | null): string {
  return destination !== null && /^[a-z0-9-]{1,49}\/[\x21-\x7e]{0,2048}$/.test(destination)
    ? `/?${new URLSearchParams({ destino: destination }).toString()}`
    : '/';
}

function sendHome(site: Site, res: ServerResponse, location: string, cookies: readonly string[]): void {
  res.writeHead(302, {
    ...shellHeaders(site),
    location,
    ...(cookies.length === 0 ? {} : { 'set-cookie': [...cookies] }),
    'cache-control': 'no-store',
    'content-length': 0,
  });
  res.end();
}
