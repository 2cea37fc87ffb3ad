/**
 * Whether a host is a public suffix as a whole (`co.uk`, `github.io`): a wildcard over one would claim the links of strangers.
 * The list is large and few manifests need it, so it is read when the first one does.
 */
import { createRequire } from 'node:module';
import type * as Tldts from 'tldts';

const require = createRequire(import.meta.url);
let tldts: typeof Tldts | undefined;

/** Counts the private part of the list too: everybody has pages below `github.io`. Source: rules 2.1 `opens.urls`. */
export function isPublicSuffix(host: string): boolean {
  tldts ??= require('tldts') as typeof Tldts;
  const parsed = tldts.parse(host.toLowerCase(), { allowPrivateDomains: true });
  return parsed.publicSuffix === parsed.hostname && (parsed.isIcann === true || parsed.isPrivate === true);
}
