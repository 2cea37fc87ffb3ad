/**
 * The server side of RFC 6455 as far as a small app needs it, on node:http alone: text both ways, ping, close. No extensions.
 * `aceitar` answers the handshake and returns the connection, or null after refusing.
 */
import { createHash } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MESSAGE_BYTES_MAX = 64 * 1024;
const BUFFERED_BYTES_MAX = 256 * 1024;
const CLOSE_WAIT_MS = 2_000;
const OP = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 };

export function frame(op, payload) {
  const { length } = payload;
  let head;
  if (length < 126) {
    head = Buffer.from([0x80 | op, length]);
  } else if (length < 65_536) {
    head = Buffer.alloc(4);
    head.writeUInt16BE(length, 2);
    head.set([0x80 | op, 126]);
  } else {
    head = Buffer.alloc(10);
    head.writeBigUInt64BE(BigInt(length), 2);
    head.set([0x80 | op, 127]);
  }
  return Buffer.concat([head, payload]);
}

/** Reads a client frame at the start of `data`: { op, fin, payload, rest }, null when more bytes are needed. Throws a close code. */
function readFrame(data) {
  if (data.length < 2) return null;
  const op = data[0] & 0x0f;
  const fin = (data[0] & 0x80) !== 0;
  if ((data[0] & 0x70) !== 0 || (data[1] & 0x80) === 0 || !Object.values(OP).includes(op)) throw new CloseWith(1002);
  let length = data[1] & 0x7f;
  let at = 2;
  if (op >= 8 && (!fin || length > 125)) throw new CloseWith(1002);
  if (length === 126) {
    if (data.length < 4) return null;
    length = data.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (data.length < 10) return null;
    const wide = data.readBigUInt64BE(2);
    if (wide > BigInt(MESSAGE_BYTES_MAX)) throw new CloseWith(1009);
    length = Number(wide);
    at = 10;
  }
  if (length > MESSAGE_BYTES_MAX) throw new CloseWith(1009);
  if (data.length < at + 4 + length) return null;
  const mask = data.subarray(at, at + 4);
  const payload = Buffer.from(data.subarray(at + 4, at + 4 + length));
  for (let i = 0; i < length; i += 1) payload[i] ^= mask[i & 3];
  return { op, fin, payload, rest: data.subarray(at + 4 + length) };
}

class CloseWith extends Error {
  constructor(code) {
    super(`close ${code}`);
    this.code = code;
  }
}

function handshake(req, socket) {
  const key = req.headers['sec-websocket-key'] ?? '';
  const ok =
    req.method === 'GET' &&
    (req.headers.upgrade ?? '').toLowerCase() === 'websocket' &&
    req.headers['sec-websocket-version'] === '13' &&
    Buffer.from(key, 'base64').length === 16;
  if (!ok) {
    socket.end('HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return false;
  }
  const accept = createHash('sha1')
    .update(key + GUID)
    .digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  return true;
}

export function aceitar(req, socket, head, { aoTexto = () => {}, aoFechar = () => {} } = {}) {
  socket.on('error', () => socket.destroy());
  if (!handshake(req, socket)) return null;
  socket.setNoDelay(true);
  socket.setTimeout(0);
  let pending = head;
  let parts = [];
  let open = true;

  const fechar = (code = 1000) => {
    if (!open) return;
    open = false;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    socket.end(frame(OP.close, payload));
    setTimeout(() => socket.destroy(), CLOSE_WAIT_MS).unref();
  };
  const take = ({ op, fin, payload }) => {
    if (op === OP.ping) socket.write(frame(OP.pong, payload));
    else if (op === OP.close) fechar(payload.length >= 2 ? payload.readUInt16BE(0) : 1000);
    else if (op === OP.text || op === OP.continuation) {
      if ((op === OP.text) === parts.length > 0) throw new CloseWith(1002);
      parts.push(payload);
      if (parts.reduce((sum, part) => sum + part.length, 0) > MESSAGE_BYTES_MAX) throw new CloseWith(1009);
      if (!fin) return;
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
      parts = [];
      aoTexto(text);
    }
  };
  const read = (data) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    try {
      for (let next = readFrame(pending); next !== null; next = open ? readFrame(pending) : null) {
        pending = next.rest;
        take(next);
      }
    } catch (problem) {
      fechar(problem instanceof CloseWith ? problem.code : 1007);
    }
  };
  socket.on('data', read);
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    open = false;
    aoFechar();
  });
  if (head.length > 0) read(Buffer.alloc(0));
  return {
    fechar,
    /** A reader that is too slow is let go: it comes back by itself and gets the present, not the past. */
    enviar(text) {
      if (!open) return;
      if (socket.writableLength > BUFFERED_BYTES_MAX) socket.destroy();
      else socket.write(frame(OP.text, Buffer.from(text)));
    },
  };
}
