/** A new folder that is there whole or not at all: it is made beside its place, under a hidden name, and gets its own by one rename. */
import { type Stats } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
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
 * Files that are there already stay as they are, and are answered. Rejects CONFLICT for one of `own`, and with the file that is in the way; of its own
 * files and folders none is left then.
 */
export async function writeBeside(dir: string, files: readonly NewFile[], own: readonly string[]): Promise<readonly string[]> {
  const folders: string[] = [];
  const written: string[] = [];
  const left: string[] = [];
  let name = '';
  try {
    for (const file of files) {
      name = file.path;
      await makeFolders(dir, path.dirname(name), folders);
      const place = path.join(dir, name);
      try {
        await writeFile(place, file.bytes, { mode: file.executable ? 0o777 : 0o666, flag: 'wx', flush: true });
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
    for (const place of folders.toReversed()) await rmdir(place).catch(() => undefined);
    throw error instanceof SvcError ? error : new SvcError('CONFLICT', `${name} can't be written in ${dir} (${errorCode(error)})`);
  }
}

/** The folders from `dir` down to `below`; those that it made are added to `made`. A link is no folder: it may lead out of the project. */
async function makeFolders(dir: string, below: string, made: string[]): Promise<void> {
  let name = '';
  for (const part of below.split('/').filter((word) => word !== '.')) {
    name = path.join(name, part);
    const place = path.join(dir, name);
    try {
      await mkdir(place);
      made.push(place);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (!(await lstat(place)).isDirectory()) {
        throw new SvcError(
          'CONFLICT',
          `${name} is there already in ${dir} and is no folder: the app needs a folder of this name; move it away`,
        );
      }
    }
  }
}
