/**
 * Packets of SFTP version 3, as OpenSSH speaks it, read strictly: a length, a type, fields. Names are bytes here; ssh2's own SFTP makes text of
 * them and loses those that are no UTF-8. Source: draft-ietf-secsh-filexfer-02; OpenSSH's PROTOCOL, section 4.
 */
import { SvcError } from '../../../schema/errors.ts';
import type { FileFacts } from '../file-system.ts';
import { limits } from '../limits.ts';

export const types = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const;

export const statuses = { ok: 0, eof: 1, missing: 2, denied: 3, failure: 4, badMessage: 5, unsupported: 8 } as const;
/** `itself`: our own, never through a link as the last name. */
export const openFlags = { read: 1, write: 2, create: 8, exclusive: 32, itself: 0x1000_0000 } as const;

export function badPacket(what: string): SvcError {
  return new SvcError('FILE_FAILED', `the server spoke no proper SFTP: ${what}`);
}

/** Fields of a packet, one after the other; throws for what does not fit. */
export class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw badPacket('a packet is too short');
    this.#at += length;
    return at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  /** All of its digits. */
  u64Text(): string {
    return String(this.#bytes.readBigUInt64BE(this.#take(8)));
  }

  u64(): number {
    const value = Number(this.#bytes.readBigUInt64BE(this.#take(8)));
    // Beyond that neighbouring numbers are the same.
    return Math.min(value, Number.MAX_SAFE_INTEGER);
  }

  bytes(): Buffer {
    const length = this.u32();
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(): string {
    return this.bytes().toString('latin1');
  }

  isDone(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** From where it is now; this one stays there. */
  copy(): Fields {
    return new Fields(this.#bytes.subarray(this.#at));
  }

  attributes(): FileFacts {
    const present = this.u32();
    const bytes = present & 1 ? this.u64() : 0;
    const uid = present & 2 ? this.u32() : 0;
    if (present & 2) this.u32();
    const mode = present & 4 ? this.u32() : 0;
    if (present & 8) this.u32();
    const modifiedMs = present & 8 ? this.u32() * 1_000 : 0;
    const times = present & 0x80000000 ? this.#times() : null;
    return { kind: kindOf(mode), bytes, mode: mode & 0o7777, modifiedMs, changedMs: null, uid, ...times };
  }

  /** Reads the times that our own server adds to the draft; the extensions of others are skipped. */
  #times(): Pick<FileFacts, 'modifiedMs' | 'changedMs'> | null {
    const count = this.u32();
    if (count > 64) throw badPacket('too many attributes');
    let times: Pick<FileFacts, 'modifiedMs' | 'changedMs'> | null = null;
    for (let n = 0; n < count; n += 1) {
      const name = this.text();
      const [, seconds, changed] = /^(-?\d{1,13}) (-?\d{1,16}(?:\.\d{1,9})?)$/.exec(this.text()) ?? [];
      if (name === timesName && changed !== undefined) times = { modifiedMs: Number(seconds) * 1_000, changedMs: Number(changed) };
    }
    return times;
  }
}

const kinds: Readonly<Record<number, FileFacts['kind']>> = { 0o100000: 'file', 0o040000: 'folder', 0o120000: 'link' };
const modeBits = { file: 0o100000, folder: 0o040000, link: 0o120000, other: 0o010000 } as const;
const kindOf = (mode: number): FileFacts['kind'] => kinds[mode & 0o170000] ?? 'other';

export const u8 = (value: number): Buffer => Buffer.from([value]);
export function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
export function u64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
export const lengthened = (bytes: Uint8Array): Buffer => Buffer.concat([u32(bytes.length), bytes]);
export const worded = (text: string): Buffer => lengthened(Buffer.from(text, 'latin1'));
export const noAttributes = u32(0);

/** Our own: seconds before 1970 and after 2106, and when a file changed, in one attribute. */
const timesName = 'times@svc';

export function attributesOf({ kind, bytes, mode, modifiedMs, changedMs, uid }: FileFacts, isEntry: boolean): Buffer {
  const second = Math.floor(modifiedMs / 1_000);
  const seconds = u32(Math.max(0, Math.min(0xffffffff, second)));
  // In a listing of a hundred thousand only for who has such a time.
  const tells = changedMs !== null && (!isEntry || second < 0 || second > 0xffffffff);
  const times = tells ? [u32(1), worded(timesName), worded(`${second} ${changedMs.toFixed(4)}`)] : [];
  const flags = u32((1 | 2 | 4 | 8 | (tells ? 0x80000000 : 0)) >>> 0);
  return Buffer.concat([flags, u64(bytes), u32(uid), u32(uid), u32(modeBits[kind] | mode), seconds, seconds, ...times]);
}

/** With its length; `payload` follows by itself, so that bytes of files are not copied. */
export function head(type: number, id: number, fields: readonly Buffer[], payloadBytes = 0): Buffer {
  const length = fields.reduce((sum, field) => sum + field.length, 5 + payloadBytes);
  return Buffer.concat([u32(length), u8(type), u32(id), ...fields]);
}

/** Splits the incoming bytes into packets. */
export interface PacketReader {
  take(chunk: Buffer): void;
}

/**
 * `onPacket`: all of a packet behind its type. `onData`: the bytes of a DATA, in pieces as they came, once they are all there; they are not copied.
 */
export function createPacketReader(
  onPacket: (type: number, fields: Fields) => void,
  onData: ((id: number, pieces: readonly Buffer[]) => void) | null,
): PacketReader {
  let pieces: Buffer[] = [];
  let held = 0;
  /** Behind the length; -1: that is not known yet. */
  let wanted = -1;
  const cut = (length: number): Buffer[] => {
    const out: Buffer[] = [];
    let left = length;
    while (left > 0) {
      const first = pieces[0] as Buffer;
      if (first.length <= left) {
        out.push(first);
        pieces.shift();
        left -= first.length;
      } else {
        out.push(first.subarray(0, left));
        pieces[0] = first.subarray(left);
        left = 0;
      }
    }
    held -= length;
    return out;
  };
  const whole = (length: number): Buffer => {
    const parts = cut(length);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  };
  const emit = (): void => {
    const type = whole(1)[0] ?? 0;
    if (type !== types.data || onData === null) return onPacket(type, new Fields(whole(wanted - 1)));
    if (wanted < 9) throw badPacket('a packet is too short');
    const front = whole(8);
    if (front.readUInt32BE(4) !== wanted - 9) throw badPacket('the length of data is not that of its packet');
    onData(front.readUInt32BE(0), cut(wanted - 9));
  };
  return {
    take: (chunk) => {
      if (chunk.length === 0) return;
      pieces.push(chunk);
      held += chunk.length;
      for (;;) {
        if (wanted === -1) {
          if (held < 4) return;
          wanted = whole(4).readUInt32BE(0);
          if (wanted < 1 || wanted > limits.sftpPacketBytesMax) throw badPacket(`a packet of ${wanted} bytes`);
        }
        if (held < wanted) return;
        emit();
        wanted = -1;
      }
    },
  };
}
