/** The product as it is shipped: what `npm run pack` makes, once for all journeys that run from the same sources. */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const checkout = path.resolve(import.meta.dirname, '../..');
const kept = path.join(checkout, 'build/journeys');

/** Deadline of what packs the product, or waits until another file has. */
export const packMsMax = 600_000;

/** No run takes longer. */
const usedMsMax = 2 * 3_600_000;

/** Paths of the packages and of the tarball. */
async function packed(): Promise<readonly string[]> {
  await mkdir(kept, { recursive: true });
  // Files of tests run beside each other: the second one waits, and finds it made.
  const argv = [path.join(kept, 'lock'), process.execPath, path.join(checkout, 'setup/pack.ts'), '--for-tests'];
  const { stdout } = await execute('flock', argv, { cwd: checkout });
  return stdout.trim().split('\n');
}

/** The Debian package for this processor. */
export async function shippedPackage(): Promise<string> {
  const end = `_${process.arch === 'arm64' ? 'arm64' : 'amd64'}.deb`;
  const found = (await packed()).find((file) => file.endsWith(end));
  if (found === undefined) throw new Error(`npm run pack made no package ${end}`);
  return found;
}

/** The folder with `bin/svc`, from the tarball. `SVC_JOURNEY_TREE` names another one. */
export async function shippedTree(): Promise<string> {
  const given = process.env['SVC_JOURNEY_TREE'];
  if (given !== undefined) return given;
  const tarball = (await packed()).at(-1) ?? '';
  const { mtimeMs, ino } = statSync(tarball);
  const name = `tree-${Math.round(mtimeMs)}-${ino}`;
  const folder = path.join(kept, name);
  if (existsSync(folder)) return folder;
  const work = await mkdtemp(path.join(kept, 'unpack-'));
  await execute('tar', ['-C', work, '--no-same-owner', '--strip-components=1', '-xzf', tarball]);
  await chmod(work, 0o755);
  await rename(work, folder).catch(async (error: unknown) => {
    await rm(work, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  for (const other of await readdir(kept)) {
    // A portal of another run may be served from it.
    const isUsed = Date.now() - statSync(path.join(kept, other)).ctimeMs < usedMsMax;
    if (other.startsWith('tree-') && other !== name && !isUsed) await rm(path.join(kept, other), { recursive: true, force: true });
  }
  return folder;
}
