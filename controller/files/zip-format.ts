/**
 * Writer of the zip format, as a stream: headers before the bytes of each entry, sizes behind them, the directory at the end. Own code,
 * since no package does it all: docs/decisions/0218-zip-of-files.md. Source: PKWARE APPNOTE 6.3.10.
 */
export interface ZipEntry {
  /** UTF-8; of a folder with a slash at its end. */
  readonly name: string;
  readonly isFolder: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly modifiedMs: number;
  /** As many as it will have at most. */
  readonly bytesMax: number;
  readonly isDeflated: boolean;
}

export interface ZipSizes {
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
}

export interface ZipWriter {
  /** Before the bytes of the entry. */
  begin(entry: ZipEntry): Buffer;
  /** Behind them. */
  end(sizes: ZipSizes): Buffer;
  /** The directory, in pieces. */
  finish(): Iterable<Buffer>;
}

const max32 = 0xffff_ffff;
const max16 = 0xffff;
/** Deflate makes what can't be packed a little longer. */
const wideBytes = max32 - 64 * 1_024 * 1_024;
/** Sizes follow the bytes; the name is UTF-8. */
const flags = 0x0808;
const unixHost = 3 << 8;

export function createZipWriter(): ZipWriter {
  const records: Buffer[] = [];
  let at = 0;
  let open: { readonly entry: ZipEntry; readonly from: number; readonly isWide: boolean } | null = null;
  return {
    begin: (entry) => {
      const isWide = entry.bytesMax >= wideBytes;
      open = { entry, from: at, isWide };
      const head = localHead(entry, isWide);
      at += head.length;
      return head;
    },
    end: (sizes) => {
      if (open === null) throw new Error('end of no entry');
      const { entry, from, isWide } = open;
      open = null;
      records.push(directoryRecord(entry, sizes, from));
      const tail = descriptor(sizes, isWide);
      at += sizes.packed + tail.length;
      return tail;
    },
    finish: function* () {
      let bytes = 0;
      for (const record of records) {
        bytes += record.length;
        yield record;
      }
      yield endRecords(records.length, bytes, at);
    },
  };
}

/** Time and date as DOS wrote them, in UTC; those of the extra field are exact. */
function dosTime(ms: number): readonly [number, number] {
  const date = new Date(Math.min(Math.max(ms, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  ];
}

function timeField(ms: number): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(Math.min(Math.max(Math.floor(ms / 1_000), 0), 0x7fff_ffff), 5);
  return field;
}

function wideField(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [n, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * n);
  return field;
}

function localHead({ name, modifiedMs, isDeflated }: ZipEntry, isWide: boolean): Buffer {
  const bytes = Buffer.from(name);
  const extra = isWide ? Buffer.concat([wideField([0, 0]), timeField(modifiedMs)]) : timeField(modifiedMs);
  const head = Buffer.alloc(30);
  const [time, date] = dosTime(modifiedMs);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(isWide ? 45 : 20, 4);
  head.writeUInt16LE(flags, 6);
  head.writeUInt16LE(isDeflated ? 8 : 0, 8);
  head.writeUInt16LE(time, 10);
  head.writeUInt16LE(date, 12);
  // Checksum and sizes follow the bytes.
  if (isWide) head.fill(0xff, 18, 26);
  head.writeUInt16LE(bytes.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, bytes, extra]);
}

function descriptor({ crc, packed, bytes }: ZipSizes, isWide: boolean): Buffer {
  const tail = Buffer.alloc(isWide ? 24 : 16);
  tail.writeUInt32LE(0x0807_4b50, 0);
  tail.writeUInt32LE(crc, 4);
  if (isWide) {
    tail.writeBigUInt64LE(BigInt(packed), 8);
    tail.writeBigUInt64LE(BigInt(bytes), 16);
  } else {
    tail.writeUInt32LE(packed, 8);
    tail.writeUInt32LE(bytes, 12);
  }
  return tail;
}

function directoryRecord({ name, isFolder, mode, modifiedMs, isDeflated, bytesMax }: ZipEntry, sizes: ZipSizes, from: number): Buffer {
  const isWide = bytesMax >= wideBytes || from >= max32;
  const bytes = Buffer.from(name);
  const extra = isWide ? Buffer.concat([wideField([sizes.bytes, sizes.packed, from]), timeField(modifiedMs)]) : timeField(modifiedMs);
  const record = Buffer.alloc(46);
  const [time, date] = dosTime(modifiedMs);
  record.writeUInt32LE(0x0201_4b50, 0);
  record.writeUInt16LE(unixHost | 45, 4);
  record.writeUInt16LE(isWide ? 45 : 20, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(isDeflated ? 8 : 0, 10);
  record.writeUInt16LE(time, 12);
  record.writeUInt16LE(date, 14);
  record.writeUInt32LE(sizes.crc, 16);
  record.writeUInt32LE(isWide ? max32 : sizes.packed, 20);
  record.writeUInt32LE(isWide ? max32 : sizes.bytes, 24);
  record.writeUInt16LE(bytes.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(((((isFolder ? 0o040000 : 0o100000) | (mode & 0o777)) << 16) | (isFolder ? 0x10 : 0)) >>> 0, 38);
  record.writeUInt32LE(isWide ? max32 : from, 42);
  return Buffer.concat([record, bytes, extra]);
}

function endRecords(count: number, bytes: number, from: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(count, max16), 8);
  end.writeUInt16LE(Math.min(count, max16), 10);
  end.writeUInt32LE(Math.min(bytes, max32), 12);
  end.writeUInt32LE(Math.min(from, max32), 16);
  if (count < max16 && bytes < max32 && from < max32) return end;
  const wide = Buffer.alloc(56 + 20);
  wide.writeUInt32LE(0x0606_4b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(unixHost | 45, 12);
  wide.writeUInt16LE(45, 14);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(bytes), 40);
  wide.writeBigUInt64LE(BigInt(from), 48);
  wide.writeUInt32LE(0x0706_4b50, 56);
  wide.writeBigUInt64LE(BigInt(from + bytes), 64);
  wide.writeUInt32LE(1, 72);
  return Buffer.concat([wide, end]);
}
