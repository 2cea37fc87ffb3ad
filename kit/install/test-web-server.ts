/** A real http server with one engine tarball, which cuts connections, loses its memory or lies as a test asks. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { packFolder } from '../archive/pack.ts';

export interface EngineTarball {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** A tarball of about so many bytes that gzip can't make smaller, with `bin/motor` in it. */
export async function makeEngine(dir: string, size: number, name = 'motor-1.0'): Promise<EngineTarball> {
  const folder = join(dir, 'engine-source');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin/motor'), '#!/bin/sh\necho motor\n', { mode: 0o755 });
  writeFileSync(join(folder, 'weights'), randomBytes(size));
  const out = join(dir, 'engine.tgz');
  rmSync(out, { force: true });
  await packFolder(folder, { root: name, out });
  const bytes = readFileSync(out);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export interface Asked {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

export interface Behaviour {
  /** Ends the connection when so many bytes of the file were sent; answers null for never. */
  cutAt: (attempt: number) => number | null;
  etag: string | null;
  ranges: boolean;
  status: number;
  redirectTo: string | null;
  /** How a connection is cut: closed after what was sent arrived, or reset. */
  cut: 'close' | 'reset';
  /** A pause after each piece of 256 KiB, so that a test can act in the middle. */
  pauseMs: number;
}

export interface EngineServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Bytes that went into the sockets, heads of answers included. */
  readonly wire: () => number;
  readonly behaviour: Behaviour;
  close(): void;
}

export async function serveEngine(tarball: () => Buffer): Promise<EngineServer> {
  const asked: Asked[] = [];
  const behaviour: Behaviour = { cutAt: () => null, etag: '"one"', ranges: true, status: 200, redirectTo: null, cut: 'close', pauseMs: 0 };
  let closed = 0;
  const open = new Set<Socket>();
  const server = http.createServer((request, response) => {
    const bytes = tarball();
    const attempt = asked.length;
    asked.push({ range: request.headers.range, ifRange: request.headers['if-range']?.toString() });
    if (behaviour.redirectTo !== null || behaviour.status !== 200) {
      response.writeHead(behaviour.redirectTo === null ? behaviour.status : 302, { location: behaviour.redirectTo ?? '' }).end();
      return;
    }
    const match = /^bytes=([0-9]+)-$/.exec(request.headers.range ?? '');
    const known = request.headers['if-range'] === undefined || request.headers['if-range'] === behaviour.etag;
    const start = match !== null && behaviour.ranges && known ? Number(match[1]) : 0;
    const end = behaviour.cutAt(attempt) ?? bytes.length;
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': bytes.length - start,
      ...(start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
      ...(behaviour.etag === null ? {} : { etag: behaviour.etag }),
    });
    const finish = async (): Promise<void> => {
      await sendPieces(response, bytes.subarray(start, Math.max(start, end)), behaviour.pauseMs);
      if (end >= bytes.length) response.end();
      else if (behaviour.cut === 'reset') response.socket?.resetAndDestroy();
      else response.socket?.destroySoon();
    };
    void finish();
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/motor/rosto/1.0`,
    asked,
    wire: () => [...open].reduce((sum, socket) => sum + socket.bytesWritten, closed),
    behaviour,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** With back-pressure; ends when the reader went away. */
async function sendPieces(response: http.ServerResponse, bytes: Buffer, pauseMs: number): Promise<void> {
  const piece = 256 * 1_024;
  for (let at = 0; at < bytes.length && !response.destroyed; at += piece) {
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(bytes.subarray(at, at + piece), () => {
        response.off('close', resolve);
        resolve();
      });
    });
    if (pauseMs > 0) await sleep(pauseMs);
  }
}
