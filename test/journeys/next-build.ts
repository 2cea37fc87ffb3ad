/** The next build of svc, whose kit for servers is another one: the shipped tree with one file more in its kit. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

export interface NextBuild {
  readonly tree: string;
  /** Name of its kit. */
  readonly kit: string;
  remove(): Promise<void>;
}

interface Kit {
  readonly id: string;
  readonly file: string;
  readonly runtime: { readonly bytes: number };
}

/** The tarball of a kit is two gzip members: the runtime, which is taken over, and all else. */
export async function nextBuild(tree: string): Promise<NextBuild> {
  const folder = mkdtempSync(path.join(path.dirname(tree), 'next-'));
  const next = path.join(folder, 'svc');
  execFileSync('cp', ['-al', tree, next]);
  const kits = path.join(next, 'build/server-kit');
  const record = path.join(kits, `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.json`);
  const { id, file, runtime, ...rest } = JSON.parse(readFileSync(record, 'utf8')) as Kit;
  const tarball = readFileSync(path.join(kits, file));
  const work = path.join(folder, 'kit');
  mkdirSync(work);
  execFileSync('tar', ['-xf', '-', '-C', work], { input: gunzipSync(tarball.subarray(runtime.bytes)) });
  const kit = id.replace(/-[0-9a-f]{8}$/, '-0123abcd');
  const list = path.join(work, 'svc/kit.json');
  writeFileSync(list, readFileSync(list, 'utf8').replace(id, kit));
  writeFileSync(path.join(work, 'svc/sdk/python/svc/NEXT'), 'next\n');
  const bytes = Buffer.concat([
    tarball.subarray(0, runtime.bytes),
    gzipSync(execFileSync('tar', ['-cf', '-', '-C', work, 'svc'], { maxBuffer: Infinity })),
  ]);
  const name = file.replace(id, kit);
  // Links of the same files as in the tree: they are replaced, not written to.
  rmSync(record);
  writeFileSync(path.join(kits, name), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(record, JSON.stringify({ ...rest, id: kit, file: name, sha256, bytes: bytes.length, runtime }));
  return { tree: next, kit, remove: () => rm(folder, { recursive: true, force: true }) };
}
