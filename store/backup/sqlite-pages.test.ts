import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pinDatabases } from './sqlite-pages.ts';
import { readWal } from './sqlite-wal.ts';

let dir: string;
let file: string;
let database: DatabaseSync;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-pages-'));
  file = path.join(dir, 'a.db');
  database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
});
afterEach(() => {
  database.close();
  rmSync(dir, { recursive: true, force: true });
});

function write(from: number, to: number): void {
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
  for (let n = from; n < to; n += 1) insert.run(n, `${n} `.repeat(400));
  database.exec('COMMIT');
}

/** Contents of the pages: rows, and whether SQLite finds them sound. */
function readBack(chunks: Iterable<Buffer>): readonly unknown[] {
  const copy = path.join(dir, 'copy.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
  writeFileSync(copy, Buffer.concat(Array.from(chunks, (chunk) => Buffer.from(chunk))));
  const read = new DatabaseSync(copy);
  try {
    const { rows } = read.prepare('SELECT count(*) AS rows FROM t').get() as { rows: number };
    return [rows, read.prepare('PRAGMA integrity_check').get()];
  } finally {
    read.close();
  }
}

const sound = { integrity_check: 'ok' };

describe('the pages of a database are those of the moment', () => {
  test.for([
    ['with everything in its write-ahead log', 'PRAGMA wal_autocheckpoint = 0'],
    ['with everything in its file', 'PRAGMA wal_checkpoint(TRUNCATE)'],
    ['with a log that is in the file, too, and begins anew', 'PRAGMA wal_checkpoint(FULL)'],
  ] as const)('%s, whatever is written and checkpointed afterwards', ([, pragma]) => {
    database.exec('PRAGMA wal_autocheckpoint = 0');
    write(0, 2_000);
    database.exec(pragma);
    const pinned = pinDatabases([file], Date.now);
    try {
      write(2_000, 6_000);
      database.exec("UPDATE t SET text = 'changed'; PRAGMA wal_checkpoint(PASSIVE)");
      write(6_000, 9_000);
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      expect(readBack(pinned.databases[0]!.chunks(64 * 1_024))).toEqual([2_000, sound]);
    } finally {
      pinned.close();
    }
  });

  test('of two databases the moment is the same: nobody writes to either while they are held', () => {
    const other = path.join(dir, 'b.db');
    const second = new DatabaseSync(other, { timeout: 0 });
    second.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)');
    const refused: unknown[] = [];
    const pinned = pinDatabases([file, other], () => {
      for (const each of [database, second])
        try {
          each.exec('PRAGMA busy_timeout = 0; INSERT INTO t (n) VALUES (1)');
        } catch (error) {
          refused.push((error as Error).message);
        }
      return 0;
    });
    pinned.close();
    second.close();
    expect(refused.filter((message) => message === 'database is locked')).toHaveLength(4);
  });

  test('a database that lacks pages is told as damaged', () => {
    write(0, 2_000);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const pinned = pinDatabases([file], Date.now);
    try {
      truncateSync(file, 4_096 * 20);
      expect(() => [...pinned.databases[0]!.chunks(64 * 1_024)]).toThrow(/page 21 of .* is missing/);
    } finally {
      pinned.close();
    }
  });
});

describe('a write-ahead log', () => {
  /** Two transactions, the second one of 2,000 rows. */
  function logOfTwo(): Buffer {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0');
    write(0, 1);
    write(1, 2_000);
    return readFileSync(`${file}-wal`);
  }

  test.for([
    ['nothing', () => Buffer.alloc(0)],
    ['another file', () => Buffer.alloc(4_096, 7)],
    ['a damaged header', (log: Buffer) => changed(log, 20)],
    ['a damaged first page', (log: Buffer) => changed(log, 100)],
  ] as const)('of %s holds no page', ([, of]) => {
    const read = readWal(of(logOfTwo()));
    expect([read.pages, read.page(1), read.page(2)]).toEqual([null, null, null]);
  });

  test('ends with the last transaction that is whole: one that broke off, or of which a byte is another one, is none', () => {
    const log = logOfTwo();
    const whole = readWal(log).pages;
    const first = readWal(log.subarray(0, 32 + 2 * (24 + 4_096))).pages;
    expect(first).toBeLessThan(whole ?? 0);
    expect(readWal(log.subarray(0, log.length - 1)).pages).toBe(first);
    expect(readWal(changed(log, log.length - 1)).pages).toBe(first);
  });

  function changed(log: Buffer, at: number): Buffer {
    const other = Buffer.from(log);
    other.writeUInt8(other.readUInt8(at) ^ 1, at);
    return other;
  }
});
