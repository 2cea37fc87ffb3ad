/**
 * A request head that is larger than the limit. Nearly always it is cookies: the script of an app may set some for the portal's whole
 * domain, and then every request to the shell and to every app carries them. The answer removes them (domain-cookies.ts); a person also gets
 * a page that does so by script (scripts see and delete what scripts set) and loads again. Decision: docs/decisions/0041-paths-and-headers-of-the-proxy.md
 */
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../schema/clock.ts';
import { removalsOfHead } from './domain-cookies.ts';
import { limits } from '../limits.ts';
import { problemText } from '../../schema/texts/problems.ts';
import { pageHead, pageStyleHash, sourceHash } from './page-head.ts';
import { escapeHtml } from '../../schema/html.ts';
import { pageLanguage } from '../http/page-language.ts';
import { ownProcess } from '../http/security-headers.ts';

/**
 * Deletes cookies that were set for a parent domain, with any path; cookies of this host stay. Reloads if that changed something, and else a few times:
 * what the answer removed itself is gone before this runs.
 */
const script = `(() => {
  'use strict';
  const before = document.cookie.length;
  const names = new Set(document.cookie.split('; ').map((pair) => pair.split('=', 1)[0]).concat(''));
  const domains = location.hostname.split('.').map((_, index, labels) => labels.slice(index).join('.'));
  const folders = location.pathname.split('/').slice(1, 12);
  const paths = new Set(['/']);
  folders.forEach((_, index) => {
    const path = '/' + folders.slice(0, index + 1).join('/');
    paths.add(path).add(path + '/');
  });
  for (const name of names)
    for (const domain of domains)
      for (const path of paths)
        for (const kind of ['', '; Secure; SameSite=None; Partitioned'])
          document.cookie = name + '=; Max-Age=0; Path=' + path + '; Domain=' + domain + kind;
  let isAllowed = document.cookie.length < before;
  try {
    const recent = (sessionStorage.getItem('svc.large-head') ?? '').split(',').filter((ms) => ms > Date.now() - 60000);
    isAllowed ||= recent.length < ${limits.largeHeadReloadsMax};
    sessionStorage.setItem('svc.large-head', recent.concat(Date.now()).join(','));
  } catch {}
  if (isAllowed) location.reload();
})();`;

const hints = {
  pt: 'Um aplicativo deixou cookies demais neste navegador. Esta página os apaga e se recarrega. Se ela ficar aqui, apague os cookies deste endereço.',
  en: 'An app left too many cookies in this browser. This page removes them and loads again. If it stays, delete the cookies of this address.',
} as const;

export interface LargeHeadPage {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

export function largeHeadPage(acceptLanguage: string, framedBy: string): LargeHeadPage {
  const language = pageLanguage(acceptLanguage);
  const title = problemText('HEADERS_TOO_LARGE', language) ?? '';
  const body = Buffer.from(`${pageHead(language, title)}
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${hints[language]}</p>
<p lang="en"><code>HEADERS_TOO_LARGE</code></p>
</main>
<script>${script}</script>
</body>
</html>
`);
  const policy = `default-src 'none'; script-src ${sourceHash(script)}; style-src ${pageStyleHash}; base-uri 'none'; form-action 'none'; frame-ancestors 'self' ${framedBy}`;
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
      'content-security-policy': policy,
      ...ownProcess,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

/** Statuses of requests that can't be read; anything else is 400. */
const unreadable: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers requests that node:http can't parse: its default answers have no body, which a browser shows as its own error page. */
export function answerUnreadable(server: Server, clock: Clock, framedBy: () => string): void {
  const last = new WeakMap<object, ServerResponse>();
  const answered = new WeakSet<object>();
  server.on('request', (req, res) => last.set(req.socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Reads and discards the bytes after a refused head; otherwise the answer would be lost with the connection.
    if (answered.has(socket)) return;
    const response = last.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || (response !== undefined && !response.writableFinished)) {
      socket.destroy();
      return;
    }
    answered.add(socket);
    const { rawPacket } = error as { readonly rawPacket?: Buffer };
    socket.end(answerTo(unreadable[error.code ?? ''] ?? 400, framedBy(), rawPacket?.toString('latin1') ?? ''));
    socket.once(
      'close',
      clock.at(clock.monotonicMs() + limits.refusedHeadLingerMs, () => socket.destroy()),
    );
  });
}

/** `head`: of what was refused, as much as one read brought. */
function answerTo(status: number, framedBy: string, head: string): Buffer {
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n`;
  if (status !== 431) return Buffer.from(`${start}Content-Length: 0\r\n\r\n`);
  const { headers, body } = largeHeadPage('', framedBy);
  const all = [...Object.entries(headers), ...removalsOfHead(head).map((line) => ['set-cookie', line] as const)];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${start}${lines.join('')}\r\n`), body]);
}
