/**
 * Removes cookies that a script set for a parent domain, by an answer alone: a page that removes them is no help where they have a path of their own
 * (`/api`), as only requests below it carry them, and the desktop's page shows none of them to its script. Cookies of one host, as all of the portal's
 * are, have no Domain: a removal with one does not meet them. Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
import { limits } from '../limits.ts';
import { trimSpace } from '../http/space.ts';

/** `set-cookie` lines, the largest cookie first; small ones stay. `cookies`: as in the header, cut off anywhere. `path` is the request's, with or without a query. */
export function domainCookieRemovals(host: string, path: string, cookies: string): readonly string[] {
  const attributes = domainsOf(host).flatMap((domain) => pathsOf(path).map((each) => `Max-Age=0; Path=${each}; Domain=${domain}`));
  const kinds = ['', '; Secure; SameSite=None; Partitioned'];
  const lines: string[] = [];
  let leftBytes = limits.cookieRemovalBytesMax;
  for (const name of largestFirst(cookies))
    for (const attribute of attributes)
      for (const kind of kinds) {
        const line = `${name}=; ${attribute}${kind}`;
        leftBytes -= line.length;
        if (leftBytes < 0) return lines;
        lines.push(line);
      }
  return lines;
}

/** The same from the bytes of a head that was not read to its end. */
export function removalsOfHead(head: string): readonly string[] {
  const [, path = '/'] = /^[A-Z]+ (\/\S*) HTTP/.exec(head) ?? [];
  const [, host = ''] = /\nhost:[ \t]*(\S+)/i.exec(head) ?? [];
  const at = head.search(/\ncookie:/i);
  return at === -1 ? [] : domainCookieRemovals(host, path, head.slice(at + '\ncookie:'.length).split('\r', 1)[0] ?? '');
}

/** Names, without those that together are small. */
function largestFirst(cookies: string): readonly string[] {
  const bytes = new Map<string, number>();
  for (const pair of cookies.split(';')) {
    const name = trimSpace(pair.slice(0, Math.max(0, pair.indexOf('='))));
    // Characters that browsers accept in a name, bytes above ASCII included; they can't end the line of the answer.
    if (/^[^\x00-\x1f\x7f]{0,4096}$/.test(name)) bytes.set(name, (bytes.get(name) ?? 0) + pair.length);
  }
  const sorted = [...bytes].toSorted(([, one], [, other]) => other - one);
  let leftBytes = sorted.reduce((sum, [, each]) => sum + each, 0);
  return sorted.flatMap(([name, each]) => {
    const isOver = leftBytes > limits.cookieBytesLeft;
    leftBytes -= each;
    return isOver ? [name] : [];
  });
}

/** The host and its parents; browsers ignore those that nobody may set cookies for. */
function domainsOf(host: string): readonly string[] {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+){0,9}$/.test(name) || name.length > 253) return [];
  const labels = name.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}

/** Each path whose cookies go with this one. */
function pathsOf(path: string): readonly string[] {
  const folders = (path.split(/[?#;]/, 1)[0] ?? '').split('/').slice(1, limits.cookieRemovalFoldersMax + 1);
  const paths = new Set(['/']);
  folders.forEach((_, at) => {
    const folder = `/${folders.slice(0, at + 1).join('/')}`;
    if (/^[\x21-\x3a\x3c-\x7e]{1,256}$/.test(folder)) paths.add(folder).add(folder.endsWith('/') ? folder : `${folder}/`);
  });
  return [...paths];
}
