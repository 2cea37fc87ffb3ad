/**
 * The two heads of a capability call. The provider learns which app asks, and nothing of the page, the session or the credential behind it; the
 * caller gets an answer that does nothing to the shell's origin, on which it arrives. Decision: docs/decisions/0200-capability-calls.md
 */
import { remembered } from '../proxy/proxy.ts';
import { dataPolicy } from '../http/security-headers.ts';
import { callPathFault } from './call-path.ts';

/**
 * Besides what the proxy drops: who signed in, where the page is, and what frameworks take for another method than the one that the portal let
 * through. Trailers do not go on. Whatever separators a name has.
 */
const ofTheCaller =
  /^(?:authorization|cookie|host|origin|referer|svcpessoa|trailer|secfetch.*|x?httpmethod|x?(?:http)?methodoverride|.*purpose)$/;
const isForProvider = remembered((name) => !ofTheCaller.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')));

/** `host` of the provider, as in requests to itself. */
export function callHeaders(raw: readonly string[], host: string): string[] {
  return ['Host', host, ...filtered(raw, isForProvider)];
}

/** Filters alternating names and values. */
function filtered(flat: readonly string[], passes: (name: string) => boolean): string[] {
  return flat.filter((_, index) => passes(flat[index - (index % 2)] ?? ''));
}

/**
 * Names that describe the answer itself, and the names that apps coin. Any other header acts, or may act one day, on the origin on which the answer
 * arrives: cookies, stored data, dialogs and caches of the browser.
 */
const ofTheAnswer =
  /^(?:content-(?:type|length|encoding|language|disposition|range)|accept-ranges|allow|date|deprecation|etag|last-modified|link|ratelimit.*|repr-digest|retry-after|server-timing|sunset|trailer|vary|x-(?!content-type-options|sourcemap).*)$/i;

const isForCaller = remembered((name) => ofTheAnswer.test(name));

export interface Answered {
  /** `/api/capacidades/<nome>/<versao>` */
  readonly prefix: string;
  readonly rota: string;
  /** The provider's: of requests to itself, and what it was asked for. */
  readonly origin: string;
  readonly basePath: string;
  readonly path: string;
  readonly para: string;
}

/** `answer`: as a page of the provider would see it; names and values by turns. */
export function answerHeaders(answer: readonly string[], asked: Answered): string[] {
  const at = answer.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'location');
  const location = at === -1 ? null : insideRota(answer[at + 1] ?? '', asked);
  return [
    ...filtered(answer, isForCaller),
    ...(location === null ? [] : ['Location', location]),
    // A cached answer would be given to another app, and after the person took their consent back.
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    dataPolicy,
    'Cross-Origin-Resource-Policy',
    'same-origin',
    'X-Svc-Fornecedor',
    asked.para,
  ];
}

/** A redirect below the `rota` leads through the portal again; any other is left out: `fetch` would follow it on the shell's origin. */
function insideRota(location: string, { prefix, rota, origin, basePath, path }: Answered): string | null {
  const base = new URL(origin + path);
  // A head is read as Latin-1, and URL writes each character as UTF-8: its bytes stay what they are.
  const encoded = location.replaceAll(/[\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  if (!URL.canParse(encoded, base.href)) return null;
  const target = new URL(encoded, base);
  const pathname = target.pathname.startsWith(basePath) ? target.pathname.slice(basePath.length - 1) : target.pathname;
  if (target.origin !== base.origin || !pathname.startsWith(`${rota}/`)) return null;
  const rest = pathname.slice(rota.length) + target.search;
  return callPathFault(rest) === null ? prefix + rest : null;
}
