/** A new folder that is there whole or not at all: it is made beside its place, under a hidden name, and gets its own by one rename. */
import { type Stats } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isMissing } from '../../kit/atomic-file.ts';
import type { NewFile } from './fill.ts';

/** Rejects CONFLICT when something is there already, but for an empty folder. */
export async function refuseTaken(dir: string): Promise<void> {
  let found: Stats;
  try {
    found = await lstat(dir);
  } catch (error) {
    if (isMissing(error)) return;
    throw new SvcError('CONFLICT', `${dir} can't be looked at (${errorCode(error)}): choose another folder with --dir`);
  }
  if (!found.isDirectory()) throw new SvcError('CONFLICT', `${dir} is there already and is no folder: choose another name, or --dir`);
  if ((await readdir(dir)).length > 0) throw taken(dir);
}

const taken = (dir: string): SvcError =>
  new SvcError('CONFLICT', `${dir} is there already and is not empty: choose another name, or --dir`);

async function makeBeside(dir: string): Promise<string> {
  try {
    await mkdir(path.dirname(dir), { recursive: true });
    return await mkdtemp(path.join(path.dirname(dir), `.${path.basename(dir)}.`));
  } catch (error) {
    throw new SvcError('CONFLICT', `${dir} can't be made (${errorCode(error)}): choose another folder with --dir`);
  }
}

/** `finish` gets the folder before it has its name; when it rejects, or the process is asked to end, nothing is left. */
export async function writeFolder(dir: string, files: readonly NewFile[], finish: (made: string) => Promise<void>): Promise<void> {
  await refuseTaken(dir);
  const made = await makeBeside(dir);
  const leave = (): void => void rm(made, { recursive: true, force: true }).finally(() => process.exit(130));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.once(name, leave);
  try {
    for (const { path: name, bytes, executable } of files) {
      await mkdir(path.join(made, path.dirname(name)), { recursive: true });
      await writeFile(path.join(made, name), bytes, { mode: executable ? 0o777 : 0o666, flush: true });
    }
    await finish(made);
    // As mkdir would have made it.
    await chmod(made, 0o777 & ~process.umask());
    await rename(made, dir);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error)) ? taken(dir) : error;
  } finally {
    for (const name of signals) process.off(name, leave);
  }
}

/**
 * Files that are there already stay as they are, and are answered. Rejects CONFLICT for one of `own`, and with what it could not write; of its own files
 * none is left then.
 */
export async function writeBeside(dir: string, files: readonly NewFile[], own: readonly string[]): Promise<readonly string[]> {
  const written: string[] = [];
  const left: string[] = [];
  try {
    for (const { path: name, bytes, executable } of files) {
      const place = path.join(dir, name);
      await mkdir(path.dirname(place), { recursive: true });
      try {
        await writeFile(place, bytes, { mode: executable ? 0o777 : 0o666, flag: 'wx', flush: true });
        written.push(place);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
        if (own.includes(name)) throw new SvcError('CONFLICT', `${name} is there already: ${dir} is an app of svc`);
        left.push(name);
      }
    }
    return left;
  } catch (error) {
    for (const place of written) await rm(place, { force: true });
    throw error instanceof SvcError ? error : new SvcError('CONFLICT', `${dir} can't be written (${errorCode(error)})`);
  }
}
