/** The embedded store, of a portal that runs or not. */
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../schema/errors.ts';
import { errorCode } from '../../schema/system-error.ts';
import { migrations } from '../migrations.ts';
import { lookWith, type StoreLook } from './look.ts';

/**
 * `steps`: those that this svc knows. Null: there is no such file. While a portal runs its file is read beside it; else it is copied first, with what was not written into it yet, since even a
 * reader makes files beside a database that nobody has open. Rejects STORE_FAILED.
 */
export async function lookAtSqlite(file: string, isRunning: boolean, steps: readonly string[] = migrations): Promise<StoreLook | null> {
  try {
    await stat(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw failed(file, error);
  }
  if (isRunning) return await read(file, file, steps);
  return await onCopy(file, async (copy) => await read(copy, file, steps));
}

/** Answers the copy of a database that no process has open to `use`, and removes it then. */
export async function onCopy<Result>(file: string, use: (copy: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-look-'));
  try {
    const copy = path.join(folder, 'svc.db');
    await copyFile(file, copy);
    await copyFile(`${file}-wal`, `${copy}-wal`).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    return await use(copy);
  } catch (error) {
    throw error instanceof SvcError ? error : failed(file, error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function read(at: string, file: string, steps: readonly string[]): Promise<StoreLook> {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(at, { readOnly: true, timeout: 5_000 });
    const all = (sql: string): Readonly<Record<string, unknown>>[] => database?.prepare(sql).all() ?? [];
    // All reads see the same moment.
    database.exec('BEGIN');
    const schema = Number(all('PRAGMA user_version')[0]?.['user_version']);
    return await lookWith(async (sql) => all(sql), {
      schema,
      steps,
      isReadable: schema <= steps.length,
      mayGoBack: schema === steps.length,
      tables: all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => String(name)),
    });
  } catch (error) {
    throw failed(file, error);
  } finally {
    database?.close();
  }
}

const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';

const failed = (file: string, cause: unknown): SvcError =>
  new SvcError('STORE_FAILED', `the store ${file} can't be read: ${(cause as Error).message}`, {}, { cause });
