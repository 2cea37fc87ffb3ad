/**
 * A WebSocket client made for load: frames are prepared ahead and written as they are, what comes in is read in place from one buffer
 * that all sockets share, and only a frame that a read has cut is copied.
 */
import { randomBytes } from 'node:crypto';
import net from 'node:net';

export interface SocketPlace {
  readonly port: number;
  readonly host: string;
  /** With the query. */
  readonly path: string;
}

export interface LoadSocket {
  /** Frames made with `frameOf` or `packFrames`. */
  write(frames: Uint8Array): void;
  /** Reads nothing until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface SocketEvents {
  open(): void;
  /** The payload lies in buffer[from, to) and is gone when the call returns. */
  frame(buffer: Buffer, from: number, to: number): void;
  /** `code` of the close frame, 1006 when there was none, or the status of a refused upgrade. */
  closed(code: number): void;
}

const mask = randomBytes(4);
const shared = Buffer.allocUnsafeSlow(256 * 1_024);

function headSize(length: number): number {
  return length < 126 ? 6 : length < 65_536 ? 8 : 14;
}

function writeFrame(target: Buffer, at: number, payload: Uint8Array, opcode: number): number {
  const length = payload.length;
  target[at] = 0x80 | opcode;
  let next = at + 2;
  if (length < 126) target[at + 1] = 0x80 | length;
  else if (length < 65_536) {
    target[at + 1] = 0x80 | 126;
    next = target.writeUInt16BE(length, next);
  } else {
    target[at + 1] = 0x80 | 127;
    next = target.writeBigUInt64BE(BigInt(length), next);
  }
  target.set(mask, next);
  next += 4;
  for (let index = 0; index < length; index += 1) target[next + index] = payload[index]! ^ mask[index & 3]!;
  return next + length;
}

/** Builds a masked frame, binary unless another opcode is named. */
export function frameOf(payload: Uint8Array, opcode = 2): Buffer {
  const frame = Buffer.allocUnsafeSlow(headSize(payload.length) + payload.length);
  writeFrame(frame, 0, payload, opcode);
  return frame;
}

/** Frames that lie one after the other, so that any run of them is one write. `ends[n]` is where frame n ends. */
export interface PackedFrames {
  readonly bytes: Buffer;
  readonly ends: Uint32Array;
}

export function packFrames(payloads: readonly Uint8Array[]): PackedFrames {
  const bytes = Buffer.allocUnsafeSlow(payloads.reduce((sum, payload) => sum + headSize(payload.length) + payload.length, 0));
  const ends = new Uint32Array(payloads.length);
  let at = 0;
  for (let n = 0; n < payloads.length; n += 1) {
    at = writeFrame(bytes, at, payloads[n]!, 2);
    ends[n] = at;
  }
  return { bytes, ends };
}

/** Frames first … end - 1. */
export function runOf({ bytes, ends }: PackedFrames, first: number, end: number): Uint8Array {
  return bytes.subarray(first === 0 ? 0 : ends[first - 1], ends[end - 1]);
}

/** Whole size of the frame at `at`; 0: its head isn't whole yet. */
function frameSize(buffer: Buffer, at: number, end: number): number {
  if (end - at < 2) return 0;
  const length = buffer[at + 1]! & 127;
  if (length < 126) return 2 + length;
  if (length === 126) return end - at < 4 ? 0 : 4 + buffer.readUInt16BE(at + 2);
  return end - at < 10 ? 0 : 10 + buffer.readUInt32BE(at + 6);
}

export function openLoadSocket(place: SocketPlace, on: SocketEvents): LoadSocket {
  let head = '';
  let upgraded = false;
  let code = 1006;
  /** A frame that a read cut: its bytes so far, in a buffer of its whole size once that is known. */
  let cut: { buffer: Buffer; filled: number; size: number } | null = null;

  const take = (buffer: Buffer, at: number, end: number): void => {
    const length = buffer[at + 1]! & 127;
    const from = at + (length < 126 ? 2 : length === 126 ? 4 : 10);
    const opcode = buffer[at]! & 15;
    if (opcode === 2 || opcode === 1) on.frame(buffer, from, end);
    else if (opcode === 9) socket.write(frameOf(buffer.subarray(from, end), 10));
    else if (opcode === 8) {
      code = end - from >= 2 ? buffer.readUInt16BE(from) : 1005;
      socket.end(frameOf(buffer.subarray(from, Math.min(end, from + 2)), 8));
    }
  };
  /** Takes what is missing of a cut frame; answers where the next one begins. */
  const mend = (buffer: Buffer, at: number, end: number): number => {
    const held = cut!;
    if (held.size === 0) {
      // Fewer than ten bytes are held: read the head again with the bytes that follow.
      const joined = Buffer.concat([held.buffer.subarray(0, held.filled), buffer.subarray(at, end)]);
      cut = null;
      parse(joined, 0, joined.length);
      return end;
    }
    const wanted = Math.min(held.size - held.filled, end - at);
    buffer.copy(held.buffer, held.filled, at, at + wanted);
    held.filled += wanted;
    if (held.filled === held.size) {
      cut = null;
      take(held.buffer, 0, held.size);
    }
    return at + wanted;
  };
  const parse = (buffer: Buffer, start: number, end: number): void => {
    let at = start;
    while (at < end) {
      if (cut !== null) {
        at = mend(buffer, at, end);
        continue;
      }
      const size = frameSize(buffer, at, end);
      if (size === 0 || at + size > end) {
        const held = Buffer.allocUnsafeSlow(Math.max(size, 16));
        cut = { buffer: held, filled: buffer.copy(held, 0, at, end), size };
        return;
      }
      take(buffer, at, at + size);
      at += size;
    }
  };
  const read = (size: number): boolean => {
    if (upgraded) {
      parse(shared, 0, size);
      return true;
    }
    head += shared.toString('latin1', 0, size);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return true;
    if (!head.startsWith('HTTP/1.1 101 ')) {
      code = Number(head.slice(9, 12));
      socket.destroy();
      return true;
    }
    upgraded = true;
    const rest = Buffer.from(head.slice(end + 4), 'latin1');
    head = '';
    on.open();
    parse(rest, 0, rest.length);
    return true;
  };
  const socket = net.connect({
    port: place.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: shared, callback: read },
  });
  socket.on('connect', () =>
    socket.write(
      `GET ${place.path} HTTP/1.1\r\nHost: ${place.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    ),
  );
  socket.on('error', () => {});
  socket.on('close', () => on.closed(code));
  return {
    write: (frames) => void socket.write(frames),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.end(frameOf(new Uint8Array([3, 232]), 8)),
  };
}
