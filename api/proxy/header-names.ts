/**
 * The meaning of each header name to the proxy, in both directions. Names repeat endlessly, so verdicts are remembered (bounded).
 * Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */

import { trimSpace } from '../http/space.ts';

export type RequestKind =
  | 'forward'
  | 'drop'
  | 'host'
  | 'connection'
  | 'cookie'
  | 'origin'
  | 'contentLength'
  | 'transferEncoding'
  | 'te'
  | 'upgrade'
  | 'trailer'
  | 'fetchSite'
  | 'fetchMode'
  | 'fetchDest'
  | 'accept'
  | 'acceptLanguage'
  | 'requestedWith'
  | 'purpose';

export type ResponseKind =
  | 'forward'
  | 'drop'
  | 'invalid'
  | 'connection'
  | 'keepAlive'
  | 'contentLength'
  | 'transferEncoding'
  | 'contentType'
  | 'upgrade'
  | 'trailer'
  | 'setCookie'
  | 'location'
  /** Acts on a whole origin: kept on an app's own origin, dropped in path mode where the origin is the shell's. */
  | 'wholeOrigin'
  /** Kept on an app's own origin as far as it does not reach beyond. */
  | 'clearSiteData'
  | 'serviceWorkerAllowed'
  /** Kept but for what it says of who may frame the page. */
  | 'securityPolicy'
  /** `X-Svc-Token: recusado` (rules 5): read by the proxy, never passed on. */
  | 'gate';

const requestKinds = new Map<string, RequestKind>([
  ['host', 'host'],
  ['connection', 'connection'],
  ['cookie', 'cookie'],
  ['origin', 'origin'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['te', 'te'],
  ['upgrade', 'upgrade'],
  ['trailer', 'trailer'],
  ['sec-fetch-site', 'fetchSite'],
  ['sec-fetch-mode', 'fetchMode'],
  ['sec-fetch-dest', 'fetchDest'],
  ['accept', 'accept'],
  ['accept-language', 'acceptLanguage'],
  ['x-requested-with', 'requestedWith'],
  ['sec-purpose', 'purpose'],
  ['purpose', 'purpose'],
  ['keep-alive', 'drop'],
  // The server answered `100 Continue` itself when it took the request.
  ['expect', 'drop'],
  ['http2-settings', 'drop'],
  // Read as a variable HTTP_PROXY by CGI-like backends ("httpoxy").
  ['proxy', 'drop'],
  ['proxy-authenticate', 'drop'],
  ['proxy-authorization', 'drop'],
  ['proxy-connection', 'drop'],
]);

const responseKinds = new Map<string, ResponseKind>([
  ['connection', 'connection'],
  ['keep-alive', 'keepAlive'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['content-type', 'contentType'],
  ['upgrade', 'upgrade'],
  ['trailer', 'trailer'],
  ['set-cookie', 'setCookie'],
  ['location', 'location'],
  ['content-location', 'location'],
  ['x-svc-token', 'gate'],
  ['service-worker-allowed', 'serviceWorkerAllowed'],
  ['clear-site-data', 'clearSiteData'],
  ['strict-transport-security', 'wholeOrigin'],
  ['nel', 'wholeOrigin'],
  // The browser would ask for a name and a password in the portal's name, and send them to the portal from then on.
  ['www-authenticate', 'wholeOrigin'],
  ['report-to', 'wholeOrigin'],
  ['reporting-endpoints', 'wholeOrigin'],
  // The portal says that each origin has a process of its own: one page that says otherwise would share that of the shell.
  ['origin-agent-cluster', 'drop'],
  // Would move the whole origin to another server.
  ['alt-svc', 'drop'],
  // A web server in front of the portal would answer with a file of its own.
  ['x-accel-redirect', 'drop'],
  ['x-sendfile', 'drop'],
  ['x-lighttpd-send-file', 'drop'],
  // The portal says who may frame an app (frame-ancestors).
  ['x-frame-options', 'drop'],
  ['content-security-policy', 'securityPolicy'],
  ['te', 'drop'],
  ['proxy-authenticate', 'drop'],
  ['proxy-authorization', 'drop'],
  ['proxy-connection', 'drop'],
]);

/** Names that a backend could read as one of ours or as framing once separators are dropped or exchanged (`X_Svc.App-Token`). */
const squashedRequest = new Set([...requestKinds.keys()].map(squash));
const reserved = /^xsvc/;
/**
 * Headers in which a proxy describes the request that it got: its client, address and protocol. Frameworks believe them: `X-Original-URL` and
 * `X-Rewrite-URL` are read in place of the path.
 */
const ofAHop =
  /^(?:forwarded|x(?:forwarded|original|rewrite|envoy).*|x(?:real|remote)(?:ip|port|addr)|x?(?:true|cluster|fastly|azure)?clientip|x?(?:cf|do)connecting.*|x(?:appengine|proxy)userip|xhost|x(?:url)?scheme|frontendhttps|x?scriptname)$/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** As many names, each of at most so many characters; all are forgotten when there is no room. */
const rememberedMax = 1_024;
const rememberedCharsMax = 64;

function squash(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function judgeRequest(name: string): RequestKind {
  const known = requestKinds.get(name.toLowerCase());
  if (known !== undefined) return known;
  const squashed = squash(name);
  return reserved.test(squashed) || ofAHop.test(squashed) || squashedRequest.has(squashed) ? 'drop' : 'forward';
}

function judgeResponse(name: string): ResponseKind {
  if (!token.test(name)) return 'invalid';
  const known = responseKinds.get(name.toLowerCase());
  if (known !== undefined) return known;
  return squash(name).startsWith('xsvc') ? 'drop' : 'forward';
}

export function remembered<Kind>(judge: (name: string) => Kind): (name: string) => Kind {
  const verdicts = new Map<string, Kind>();
  return (name) => {
    const before = verdicts.get(name);
    if (before !== undefined) return before;
    const verdict = judge(name);
    if (name.length > rememberedCharsMax) return verdict;
    if (verdicts.size >= rememberedMax) verdicts.clear();
    // A name that was cut from a head would keep all of the head in memory.
    verdicts.set(Buffer.from(name).toString(), verdict);
    return verdict;
  };
}

export const requestKind = remembered(judgeRequest);
/** Whether a proxy put it there: none of these comes from a program that asks by itself. */
export const isOfAProxy = remembered((name) => ofAHop.test(squash(name)) || squash(name) === 'via');
export const responseKind = remembered(judgeResponse);

/** Names listed in Connection headers, lower case: hop-by-hop for this message (RFC 9110 7.6.1). */
export function connectionTokens(value: string): string[] {
  return value
    .toLowerCase()
    .split(',')
    .map(trimSpace)
    .filter((name) => name !== '');
}

/** Cookies of the portal, on any origin: never shown to a backend, never set by one. */
export const portalCookie = /^(?:__(?:host|secure)-svc|svc-sessao)/i;
