/**
 * Requests in, requests out: clients send several on one connection, most of them a little wrong, with more requests hidden in their bodies and
 * behind their ends; the backend reads what arrives with a parser of its own, after the letter of RFC 9112, and now and then says more than it was
 * asked. Each request arrives unchanged, once and in order, and each answer is the answer to its request.
 */
import net from 'node:net';
import { expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { tellCount } from '../../test/support/counts.ts';
import { bodies, ends, oddities } from '../../test/support/odd-requests.ts';
import { token, useBenches } from './testing/harness.ts';

const connections = process.env['SVC_TEST_LONG'] === '1' ? 20_000 : 3_000;
const seed = Number(process.env['SVC_TEST_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

interface Arrived {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Reads a request from the start of the bytes; null while it is not whole. Throws on bytes that no client may send. */
function read(bytes: string): { readonly request: Arrived; readonly rest: string } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line = '', ...headers] = bytes.slice(0, end).split('\r\n');
  if (!/^[A-Z]+ \/[\x21-\x7e]* HTTP\/1\.1$/.test(line)) throw new Error(`no request line: ${JSON.stringify(line)}`);
  for (const header of headers)
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[^\r\n\0]*$/.test(header)) throw new Error(`no header: ${JSON.stringify(header)}`);
  const of = (name: string): readonly string[] =>
    headers.filter((one) => one.toLowerCase().startsWith(`${name}:`)).map((one) => one.slice(name.length + 1).trim());
  const [lengths, codings] = [of('content-length'), of('transfer-encoding')];
  if (lengths.length + codings.length > 1) throw new Error(`two framings: ${headers.join(' | ')}`);
  const rest = bytes.slice(end + 4);
  if (codings.length === 1) {
    if (codings[0] !== 'chunked') throw new Error(`another coding: ${codings[0]}`);
    return readChunks(rest, (body, after) => ({ request: { line, headers, body }, rest: after }));
  }
  const length = lengths.length === 1 ? Number(lengths[0]) : 0;
  if (!/^\d*$/.test(lengths[0] ?? '')) throw new Error(`no length: ${lengths[0]}`);
  return rest.length < length ? null : { request: { line, headers, body: rest.slice(0, length) }, rest: rest.slice(length) };
}

function readChunks<T>(bytes: string, done: (body: string, rest: string) => T): T | null {
  let [body, rest] = ['', bytes];
  for (;;) {
    const end = rest.indexOf('\r\n');
    if (end < 0) return null;
    const size = rest.slice(0, end);
    if (!/^[0-9a-fA-F]{1,8}$/.test(size)) throw new Error(`no chunk size: ${JSON.stringify(size)}`);
    const count = Number.parseInt(size, 16);
    if (count === 0) {
      const last = rest.slice(end).indexOf('\r\n\r\n');
      return last < 0 ? null : done(body, rest.slice(end + last + 4));
    }
    if (rest.length < end + 2 + count + 2) return null;
    if (rest.slice(end + 2 + count, end + 4 + count) !== '\r\n') throw new Error('a chunk without its end');
    body += rest.slice(end + 2, end + 2 + count);
    rest = rest.slice(end + 4 + count);
  }
}

const hidden = (nth: number): string => `GET /escondido/${nth} HTTP/1.1\r\nHost: x\r\n\r\n`;
const methods = ['GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'];

const bench = useBenches();

/** Sends the bytes; what came back, once the portal closed the connection or said nothing for a while: it may wait for a body that is none. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let got = '';
    socket.setTimeout(250, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(got));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

interface Sent {
  readonly paths: readonly string[];
  readonly bytes: string;
}

function conversation(nth: number, host: string, next: () => number): Sent {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const paths = Array.from({ length: 1 + Math.floor(next() * 4) }, (_, k) => `/r/${nth}/${k}`);
  const inner = hidden(nth);
  const written = paths.map((path) => {
    const oddity = next() < 0.6 ? pick(oddities).replaceAll('N', String(inner.length)) : '';
    const body = pick(bodies)(inner);
    const framing = oddity === '' && body !== '' && next() < 0.7 ? `Content-Length: ${body.length}` : oddity;
    const second = next() < 0.1 ? pick(oddities).replaceAll('N', '3') : '';
    const lines = [`Host: ${host}`, framing, second].filter((line) => line !== '');
    return `${pick(methods)} ${path} HTTP/1.1\r\n${lines.join('\r\n')}${oddity === '' ? '\r\n\r\n' : pick(ends)}${body}`;
  });
  // The last one ends the connection, however the ones before were taken.
  return { paths, bytes: `${written.join('')}GET /fim/${nth} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n` };
}

test(`${connections} connections with requests in requests (seed ${seed})`, { timeout: 1_800_000 }, async () => {
  const faults: string[] = [];
  const arrived = new Map<string, number>();
  let [sent, out, poisoned] = [0, 0, 0];
  const answer = ({ line, headers }: Arrived): string => {
    const path = line.split(' ')[1] ?? '';
    arrived.set(path, (arrived.get(path) ?? 0) + 1);
    if (!headers.includes(`X-Svc-App-Token: ${token}`)) faults.push(`${path} came without the token`);
    const whole = `HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\nX-Eco: ${path}\r\n\r\n${line.startsWith('HEAD') ? '' : path}`;
    // Poisons one answer in nineteen, the same ones for the same seed.
    const [, , nth = 0, place = 0] = path.split('/').map(Number);
    if ((seed + nth * 7 + place) % 19 !== 0) return whole;
    poisoned += 1;
    return `${whole}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nroubad`;
  };
  const b = await bench((socket) => {
    let pending = '';
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.toString('latin1');
      try {
        for (let one = read(pending); one !== null; one = read(pending)) {
          pending = one.rest;
          out += 1;
          socket.write(answer(one.request), 'latin1');
        }
      } catch (error) {
        faults.push(`the backend can't read it: ${(error as Error).message}`);
        socket.destroy();
      }
    });
  });
  const left = Array.from({ length: connections }, (_, nth) => nth);
  const client = async (): Promise<void> => {
    for (let nth = left.pop(); nth !== undefined; nth = left.pop()) {
      const { paths, bytes } = conversation(nth, b.host, createRandom(seed + nth).next);
      sent += paths.length + 1;
      const got = await exchange(b.port, bytes);
      const wrong = (what: string): number => faults.push(`#${nth}: ${what}; sent ${JSON.stringify(bytes)}, got ${JSON.stringify(got)}`);
      if (got.includes('roubad')) wrong('a stolen answer came to a client');
      const echoes = [...got.matchAll(/^x-eco: (\S+)/gim)].map((match) => match[1] ?? '');
      if (echoes.some((path) => path.split('/')[2] !== String(nth))) wrong('the answer to somebody else');
      // A request may be refused or swallowed as a body, which ends the connection; what is answered is answered in the order of asking.
      const own = echoes.filter((path) => path.startsWith('/r/'));
      if (own.join() !== paths.filter((path) => own.includes(path)).join()) wrong('answers in another order');
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  // The body of a request without a length is the next request, whoever wrote it: as many arrive as the front took for requests, and no more.
  tellCount(
    `proxy: ${sent} requests on ${connections} connections, ${b.world.handled} taken, ${out} reached the backend, ${poisoned} answers with more behind them, ${faults.length} wrong, seed ${seed}`,
  );
  expect(faults).toEqual([]);
  expect([...arrived].filter(([path, times]) => path.startsWith('/r/') && times > 1)).toEqual([]);
  expect(out).toBeLessThanOrEqual(b.world.handled);
  expect(out).toBeGreaterThan(connections / 2);
  expect(poisoned).toBeGreaterThan(connections / 100);
});
