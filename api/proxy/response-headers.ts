/**
 * Which headers of a backend's answer reach the browser. Hop-by-hop fields and reserved names are dropped, cookies and redirects
 * are kept inside the app, and what acts on a whole origin is dropped where the origin is the shell's (path mode).
 * Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
import { connectionTokens, portalCookie, responseKind } from './header-names.ts';
import type { ResponseHead } from './response-parser.ts';

export interface ResponsePolicy {
  readonly basePath: string;
  /** Host of the request: absolute redirects to it are ours. */
  readonly host: string;
  readonly proto: 'http' | 'https';
  readonly portalOrigin: string;
  /** `Sec-Fetch-Site` of the request; '' where the browser sends none. */
  readonly fetchSite: string;
  /** The client speaks HTTP/1.1: only then an answer can carry trailers (RFC 9112 7.1.2). */
  readonly takesTrailers: boolean;
}

/** The gate of the backend refused our token (rules 5): it runs with another one than we know. */
export function refusedByGate(head: ResponseHead): boolean {
  if (head.status !== 403) return false;
  return head.raw.some((name, index) => index % 2 === 0 && responseKind(name) === 'gate' && head.raw[index + 1] === 'recusado');
}

/**
 * Names and values by turns, for `writeHead`. Content-Length comes last: Node reads a Content-Disposition behind it as UTF-8, and throws or
 * changes its bytes. The order of different names says nothing (RFC 9110 5.3).
 */
export function clientHeaders(head: ResponseHead, policy: ResponsePolicy): string[] {
  const raw = head.raw;
  const named = head.connection === '' ? null : namedTokens(head.connection);
  const kept: string[] = [];
  let typed = false;
  let page = false;
  let length: readonly string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    if (named !== null && named.has(name.toLowerCase())) continue;
    const value = clientValue(head, name, raw[index + 1]!, policy);
    if (value === null) continue;
    const kind = responseKind(name);
    if (kind === 'contentLength') length = [name, value];
    else kept.push(name, value);
    if (kind !== 'contentType') continue;
    typed = true;
    if (mayBePage(value)) page = true;
  }
  if (!typed && head.status !== 101 && head.framing !== 'none') page = true;
  if (page) kept.push('Content-Security-Policy', framePolicy(policy));
  if (page) kept.push('Origin-Agent-Cluster', '?1', 'Permissions-Policy', withoutPasskeys);
  if (page && isOpened(policy) && !saysOpener(raw)) kept.push('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  kept.push(...length);
  return kept;
}

/**
 * A page below the portal's name could ask for passkeys of the portal. The answer would not count (api/auth/passkeys.ts); nor is it asked for. The last
 * word for a feature counts: this comes after the app's own. Decision: docs/decisions/0384-passkeys.md
 */
const withoutPasskeys = 'publickey-credentials-get=(), publickey-credentials-create=()';

/** A tab that the app's own page opened or led on keeps its opener. */
function isOpened({ basePath, fetchSite }: ResponsePolicy): boolean {
  return basePath === '/' && fetchSite !== 'same-origin';
}

/** Unless the app says so itself, no tab of another origin keeps a hold on the tab that it opened one in. Decision: docs/decisions/0209-openers-of-app-pages.md */
function saysOpener(raw: readonly string[]): boolean {
  return raw.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'cross-origin-opener-policy');
}

/** Types of which no browser makes a page to click in. Any other type, none and a broken one may become a page. */
const neverPage =
  /^(?:application\/(?:json|javascript|octet-stream|wasm)|text\/(?:css|javascript|event-stream)|(?:image(?!\/svg)|font|audio|video)\/[\w.+-]+)(?: *;[^,]*)?$/i;

function mayBePage(type: string): boolean {
  return !neverPage.test(type);
}

/** Only the app itself and the shell may frame an app's pages: sibling apps are same-site, cookies alone would not stop them. */
function framePolicy(policy: ResponsePolicy): string {
  return policy.basePath === '/' ? `frame-ancestors 'self' ${policy.portalOrigin}` : "frame-ancestors 'self'";
}

