/** Addresses and hosts for the oracle of the manifest. Null: it can't tell. */
import { all, digit, digits, hex, lower, startsThen, upper } from './oracle-texts.ts';

const letters = [lower, upper, digit] as const;

/** RFC 3986 as far as the mutants go: http(s) with a plain host; `mailto:`; the schemes that decision 0010 refuses; what has no scheme. */
export function isAddress(text: string): boolean | null {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, Math.max(0, colon));
  if (!startsThen(scheme, [lower, upper], [...letters, '+', '-', '.'])) return false;
  if (['javascript', 'data', 'vbscript', 'file', 'blob'].includes(scheme.toLowerCase())) return false;
  const rest = text.slice(colon + 1);
  if (!isSpelled(rest)) return false;
  if (scheme === 'mailto' && all(rest, ...letters, '@.')) return rest === '' ? null : true;
  if (scheme.toLowerCase() !== 'http' && scheme.toLowerCase() !== 'https') return null;
  if (!rest.startsWith('//')) return false;
  const end = Array.from(rest.slice(2)).findIndex((char) => '/?#'.includes(char));
  const authority = end === -1 ? rest.slice(2) : rest.slice(2, 2 + end);
  const [host = '', port, ...more] = authority.split(':');
  // A user name before the host: deprecated by RFC 9110, and it misleads. Decision 0010.
  if (authority === '' || authority.includes('@')) return false;
  if (more.length > 0 || !all(host, ...letters, '-.')) return null;
  if (port !== undefined && port !== '' && (!digits(port) || port.length > 5 || Number(port) > 65_535)) return false;
  // The last label decides whether it is read as a number; hosts with empty labels are read in several ways.
  const labels = host.split('.');
  return labels.some((label) => label === '' || label.startsWith('-') || label.toLowerCase().startsWith('xn--')) ||
    isNumberLike(labels.at(-1) ?? '')
    ? null
    : true;
}

const isNumberLike = (label: string): boolean => digit(label[0] ?? '') || label === '';

/** The characters of RFC 3986, `%` only before two hexadecimal digits, `#` once, brackets not at all (they are for IPv6 hosts). */
function isSpelled(rest: string): boolean {
  if (rest === '' || rest.split('#').length > 2) return false;
  const marks = "-._~:/?#@!$&'()*+,;=";
  return rest.split('%').every((part, at) => {
    const plain = at === 0 ? part : part.slice(2);
    return (at === 0 || (part.length >= 2 && all(part.slice(0, 2).toLowerCase(), hex))) && all(plain, ...letters, marks);
  });
}

/** Labels joined by dots, at least two, the last one beginning with a letter; `*.` may stand before. Source: rules 2.1 `opens.urls`. */
export function isHostPattern(text: string): boolean {
  const host = text.startsWith('*.') ? text.slice(2) : text;
  const labels = host.split('.');
  const good = (label: string): boolean => startsThen(label, letters, [...letters, '-']) && startsThen(label.at(-1) ?? '', letters, []);
  return labels.length >= 2 && labels.every(good) && !digit(labels.at(-1)?.[0] ?? '0');
}

/** Suffixes of more than one label below which anybody may register. */
const publicSuffixes = new Set(['co.uk', 'com.br', 'gov.br', 'org.uk', 'github.io', 'com.au']);
const privateHosts = new Set(['example.com', 'example.org', 'example.net', 'a.example.org', 'wikipedia.org']);

export function wildcardVerdict(text: string): boolean | null {
  if (!text.startsWith('*.')) return true;
  const host = text.slice(2).toLowerCase();
  if (publicSuffixes.has(host)) return false;
  return privateHosts.has(host) ? true : null;
}
