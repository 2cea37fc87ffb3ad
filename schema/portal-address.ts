/** The address under which browsers reach the portal (`Portal.spec.url`), and what browsers make of it. */

import { isIP } from 'node:net';

/** Parts of a URL, as `URL` gives them. */
export interface WebAddress {
  /** `https:` or `http:`. */
  readonly protocol: string;
  /** Lower case, without the port. */
  readonly hostname: string;
}

/** `svc.localhost` means http; a whole URL is used as it is. Null for what is no address. */
export function webAddressOf(url: string): WebAddress | null {
  return URL.parse(/^https?:\/\//.test(url) ? url : `http://${url}`);
}

/** Browsers hold every `*.localhost` for a secure context; anything else needs https for that. */
export function isSecureAddress({ protocol, hostname }: WebAddress): boolean {
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** `URL` writes every form of an IPv4 address with four numbers, and IPv6 in brackets. */
export function isNumericAddress({ hostname }: WebAddress): boolean {
  return hostname.startsWith('[') || isIP(hostname) !== 0;
}
