/**
 * Which of the portal's names a request was sent to (design 7): the shell, an app's own origin, or a name that is not ours.
 * Only the `Host` header decides, compared as a whole: ports and trailing dots included, so that an origin is never guessed.
 */

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

export type HostKind = { readonly kind: 'shell' } | { readonly kind: 'app'; readonly app: string } | { readonly kind: 'other' };

/** Source: spec 2.1 `id`. A DNS label neither starts nor ends with '-', which the pattern of the id does not say. */
const appIdPattern = /^[a-z0-9-]{1,63}$/;

export function isAppId(text: string): boolean {
  return appIdPattern.test(text);
}

/** `url` is scheme://host[:port]; port 0 stands for the port that the portal got. */
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
  return isAppId(app) ? { kind: 'app', app } : { kind: 'other' };
}

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

/** SVC_APP_BASE_PATH of the app and the prefix that the proxy strips. */
export function appBasePath(site: Site, app: string): string {
  return site.origins === 'path' ? `/proxy/app/${app}/` : '/';
}

/** Browsers hold every `*.localhost` for a secure context; anything else needs https for that. */
export function isSecureContext(site: Site): boolean {
  return site.scheme === 'https' || site.hostname === 'localhost' || site.hostname.endsWith('.localhost');
}

function canonicalHost(header: string, scheme: 'http' | 'https'): string {
  const lower = header.toLowerCase();
  const ownPort = scheme === 'https' ? /^([^:]*|\[[^\]]*\]):443$/ : /^([^:]*|\[[^\]]*\]):80$/;
  // One port only: `svc.localhost:8787:80` is no name of ours.
  return ownPort.exec(lower)?.[1] ?? lower;
}
