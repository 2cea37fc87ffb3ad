/** The product as it is shipped: the tarball of `npm run pack`, unpacked once for each of its makings. */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

const checkout = path.resolve(import.meta.dirname, '../..');

/** The folder with `bin/svc`. `SVC_JOURNEY_TREE` names another one. */
export async function shippedTree(): Promise<string> {
  const given = process.env['SVC_JOURNEY_TREE'];
  if (given !== undefined) return given;
  const tarball = execFileSync(process.execPath, [path.join(checkout, 'setup/pack.ts')], { cwd: checkout, encoding: 'utf8' }).trim().split('\n').at(-1) ?? '';
  const { mtimeMs, ino } = statSync(tarball);
  const kept = path.join(checkout, 'build/journeys');
  const folder = path.join(kept, `${Math.round(mtimeMs)}-${ino}`);
  if (!existsSync(folder)) {
    await rm(kept, { recursive: true, force: true });
    await mkdir(kept, { recursive: true });
    execFileSync('tar', ['-C', kept, '--no-same-owner', '--one-top-level=part', '--strip-components=1', '-xzf', tarball]);
    await rename(path.join(kept, 'part'), folder);
  }
  if ((await readdir(folder)).length === 0) throw new Error(`nothing was unpacked from ${tarball}`);
  return folder;
}
