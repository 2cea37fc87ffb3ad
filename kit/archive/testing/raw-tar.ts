/** Tars byte by byte, so that a test can say what no writer would. Independent of the packer. */
import { gzipSync } from 'node:zlib';

export interface RawEntry {
  readonly name: string | Buffer;
  readonly type?: string;
  readonly data?: string | Buffer;
  /** As the twelve bytes of the field, or the number in octal; without it the length of the data. */
  readonly size?: number | Buffer;
  readonly mode?: string;
  readonly link?: string;
  readonly prefix?: string | Buffer;
  readonly magic?: string;
  /** Added to the right checksum. */
  readonly checksumOff?: number;
  /** Bytes of the block that are overwritten before the checksum is made. */
  readonly patch?: readonly { readonly at: number; readonly bytes: Buffer }[];
}

export function rawEntry(entry: RawEntry): Buffer {
  const data = Buffer.from(entry.data ?? '');
  const block = Buffer.alloc(512);
  Buffer.from(entry.name).copy(block, 0, 0, 100);
  block.write(entry.mode ?? '0000644', 100, 'latin1');
  block.write('0000000', 108, 'latin1');
  block.write('0000000', 116, 'latin1');
  if (Buffer.isBuffer(entry.size)) entry.size.copy(block, 124, 0, 12);
  else block.write((entry.size ?? data.length).toString(8).padStart(11, '0'), 124, 'latin1');
  block.write('00000000000', 136, 'latin1');
  block.write(entry.type ?? '0', 156, 'latin1');
  block.write(entry.link ?? '', 157, 100, 'utf8');
  block.write(entry.magic ?? 'ustar\u000000', 257, 'latin1');
  Buffer.from(entry.prefix ?? '').copy(block, 345, 0, 155);
  for (const { at, bytes } of entry.patch ?? []) bytes.copy(block, at);
  block.fill(0x20, 148, 156);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${(sum + (entry.checksumOff ?? 0)).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([block, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
}

export function pax(records: Readonly<Record<string, string>>, type = 'x'): Buffer {
  const data = Object.entries(records).map(([key, value]) => {
    for (let length = 1; ; length += 1) {
      const record = Buffer.from(`${length} ${key}=${value}\n`);
      if (record.length === length) return record;
    }
  });
  return rawEntry({ name: 'PaxHeaders/x', type, data: Buffer.concat(data) });
}

export const tarEnd = Buffer.alloc(1_024);

/** A gzipped tar of the parts, closed as it should be. */
export function tarball(...parts: readonly (RawEntry | Buffer)[]): Buffer {
  return gzipSync(Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : rawEntry(part))), tarEnd]));
}

/** The bytes in pieces of that size. */
export async function* inPieces(bytes: Buffer, size = 64 * 1_024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
