/** Attachments over the portal's own HTTP border, with the bytes on a real disk. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { collector } from '../../schema/garbage.ts';
import { limits } from '../rooms/limits.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
let bia: Browser;
let id: string;
beforeAll(async () => {
  world = await createPortalWorld();
  [ana, bia] = await Promise.all([world.signedIn('ana'), world.signedIn('bia')]);
});
beforeEach(async () => {
  id = (await ana.call('POST', '/api/salas?app=notas', { nome: 'Atas' })).json().id;
});
afterAll(() => world.close());

interface Options {
  readonly as?: Browser;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly chunked?: boolean;
}
const shaOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function call(method: string, target: string, { as = ana, headers = {}, body, chunked = false }: Options = {}) {
  const own = { host: world.host, origin: world.url, 'sec-fetch-site': 'same-origin', cookie: as.cookies.get(world.host) ?? '' };
  const length = body === undefined || chunked ? {} : { 'content-length': String(body.length) };
  const url = `http://127.0.0.1:${world.port}${target}?app=notas`;
  const req = http.request(url, { method, headers: { ...own, ...length, ...headers }, agent: false });
  // Whoever is turned away in the middle may be reset after the answer.
  req.on('error', () => undefined);
  req.end(body);
  const [res] = (await once(req, 'response')) as [http.IncomingMessage];
  const bytes = await buffer(res);
  return { status: res.statusCode, headers: res.headers, bytes, json: () => JSON.parse(bytes.toString()) };
}
const put = (body: Buffer, options: Options = {}) =>
  call('PUT', `/api/salas/${id}/anexos`, { ...options, body, headers: { 'content-type': 'image/png', ...options.headers } });
const onDisk = (): readonly string[] => readdirSync(path.join(world.dir, 'anexos', id));
const openFiles = (): readonly string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(path.join(world.dir, 'anexos')) ? [file] : [];
    } catch {
      return [];
    }
  });
const letIn = (papel: string) => ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel });

test('bytes come back under their sha256, for everybody in the room', async () => {
  const bytes = randomBytes(300_000);
  const sha = shaOf(bytes);
  const answer = await put(bytes);
  expect([answer.status, answer.json()]).toEqual([200, { sha, tamanho: 300_000, tipo: 'image/png' }]);
  await letIn('ver');
  const got = await call('GET', `/api/salas/${id}/anexos/${sha}`, { as: bia });
  expect(got.status).toBe(200);
  expect(got.bytes.equals(bytes)).toBe(true);
  expect(got.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': '300000',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
    'content-disposition': 'inline',
    etag: `"${sha}"`,
    'cache-control': 'private, max-age=31536000, immutable',
  });
  expect(onDisk()).toEqual([sha]);
  expect(statSync(path.join(world.dir, 'anexos', id)).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(world.dir, 'anexos', id, sha)).mode & 0o777).toBe(0o600);
});

test('whoever took all of it leaves no open file to the collection of garbage', async () => {
  const { sha } = (await put(randomBytes(300_000))).json();
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', onWarning);
  const collect = collector();
  await call('GET', `/api/salas/${id}/anexos/${sha}`);
  await expect
    .poll(() => {
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      return openFiles();
    })
    .toEqual([]);
  await turn();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

test('ranges, preconditions and HEAD', async () => {
  const bytes = randomBytes(1_000);
  const { sha } = (await put(bytes)).json();
  const get = (headers: Record<string, string>, method = 'GET') => call(method, `/api/salas/${id}/anexos/${sha}`, { headers });
  const part = await get({ range: 'bytes=10-19' });
  expect([part.status, part.headers['content-range'], part.bytes]).toEqual([206, 'bytes 10-19/1000', bytes.subarray(10, 20)]);
  const clamped = await get({ range: 'bytes=990-99999999999999999999' });
  expect([clamped.status, clamped.headers['content-range'], clamped.bytes.length]).toEqual([206, 'bytes 990-999/1000', 10]);
  const beyond = await get({ range: 'bytes=1000-' });
  expect([beyond.status, beyond.headers['content-range'], beyond.bytes.length]).toEqual([416, 'bytes */1000', 0]);
  expect((await get({ 'if-none-match': `"${sha}"` })).status).toBe(304);
  const head = await get({}, 'HEAD');
  expect([head.status, head.headers['content-length'], head.headers.etag, head.bytes.length]).toEqual([200, '1000', `"${sha}"`, 0]);
});

