/**
 * A frontend with a dev server of its own (Vite and its like) under `svc dev --frontend`: pages, files and the WebSocket of its hot reload
 * come from there, on the origin of the app and after the same checks; what is the backend's goes to the backend. A page gets the tags of
 * the SDK, as `web.spa` puts them in. Decision: docs/decisions/0245-frontends-with-a-dev-server.md
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import type { BackendRoute } from '../../schema/gateway.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import type { Site } from '../http/hosts.ts';
import { limits } from './limits.ts';
import { isNavigation, pathOf } from '../http/navigation.ts';
import { pageHead } from '../connections/page-head.ts';
import { escapeHtml } from '../../schema/html.ts';
import { pageLanguage } from '../http/page-language.ts';
import { ownProcess } from '../http/security-headers.ts';
import type { Proxy, ProxyDeps, ProxyTarget } from '../proxy/proxy.ts';
import type { Starts } from '../portal/starts.ts';
import type { DevServer, PortalDev } from './contract.ts';

interface Around {
  readonly starts: Pick<Starts, 'startAndWait'>;
  readonly site: Site;
}

/** `proxy` itself where the app has no dev server. `make` gives a proxy to another place than the backends. */
export function withDevServer(proxy: Proxy, dev: PortalDev | undefined, make: (route: ProxyDeps['route']) => Proxy, around: Around): Proxy {
  const server = dev?.frontend;
  if (dev === undefined || server === undefined) return proxy;
  const pages = make(() => routeTo(server));
  const isPage = ({ app, path }: ProxyTarget): boolean => app === dev.app && !isBackends(pathOf(path), server.backend());
  const both = [proxy, pages];
  return {
    handle: (req, res, target) => {
      if (!isPage(target)) return proxy.handle(req, res, target);
      if (!isNavigation(req)) return pages.handle(req, res, target);
      // The page will ask its backend at once, and only a navigation starts one.
      around.starts
        .startAndWait(target.person, target.app, { by: 'navigation', deadlineMs: sharedLimits.navigationHoldMsMax })
        .catch(() => undefined);
      sendPage(server, around.site, req, res, target).catch(() => res.destroy());
    },
    upgrade: (req, socket, head, target) => (isPage(target) ? pages : proxy).upgrade(req, socket, head, target),
    call: (...call) => proxy.call(...call),
    closeFor: (...which) => proxy.closeFor(...which),
    closeSession: (session) => both.forEach((one) => one.closeSession(session)),
    carried: () => both.flatMap((one) => one.carried()),
    close: () => both.forEach((one) => one.close()),
  };
}

/** `/api` is `/api` itself and all below it; `/__svc/` is the portal's, in the proxy of the backend. */
export function isBackends(path: string, prefixes: readonly string[]): boolean {
  return ['/__svc', ...prefixes].some((prefix) => {
    const bare = prefix.replace(/\/$/, '');
    return path === bare || path.startsWith(`${bare}/`);
  });
}

function routeTo({ host, port }: DevServer): BackendRoute {
  return {
    generation: `${host}:${port}`,
    socketPath: null,
    dial: async () => {
      const socket = net.connect({ host, port, noDelay: true });
      await once(socket, 'connect');
      return socket;
    },
    // It has no gate, so it gets no token.
    token: '-',
    keepIdleMs: 1_000,
  };
}

/** As in the SDK's own: a head in a comment does not count, and an attribute may hold `>`. An unclosed comment or tag goes to the end of the page. */
const headTag = /<!--[\s\S]*?(?:-->|$)|<head(?=[\s>])(?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*(?:>|$)/gi;

/** Adds the tags that `web.spa` puts into the head of the index, by absolute addresses: the page may be at any depth. */
export function withSdkTags(page: string): string {
  const tags = [
    ...(page.includes('_sdk/svc.js') ? [] : ['<script src="/_sdk/svc.js"></script>']),
    ...(page.includes('_sdk/ui/')
      ? []
      : ['<link rel="stylesheet" href="/_sdk/ui/svc-ui.css"><script src="/_sdk/ui/svc-ui.js" defer></script>']),
  ].join('');
  const head = Array.from(page.matchAll(headTag)).find(([found]) => !found.startsWith('<!--'));
  if (head === undefined) return tags + page;
  const at = head.index + head[0].length;
  return page.slice(0, at) + tags + page.slice(at);
}

/** Its own headers stay, but for those of the connection and the length. */
const dropped = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'content-length',
  'content-encoding',
  'etag',
  'last-modified',
]);

async function sendPage(server: DevServer, site: Site, req: IncomingMessage, res: ServerResponse, target: ProxyTarget): Promise<void> {
  let answer: IncomingMessage;
  try {
    answer = await ask(server, req, target);
  } catch (error) {
    return sendAway(server, site, req, res, (error as Error).message);
  }
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !dropped.has(name)));
  const framed = { ...ownProcess, 'content-security-policy': `frame-ancestors 'self' ${site.origin}` };
  if (!/^text\/html\b/i.test(answer.headers['content-type'] ?? '')) {
    res.writeHead(answer.statusCode ?? 502, { ...headers, ...framed });
    answer.on('error', () => res.destroy()).pipe(res);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.devPageBytesMax) return sendAway(server, site, req, res, `its page is larger than ${limits.devPageBytesMax} bytes`);
    chunks.push(chunk);
  }
  const page = Buffer.from(withSdkTags(Buffer.concat(chunks).toString('utf8')));
  res.writeHead(answer.statusCode ?? 502, { ...headers, ...framed, 'cache-control': 'no-store', 'content-length': page.length });
  res.end(req.method === 'HEAD' ? undefined : page);
}

async function ask({ host, port }: DevServer, req: IncomingMessage, target: ProxyTarget): Promise<IncomingMessage> {
  const headers = { host: `${host}:${port}`, accept: 'text/html', 'accept-language': req.headers['accept-language'] ?? '' };
  const asked = http.request({ host, port, path: target.path, method: req.method, headers, timeout: limits.devPageMsMax, agent: false });
  asked.once('timeout', () => asked.destroy(new Error(`no answer within ${limits.devPageMsMax / 1_000} s`)));
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

const away: Readonly<Record<TextLanguage, readonly [title: string, hint: string]>> = {
  pt: ['O servidor do frontend não responde', 'Inicie-o; esta página tenta de novo a cada segundo.'],
  en: ['The frontend’s dev server does not answer', 'Start it; this page tries again every second.'],
};

function sendAway({ host, port }: DevServer, site: Site, req: IncomingMessage, res: ServerResponse, why: string): void {
  const language = pageLanguage(req.headers['accept-language'] ?? '');
  const [title, hint] = away[language];
  const body = Buffer.from(`${pageHead(language, title).replace('</head>', '<meta http-equiv="refresh" content="1"></head>')}
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(hint)}</p>
<p lang="en"><code>http://${escapeHtml(`${host}:${port}`)}: ${escapeHtml(why)}</code></p>
</main>
</body>
</html>
`);
  res.writeHead(502, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    ...ownProcess,
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self' ${site.origin}`,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
