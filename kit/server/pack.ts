/**
 * kit/server/: what a server gets from the portal (design 5), and the scripts that put it there and take it off. The scripts are
 * fixed texts for a bare Debian (sh, tar, flock; no Node yet), run by the administrator over ssh with words as arguments.
 *
 * This file: the tarball. It is made of files of this very installation, is the same bytes for the same files, and is only made again
 * when one of them changed. Decision: docs/decisions/0065-server-kit.md
 */
import { createHash } from 'node:crypto';
import { constants, existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { packFolder } from '../archive/pack.ts';

/** As `uname -m` says it, and as npm does. */
export const kitProcessors = { x86_64: 'x64', aarch64: 'arm64' } as const;
export type KitProcessor = keyof typeof kitProcessors;

export interface ServerKit {
  /** `VERSION-HASH`: the folder below /opt/svc; another content is another id. */
  readonly id: string;
  readonly file: string;
  /** Hex, of the tarball. */
  readonly sha256: string;
  readonly bytes: number;
}

interface Made extends Omit<ServerKit, 'file'> {
  /** What it was made from, by times and sizes. */
  readonly stamp: string;
}

/** Another one where the tarball differs and its files don't: 2 has the commands in kit.json. */
const layout = 2;

/** Commands of a server; the others are the portal's and the author's. */
const serverCommand = /^svc-(app-(run|supervisor|install|serve|list)|gpu-info)$/;

/**
 * The tarball for servers with that processor. Rejects KIT_INCOMPLETE with the line that brings what is not here: bundles, or the runtime
 * of another processor than this machine's.
 */
export async function serverKit(root: string, processor: KitProcessor): Promise<ServerKit> {
  const out = path.join(root, 'build/server-kit');
  const files = kitFiles(root, processor);
  const stamp = stampOf(files);
  const record = path.join(out, `${processor}.json`);
  const known = await readMade(record);
  const fileOf = (made: Made): string => path.join(out, `${made.id}-${processor}.tgz`);
  if (known?.stamp === stamp && existsSync(fileOf(known))) return { ...known, file: fileOf(known) };
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(path.join(out, '.make-'));
  try {
    const id = await stage(files, path.join(work, 'svc'), processor);
    const tarball = path.join(work, 'kit.tgz');
    const { sha256, bytes } = await packFolder(path.join(work, 'svc'), { root: 'svc', out: tarball, level: 6 });
    const made: Made = { id, sha256, bytes, stamp };
    await rename(tarball, fileOf(made));
    await writeFile(path.join(work, 'record'), `${JSON.stringify(made)}\n`);
    await rename(path.join(work, 'record'), record);
    if (known !== null && known.id !== id) await rm(fileOf(known), { force: true });
    return { id, sha256, bytes, file: fileOf(made) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface KitFile {
  readonly from: string;
  readonly to: string;
  readonly executable: boolean;
}

function kitFiles(root: string, processor: KitProcessor): readonly KitFile[] {
  const npm = `node-linux-${kitProcessors[processor]}`;
  const runtime = path.join(root, 'node_modules', npm, 'bin/node');
  if (!existsSync(runtime)) {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    throw new SvcError(
      'KIT_INCOMPLETE',
      `the runtime for servers with ${processor} is not in this svc ${version}; get it with: npm install --no-save --force --ignore-scripts ${npm}`,
    );
  }
  const bundles = below(path.join(root, 'build/kit')).filter(({ to }) => to.endsWith('.mjs'));
  if (bundles.length === 0)
    throw new SvcError('KIT_INCOMPLETE', 'the bundles of the kit are not there; make them with: node setup/build.ts');
  const sdk = (folder: string): readonly KitFile[] =>
    below(path.join(root, 'sdk', folder))
      .filter(({ to }) => !to.includes('__pycache__') && !to.endsWith('.test.ts'))
      .map(({ from, to, executable }) => ({ from, to: `sdk/${folder}/${to}`, executable }));
  return [
    { from: runtime, to: 'node/bin/node', executable: true },
    ...readdirSync(path.join(root, 'bin'))
      .filter((name) => serverCommand.test(name))
      .map((name) => ({ from: path.join(root, 'bin', name), to: `bin/${name}`, executable: true })),
    ...bundles.map(({ from, to, executable }) => ({ from, to: `build/kit/${to}`, executable })),
    ...sdk('node'),
    ...sdk('python'),
  ];
}

/** Every file, with its path from there. */
function below(folder: string): readonly KitFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map((from) => ({ from, to: path.relative(folder, from), executable: false }));
}

function stampOf(files: readonly KitFile[]): string {
  const hash = createHash('sha256').update(`${kitVersion} ${layout}`);
  for (const { from, to } of files) {
    const { size, mtimeMs, ino } = statSync(from);
    hash.update(`${to}\0${size} ${mtimeMs} ${ino}\n`);
  }
  return hash.digest('hex');
}

/** Answers the id: the version, and eight digits of what is in it. */
async function stage(files: readonly KitFile[], folder: string, processor: KitProcessor): Promise<string> {
  const hash = createHash('sha256').update(`${kitVersion} ${processor} ${layout}\n`);
  for (const { from, to, executable } of files) {
    const target = path.join(folder, to);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(from, target, constants.COPYFILE_FICLONE);
    const bytes = await readFile(target);
    hash.update(`${to} ${executable} ${createHash('sha256').update(bytes).digest('hex')}\n`);
    await chmod(target, executable ? 0o755 : 0o644);
  }
  // facts.sh and install.sh read this list in one line of kit.json.
  const commands = files.flatMap(({ to }) => (to.startsWith('bin/') ? [to.slice(4)] : []));
  const id = `${kitVersion}-${hash.digest('hex').slice(0, 8)}`;
  await writeFile(path.join(folder, 'kit.json'), `${JSON.stringify({ id, version: kitVersion, processor, commands })}\n`);
  return id;
}

async function readMade(file: string): Promise<Made | null> {
  try {
    const made = JSON.parse(await readFile(file, 'utf8')) as Partial<Made>;
    const { id, sha256, bytes, stamp } = made;
    if (typeof id !== 'string' || typeof sha256 !== 'string' || typeof bytes !== 'number' || typeof stamp !== 'string') return null;
    return { id, sha256, bytes, stamp };
  } catch {
    return null;
  }
}