const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
test.for([
  ['text/html', png, 'image/png', /^inline$/],
  ['image/png', Buffer.from('alert(0)'), 'image/png', /^inline$/],
  ['image/webp', Buffer.from('RIFF0000WEBPVP8 '), 'image/webp', /^inline$/],
  ['image/svg+xml', Buffer.from('<svg/>'), 'image/svg+xml', /^attachment; filename=/],
  ['text/html; charset=utf-8', Buffer.from('<script>'), 'application/octet-stream', /^attachment; filename=/],
  ['text/javascript', Buffer.from('alert(1)'), 'application/octet-stream', /^attachment; filename=/],
  ['application/ecmascript', Buffer.from('alert(2)'), 'application/octet-stream', /^attachment; filename=/],
  ['text/css', Buffer.from('a{}'), 'application/octet-stream', /^attachment; filename=/],
  ['application/xhtml+xml', Buffer.from('<a/>'), 'application/octet-stream', /^attachment; filename=/],
  ['application/vnd.mozilla.xul+xml', Buffer.from('<b/>'), 'application/octet-stream', /^attachment; filename=/],
  ['application/json', Buffer.from('{"a":1}'), 'application/json', /^attachment; filename=/],
  ['text/plain', Buffer.from('%PDF-1.7'), 'application/pdf', /^attachment; filename=/],
  ['Video/MP4', Buffer.from('no film'), 'video/mp4', /^attachment; filename=/],
] as const)('%s of %s is served as %s and never runs here', async ([header, bytes, tipo, disposition]) => {
  expect((await put(bytes, { headers: { 'content-type': header } })).json()).toMatchObject({ tipo });
  const got = await call('GET', `/api/salas/${id}/anexos/${shaOf(bytes)}`);
  expect(got.headers).toMatchObject({
    'content-type': tipo,
    'content-disposition': expect.stringMatching(disposition),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  expect(got.bytes.equals(bytes)).toBe(true);
});

test('what was stored as a script before is served as bytes', async () => {
  const bytes = Buffer.from('alert(3)');
  await put(bytes);
  await world.store.rooms.putAttachment({ sala: id, sha: shaOf(bytes), bytes: 8, tipo: 'text/javascript', atMs: 1 }, 100);
  expect((await call('GET', `/api/salas/${id}/anexos/${shaOf(bytes)}`)).headers['content-type']).toBe('application/octet-stream');
});

test.for([
  ['script', 403],
  ['style', 403],
  ['worker', 403],
  ['sharedworker', 403],
  ['serviceworker', 403],
  ['audioworklet', 403],
  ['object', 403],
  ['xslt', 403],
  ['json', 403],
  ['image', 200],
  ['empty', 200],
] as const)('a page that wants it as %s is answered %i', async ([dest, status]) => {
  const { sha } = (await put(png)).json();
  expect((await call('GET', `/api/salas/${id}/anexos/${sha}`, { headers: { 'sec-fetch-dest': dest } })).status).toBe(status);
});

test('a service worker of a browser that says only that is refused', async () => {
  const { sha } = (await put(png)).json();
  expect((await call('GET', `/api/salas/${id}/anexos/${sha}`, { headers: { 'service-worker': 'script' } })).status).toBe(403);
});

test('the same bytes are kept once in a room, whatever they are called', async () => {
  const bytes = randomBytes(500);
  await put(bytes);
  const [again, other] = await Promise.all([put(bytes, { headers: { 'content-type': 'text/html' } }), put(bytes)]);
  expect([again.json().tipo, other.json().tipo]).toEqual(['image/png', 'image/png']);
  expect((await put(bytes, { headers: { 'content-type': 'text/csv' } })).json().tipo).toBe('text/csv');
  expect((await call('GET', `/api/salas/${id}/anexos/${shaOf(bytes)}`)).headers['content-type']).toBe('text/csv');
  expect(onDisk()).toEqual([shaOf(bytes)]);
  expect(await world.store.rooms.attachmentBytes(id)).toBe(500);
});

test('one file too large is refused with the figures, announced or not, and leaves nothing', async () => {
  const bytes = Buffer.alloc(limits.attachmentBytesMax + 1);
  for (const answer of [await put(bytes), await put(bytes, { chunked: true })]) {
    expect([answer.status, answer.json()]).toEqual([413, expect.objectContaining({ code: 'TOO_LARGE', bytesMax: 33_554_432 })]);
  }
  await put(Buffer.from('small'));
  await expect.poll(onDisk).toHaveLength(1);
});

test('after a refusal in the middle of a body the connection goes on with the next request', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const own = { host: world.host, origin: world.url, 'sec-fetch-site': 'same-origin', cookie: ana.cookies.get(world.host) ?? '' };
  const ask = async (method: string, body?: Buffer) => {
    const url = `http://127.0.0.1:${world.port}/api/salas/${id}${method === 'PUT' ? '/anexos' : ''}?app=notas`;
    const req = http.request(url, {
      method,
      headers: body ? { ...own, 'content-type': 'image/png', 'transfer-encoding': 'chunked' } : own,
      agent,
    });
    req.end(body);
    const [res] = (await once(req, 'response')) as [http.IncomingMessage];
    await buffer(res);
    return [res.statusCode, req.socket?.localPort];
  };
  // Nobody knows how long it is before it is too long; what comes after that is still on its way.
  const [refused, port] = await ask('PUT', Buffer.alloc(limits.attachmentBytesMax + 16 * 1_024 * 1_024));
  expect(refused).toBe(413);
  expect(await ask('GET')).toEqual([200, port]);
  agent.destroy();
});

test('a room that would hold more is refused with the figures, and leaves nothing', async () => {
  const row = { sala: id, sha: 'f'.repeat(64), bytes: limits.roomAttachmentBytesMax - 10, tipo: 'image/png', atMs: 1 };
  await world.store.rooms.putAttachment(row, limits.roomAttachmentBytesMax);
  expect((await put(Buffer.alloc(10))).status).toBe(200);
  const full = await put(Buffer.alloc(11));
  expect([full.status, full.json()]).toEqual([
    413,
    expect.objectContaining({ bytes: 11, roomBytes: 536_870_912, roomBytesMax: 536_870_912 }),
  ]);
  expect(onDisk()).toHaveLength(1);
});

test('an upload that breaks off, or says more than it sends, leaves nothing', async () => {
  const socket = net.connect(world.port, '127.0.0.1');
  const cookie = ana.cookies.get(world.host) ?? '';
  socket.write(
    `PUT /api/salas/${id}/anexos?app=notas HTTP/1.1\r\nhost: ${world.host}\r\norigin: ${world.url}\r\ncookie: ${cookie}\r\n` +
      'content-type: image/png\r\ncontent-length: 100\r\n\r\nhalf',
  );
  await expect.poll(onDisk).toHaveLength(1);
  socket.destroy();
  await expect.poll(onDisk).toHaveLength(0);
});

test('who only reads puts nothing; who is not in the room sees none', async () => {
  const bytes = randomBytes(10);
  await put(bytes);
  const get = () => call('GET', `/api/salas/${id}/anexos/${shaOf(bytes)}`, { as: bia });
  expect([(await put(bytes, { as: bia })).status, (await get()).status]).toEqual([404, 404]);
  await letIn('ver');
  expect([(await put(bytes, { as: bia })).status, (await get()).status]).toEqual([403, 200]);
  await letIn('comentar');
  expect([(await put(bytes, { as: bia })).status, (await get()).status]).toEqual([200, 200]);
  expect((await call('GET', `/api/salas/${id}/anexos/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await call('GET', `/api/salas/${id}/anexos/..%2f${shaOf(bytes)}`)).status).toBe(400);
});

test.for([
  ['taken out', () => ana.call('DELETE', `/api/salas/${id}/pessoas/bia?app=notas`), 404],
  ['let only read', () => letIn('ver'), 403],
] as const)('who is %s while the bytes come in adds nothing', async ([, change, status]) => {
  await letIn('editar');
  const own = { host: world.host, origin: world.url, 'sec-fetch-site': 'same-origin', cookie: bia.cookies.get(world.host) ?? '' };
  const url = `http://127.0.0.1:${world.port}/api/salas/${id}/anexos?app=notas`;
  const req = http.request(url, { method: 'PUT', headers: { ...own, 'content-type': 'image/png' }, agent: false });
  const answered = once(req, 'response') as Promise<[http.IncomingMessage]>;
  req.write(randomBytes(1_000));
  // The first bytes lie in a file of their own.
  await expect.poll(onDisk).toHaveLength(1);
  await change();
  req.end(randomBytes(1_000));
  const [res] = await answered;
  res.resume();
  expect(res.statusCode).toBe(status);
  await expect.poll(onDisk).toHaveLength(0);
});

test('a room that leaves the bin takes its bytes along', async () => {
  await put(randomBytes(10));
  await ana.call('DELETE', `/api/salas/${id}?app=notas`);
  expect(readdirSync(path.join(world.dir, 'anexos'))).toContain(id);
  expect((await ana.call('DELETE', `/api/salas/apagadas/${id}`)).status).toBe(204);
  expect(readdirSync(path.join(world.dir, 'anexos'))).not.toContain(id);
});
