/** The pages that a write-ahead log of SQLite holds, as far as they are committed. Source: https://www.sqlite.org/fileformat.html, 4. */
export interface WalPages {
  /** Pages of the database after the last commit; null: the log holds none. */
  readonly pages: number | null;
  /** The newest content of a page, counted from 1; null: the log does not have it. */
  page(number: number): Buffer | null;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magicLittle = 0x377f0682;
const magicBig = 0x377f0683;

/** Frames of before the log began anew, and those behind the last commit, are not read. */
export function readWal(log: Buffer): WalPages {
  const found = new Map<number, number>();
  let pages: number | null = null;
  const pageBytes = log.length >= headerBytes ? log.readUInt32BE(8) : 0;
  for (const { commits, frames } of committed(log, pageBytes)) {
    pages = commits;
    for (const [number, at] of frames) found.set(number, at);
  }
  return {
    pages,
    page: (number) => {
      const at = found.get(number);
      return at === undefined ? null : log.subarray(at, at + pageBytes);
    },
  };
}

interface Transaction {
  /** Pages of the database after it. */
  readonly commits: number;
  /** By page, where in the log its content begins. */
  readonly frames: ReadonlyMap<number, number>;
}

function* committed(log: Buffer, pageBytes: number): Generator<Transaction> {
  const magic = log.length >= headerBytes ? log.readUInt32BE(0) : 0;
  if ((magic !== magicLittle && magic !== magicBig) || pageBytes < 512) return;
  const sums = checksums(log, magic === magicBig);
  sums.add(0, frameHeaderBytes);
  if (!sums.is(frameHeaderBytes)) return;
  const salt = log.subarray(16, 24);
  let frames = new Map<number, number>();
  for (let at = headerBytes; at + frameHeaderBytes + pageBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) return;
    sums.add(at, 8);
    sums.add(at + frameHeaderBytes, pageBytes);
    if (!sums.is(at + 16)) return;
    frames.set(log.readUInt32BE(at), at + frameHeaderBytes);
    const commits = log.readUInt32BE(at + 4);
    if (commits === 0) continue;
    yield { commits, frames };
    frames = new Map();
  }
}

interface Checksums {
  /** Goes on over so many bytes, a multiple of 8. */
  add(from: number, bytes: number): void;
  /** Whether the two numbers that stand there are those so far. */
  is(at: number): boolean;
}

function checksums(log: Buffer, isBig: boolean): Checksums {
  let [one, two] = [0, 0];
  const word = isBig ? (at: number) => log.readUInt32BE(at) : (at: number) => log.readUInt32LE(at);
  return {
    add: (from, bytes) => {
      for (let at = from; at < from + bytes; at += 8) {
        one = (one + word(at) + two) >>> 0;
        two = (two + word(at + 4) + one) >>> 0;
      }
    },
    is: (at) => log.readUInt32BE(at) === one && log.readUInt32BE(at + 4) === two,
  };
}