function namedTokens(connection: string): ReadonlySet<string> | null {
  if (connection === 'keep-alive' || connection === 'close') return null;
  return new Set(connectionTokens(connection));
}

/** Null drops the header. */
function clientValue(head: ResponseHead, name: string, value: string, policy: ResponsePolicy): string | null {
  const ownOrigin = policy.basePath === '/';
  switch (responseKind(name)) {
    case 'forward':
    case 'contentType':
      return value;
    case 'contentLength':
      return head.status === 204 ? null : value;
    case 'trailer':
      return head.framing === 'chunked' && policy.takesTrailers ? value : null;
    case 'securityPolicy':
      return withoutFrameAncestors(value);
    case 'setCookie':
      return clientCookie(value, policy.basePath);
    case 'location':
      return ownOrigin ? value : insideBase(value, policy);
    case 'wholeOrigin':
      return ownOrigin ? value : null;
    case 'clearSiteData':
      return ownOrigin ? ownSiteData(value) : null;
    case 'serviceWorkerAllowed':
      return ownOrigin || value.startsWith(policy.basePath) ? value : null;
    default:
      return null;
  }
}

/** The portal says who may frame an app, and a browser obeys every policy that it gets: one of the app's own would leave its window empty. */
export function withoutFrameAncestors(value: string): string | null {
  if (!/frame-ancestors/i.test(value)) return value;
  const policies = value.split(',').map((policy) =>
    policy
      .split(';')
      .filter((directive) => !/^\s*frame-ancestors(?:\s|$)/i.test(directive))
      .join(';'),
  );
  const kept = policies.filter((policy) => /[^\s;]/.test(policy));
  return kept.length === 0 ? null : kept.join(',').trim();
}

/**
 * A cookie stays inside its app: no Domain (it would reach sibling apps), no portal names, no nameless cookie (browsers send
 * `=__Host-x=y` back as `__Host-x=y`), and in path mode no Path above the app.
 */
export function clientCookie(value: string, basePath: string): string | null {
  const parts = value.split(';');
  const [name] = parts[0]!.split('=', 1);
  if (!parts[0]!.includes('=') || name!.trim() === '' || portalCookie.test(name!.trim())) return null;
  const attributes = parts.slice(1).map((part) => part.split('=', 1)[0]!.trim().toLowerCase());
  if (attributes.includes('domain')) return null;
  if (basePath === '/') return value;
  const path = parts.findLast((_, index) => index > 0 && attributes[index - 1] === 'path');
  if (
    path !== undefined &&
    path
      .slice(path.indexOf('=') + 1)
      .trim()
      .startsWith(basePath)
  )
    return value;
  const others = parts.filter((_, index) => index === 0 || attributes[index - 1] !== 'path');
  return `${others.join(';')}; Path=${basePath}`;
}

/**
 * `"cookies"` (and `"*"`, which holds it) empties the jar of the whole registrable domain: of the shell and of every other app. The app's own data
 * may be cleared.
 */
function ownSiteData(value: string): string | null {
  const types = value.split(',').map((type) => type.trim().toLowerCase());
  const own = types.includes('"*"')
    ? ['"cache"', '"storage"']
    : types.filter((type) => ['"cache"', '"storage"', '"executioncontexts"'].includes(type));
  return own.length === 0 ? null : own.join(', ').replace('"executioncontexts"', '"executionContexts"');
}

/** Path mode: an absolute redirect of the backend is mapped below the app's base path. */
function insideBase(location: string, policy: ResponsePolicy): string {
  const own = `${policy.proto}://${policy.host}`;
  const path = location.startsWith(`${own}/`) ? location.slice(own.length) : location;
  if (!path.startsWith('/') || path.startsWith('//')) return location;
  return path.startsWith(policy.basePath) ? path : policy.basePath + path.slice(1);
}
