/** Serves pages for browser tests as the portal would: `_sdk/…` as setup/build.ts makes it, the rest from a table or from a backend's socket. */
import { readFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../build/sdk/web/', import.meta.url));
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

export interface PageServer {
  readonly port: number;
  close(): void;
}

function serveSdk(path: string, res: ServerResponse): void {
  try {
    const body = readFileSync(join(web, path));
    res.writeHead(200, { 'Content-Type': `${types[extname(path)] ?? 'text/plain'}; charset=utf-8` }).end(body);
  } catch {
    res.writeHead(404).end();
  }
}

async function listen(
  handler: (req: IncomingMessage, res: ServerResponse) => void,
  upgrade?: (req: IncomingMessage, socket: NodeJS.WritableStream & { pipe: never }) => void,
): Promise<PageServer> {
  const server = createServer((req, res) => {
    const sdk = /^\/_sdk\/((?:ui\/)?[\w.-]+)$/.exec(req.url ?? '');
    if (sdk) serveSdk(sdk[1]!, res);
    else handler(req, res);
  });
  if (upgrade) server.on('upgrade', upgrade as never);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** HTML pages by path. */
export function servePages(pages: Readonly<Record<string, string>>): Promise<PageServer> {
  return listen((req, res) => {
    const page = pages[(req.url ?? '').split('?', 1)[0] ?? ''];
    if (page === undefined) res.writeHead(404).end();
    else res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  });
}

/** A backend's socket with its token added, HTTP and upgrades; 502 while it is away. */
export function serveBackend(socketPath: string, token: string): Promise<PageServer> {
  const own = (req: IncomingMessage): Record<string, string | string[] | undefined> => ({ ...req.headers, 'x-svc-app-token': token });
  return listen(
    (req, res) => {
      const onward = request({ socketPath, method: req.method, path: req.url, headers: own(req) }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
      req.pipe(onward);
    },
    (req, socket) => {
      const backend = connect(socketPath);
      const lines = Object.entries(own(req)).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      backend.on('connect', () => backend.write(`GET ${req.url} HTTP/1.1\r\n${lines.join('')}\r\n`));
      const browser = socket as unknown as typeof backend;
      for (const [from, to] of [
        [backend, browser],
        [browser, backend],
      ] as const) {
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    },
  );
}
