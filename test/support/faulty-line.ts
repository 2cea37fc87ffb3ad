/** HTTP between a program and the portal that loses answers and breaks off in the middle of bodies, as networks do. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `lose`: done, and no answer comes. `cut-up`, `cut-down`: half of the body of the request, or of the answer, and then nothing. */
type Fault = 'lose' | 'cut-up' | 'cut-down' | null;

export interface FaultyLine {
  readonly url: string;
  /** Called once for each request, `METHOD path`, with what it says in Range. */
  fault: (what: string, range: string | undefined) => Fault;
  close(): Promise<void>;
}

export async function openFaultyLine(to: string): Promise<FaultyLine> {
  const server = createServer(
    (req, res) => void carry(new URL(req.url ?? '/', to), req, res, line.fault(`${req.method} ${req.url}`, req.headers.range)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line: FaultyLine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => null,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return line;
}

async function carry(url: URL, req: IncomingMessage, res: ServerResponse, fault: Fault): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const out = request(url, { method: req.method, headers: { ...req.headers, host: url.host } });
  out.on('error', () => res.destroy());
  out.on('response', (answer) => {
    if (fault === 'lose') {
      answer.resume().on('end', () => res.destroy());
      return;
    }
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    if (fault !== 'cut-down') {
      answer.pipe(res);
      return;
    }
    const half = Number(answer.headers['content-length'] ?? 2) / 2;
    let sent = 0;
    answer.on('data', (chunk: Buffer) => {
      sent += chunk.length;
      if (sent < half) res.write(chunk);
      else res.write(chunk, () => res.destroy());
    });
  });
  if (fault !== 'cut-up') return void out.end(body);
  out.write(body.subarray(0, body.length / 2), () => {
    out.destroy();
    res.destroy();
  });
}
