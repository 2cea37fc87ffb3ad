/**
 * Which of the portal's names a request was sent to: the shell, an app's own origin, or a name that is not ours. Only the `Host` header decides,
 * compared as a whole: ports and trailing dots included, so that an origin is never guessed.
 */
import { isAppId, nearAppIdFault } from '../../schema/app-id.ts';
import { isSecureAddress } from '../../schema/portal-address.ts';

/** Where the portal is reached, fixed once the port is known. */
export interface Site {
  /** `http://svc.localhost:8787` */
  readonly origin: string;
  /** `svc.localhost:8787`, lower case, the scheme's own port left out. */
  readonly host: string;
  readonly hostname: string;
  readonly scheme: 'http' | 'https';
  readonly origins: 'subdomain' | 'path';
}

/** `why`: it would be the host of an app, if that were the id of one. */
export type HostKind =
  | { readonly kind: 'shell' }
  | { readonly kind: 'app'; readonly app: string }
  /** Where files of people are shown. */
  | { readonly kind: 'files' }
  | { readonly kind: 'other'; readonly why?: string };

/** `url` is scheme://host[:port]; port 0 is replaced by the port that the portal got. */
export function siteOf(url: string, port: number, origins: 'subdomain' | 'path'): Site {
  const withPort = url.replace(/:0\/?$/, `:${port}`);
  const parsed = new URL(withPort);
  const scheme = parsed.protocol === 'https:' ? 'https' : 'http';
  return { origin: parsed.origin, host: parsed.host, hostname: parsed.hostname, scheme, origins };
}

export function classifyHost(header: string | undefined, site: Site): HostKind {
  if (header === undefined) return { kind: 'other' };
  const host = canonicalHost(header, site.scheme);
  if (host === site.host) return { kind: 'shell' };
  if (site.origins === 'path' || !host.endsWith(`.${site.host}`)) return { kind: 'other' };
  const app = host.slice(0, -site.host.length - 1);
  if (isAppId(app)) return { kind: 'app', app };
  if (app === filesLabel) return { kind: 'files' };
  const why = nearAppIdFault(app);
  return why === null ? { kind: 'other' } : { kind: 'other', why };
}

/** The word *prévia* as DNS has it: no app id begins with "xn--", and authorities give certificates for it, as they don't for "_". */
const filesLabel = 'xn--prvia-csa';

/** The origin for files of people, apart from all origins with a session. Decision: docs/decisions/0220-previews-of-files.md */
export const filesOrigin = (site: Site): string => `${site.scheme}://${filesLabel}.${site.host}`;

/** Where programs on the portal's own machine reach it without a name server: backends of a local server. */
export function directHost(listenHost: string, port: number): string {
  const every = listenHost === '0.0.0.0' ? '127.0.0.1' : listenHost === '::' ? '::1' : listenHost;
  return `${every.includes(':') ? `[${every}]` : every}:${port}`;
}

/** Base URL of an app, with a closing slash. */
export function appUrl(site: Site, app: string): string {
  return site.origins === 'path' ? `${site.origin}/proxy/app/${app}/` : `${site.scheme}://${app}.${site.host}/`;
}

export function appOrigin(site: Site, app: string): string {
  return site.origins === 'path' ? site.origin : `${site.scheme}://${app}.${site.host}`;
}

/** Where a stranger who followed a link into an app signs in; the shell's page opens the app's window afterwards. `path` is clean (navigation.ts). */
export function signInAddress(site: Site, app: string, path: string): string {
  return `${site.origin}/?${new URLSearchParams({ destino: app + path }).toString()}`;
}

/** SVC_APP_BASE_PATH of the app and the prefix that the proxy strips. */
export function appBasePath(site: Site, app: string): string {
  return site.origins === 'path' ? `/proxy/app/${app}/` : '/';
}

export function isSecureContext({ scheme, hostname }: Site): boolean {
  return isSecureAddress({ protocol: `${scheme}:`, hostname });
}

function canonicalHost(header: string, scheme: 'http' | 'https'): string {
  const lower = header.toLowerCase();
  const ownPort = scheme === 'https' ? /^([^:]*|\[[^\]]*\]):443$/ : /^([^:]*|\[[^\]]*\]):80$/;
  // A name has at most one port: `svc.localhost:8787:80` is not valid.
  return ownPort.exec(lower)?.[1] ?? lower;
}
