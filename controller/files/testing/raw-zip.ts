/** Zips byte by byte, so that a test can say what no writer would. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface RawZipEntry {
  readonly name: Buffer;
  readonly data: Buffer;
  readonly isDeflated?: boolean;
  readonly mode?: number;
  readonly extra?: Buffer;
  readonly flags?: number;
  /** Where they differ from what is so. */
  readonly lies?: {
    readonly method?: number;
    readonly crc?: number;
    readonly packed?: number;
    readonly bytes?: number;
    readonly offset?: number;
  };
}

export interface ZipEnd {
  readonly count?: number;
  readonly listAt?: number;
  readonly comment?: Buffer;
}

export function rawZip(entries: readonly RawZipEntry[], { count, listAt, comment = Buffer.alloc(0) }: ZipEnd = {}): Buffer {
  const files: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, data, isDeflated = false, mode = 0o100_644, extra = Buffer.alloc(0), flags = 0, lies = {} } of entries) {
    const packed = isDeflated ? deflateRawSync(data) : data;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(name.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE((3 << 8) | 20, 4);
    row.writeUInt16LE(flags, 8);
    row.writeUInt16LE(lies.method ?? (isDeflated ? 8 : 0), 10);
    row.writeUInt32LE((lies.crc ?? crc32(data)) >>> 0, 16);
    row.writeUInt32LE((lies.packed ?? packed.length) >>> 0, 20);
    row.writeUInt32LE((lies.bytes ?? data.length) >>> 0, 24);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt16LE(extra.length, 30);
    row.writeUInt32LE((mode << 16) >>> 0, 38);
    row.writeUInt32LE((lies.offset ?? at) >>> 0, 42);
    files.push(head, name, packed);
    list.push(row, name, extra);
    at += head.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  const listed = Buffer.concat(list);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE((count ?? entries.length) & 0xffff, 8);
  end.writeUInt16LE((count ?? entries.length) & 0xffff, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE((listAt ?? at) >>> 0, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...files, listed, end, comment]);
}
