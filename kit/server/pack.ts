/**
 * kit/server/: what a server gets from the portal, and the scripts that put it there and take it off. The scripts are fixed texts for a bare Debian
 * (sh, tar, flock; no Node yet), run by the administrator over ssh with words as arguments.
 *
 * This file: makes the tarballs, as a step of setup/build.ts: the portal only reads them (made.ts). The same files give the same bytes. A tarball
 * is two gzip members, one after the other: the runtime (100 MB, which takes seconds to compress and rarely changes) is taken over from the
 * tarball before. Decision: docs/decisions/0314-the-kit-is-made-at-set-up.md
 */
import { createHash } from 'node:crypto';
import { constants, readFileSync, readdirSync, statSync } from 'node:fs';
import { access, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { SvcError } from '../../schema/errors.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { padding, writeHeader } from '../archive/header.ts';
import { blockBytes } from '../archive/tar-frames.ts';
import {
  headOfRuntime,
  kitPrograms,
  kitProcessors,
  kitsFolder,
  readKitRecord,
  runtimePath,
  wrapperCommand,
  wrapperPath,
  type KitProcessor,
  type KitRecord,
} from './parts.ts';

const gzip = promisify(gzipCallback);

/** Another one where the tarball differs and its files don't: 3 has the programs in kit.json, and commands that answer `--version`. */
const layout = 3;

/**
 * Makes the tarball of each processor whose runtime is in the installation at `root`, if its files changed. Rejects KIT_INCOMPLETE when a
 * program of the kit is not there, or there is no runtime at all.
 */
export async function makeServerKits(root: string, out = path.join(root, kitsFolder)): Promise<readonly KitRecord[]> {
  const processors = (Object.keys(kitProcessors) as KitProcessor[]).filter((processor) => runtimeOf(root, processor) !== null);
  if (processors.length === 0)
    throw new SvcError(
      'KIT_INCOMPLETE',
      'no runtime for servers is in this installation; get it with: npm ci --ignore-scripts --include=optional',
    );
  const files = await kitFiles(root);
  await mkdir(out, { recursive: true });
  const made: KitRecord[] = [];
  for (const processor of processors) made.push(await makeKit(root, processor, [...files, ...wrapperOf(root, processor)], out));
  return made;
}

interface KitFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

async function makeKit(root: string, processor: KitProcessor, files: readonly KitFile[], out: string): Promise<KitRecord> {
  const recordFile = path.join(out, `${processor}.json`);
  const before = readKitRecord(await readFile(recordFile, 'utf8').catch(() => ''));
  const runtime = await runtimeMember(root, processor, out, before);
  const id = idOf(processor, runtime.sha256, files);
  const file = `${id}-${processor}.tgz`;
  if (before?.id === id && before.file === file && runtime.isFromBefore) return before;
  const others = await gzip(Buffer.concat(tarOf(files, id, processor)), { level: 6 });
  const tarball = Buffer.concat([runtime.member, others]);
  const record: KitRecord = {
    id,
    file,
    sha256: sha256(tarball),
    bytes: tarball.length,
    runtime: { stamp: runtime.stamp, sha256: runtime.sha256, bytes: runtime.member.length },
  };
  await writeWhole(path.join(out, file), tarball);
  await writeWhole(recordFile, `${JSON.stringify(record)}\n`);
  // A portal that runs may be about to send the one before.
  const kept = new Set([file, before?.file]);
  for (const name of await readdir(out)) if (name.endsWith(`-${processor}.tgz`) && !kept.has(name)) await rm(path.join(out, name));
  return record;
}

/** For a package of svc: all but the runtime, which is the package's own, of that digest. Writes it with its record, and answers their names. */
export async function makeKitAround(root: string, processor: KitProcessor, runtime: string, out: string): Promise<readonly string[]> {
  const files = [...(await kitFiles(root)), ...wrapperOf(root, processor)];
  const id = idOf(processor, runtime, files);
  const others = await gzip(Buffer.concat(tarOf(files, id, processor)), { level: 6 });
  const file = `${id}-${processor}.tgz`;
  const record: KitRecord = { id, file, sha256: sha256(others), bytes: others.length, runtime: { stamp: '', sha256: runtime, bytes: 0 } };
  await mkdir(out, { recursive: true });
  await writeWhole(path.join(out, file), others);
  await writeWhole(path.join(out, `${processor}.json`), `${JSON.stringify(record)}\n`);
  return [file, `${processor}.json`];
}

interface RuntimeMember {
  readonly member: Buffer;
  /** Hex, of the runtime itself. */
  readonly sha256: string;
  readonly stamp: string;
  /** The tarball before is whole and begins with it. */
  readonly isFromBefore: boolean;
}

async function runtimeMember(root: string, processor: KitProcessor, out: string, before: KitRecord | null): Promise<RuntimeMember> {
  const from = runtimeOf(root, processor) ?? '';
  const { size, mtimeMs } = statSync(from);
  const { version } = JSON.parse(readFileSync(path.join(from, '../../package.json'), 'utf8')) as { version: string };
  const stamp = `${layout} ${version} ${size} ${mtimeMs}`;
  if (before?.runtime.stamp === stamp) {
    const tarball = await readFile(path.join(out, before.file)).catch(() => Buffer.alloc(0));
    if (sha256(tarball) === before.sha256)
      return { member: tarball.subarray(0, before.runtime.bytes), sha256: before.runtime.sha256, stamp, isFromBefore: true };
  }
  const bytes = await readFile(from);
  const entries = [...headOfRuntime(bytes.length), bytes, padding(bytes.length)];
  return { member: await gzip(Buffer.concat(entries), { level: 6 }), sha256: sha256(bytes), stamp, isFromBefore: false };
}

/** Null where it is not in this installation. */
function runtimeOf(root: string, processor: KitProcessor): string | null {
  const file = path.join(root, 'node_modules', `node-linux-${kitProcessors[processor]}`, 'bin/node');
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : null;
}

/** None where setup/wrap.ts had no compiler. */
function wrapperOf(root: string, processor: KitProcessor): readonly KitFile[] {
  const from = path.join(root, wrapperPath(processor));
  if (statSync(from, { throwIfNoEntry: false })?.isFile() !== true) return [];
  return [{ name: `bin/${wrapperCommand}`, bytes: readFileSync(from), executable: true }];
}

/** Scripts for apps that run as jobs. */
const jobScripts = ['session.sh', 'on-node.sh', 'server.sh', 'slurm.sh'].map((name) => `kit/job/${name}`);

/** All but the runtime and the wrapper. */
async function kitFiles(root: string): Promise<readonly KitFile[]> {
  const commands = kitPrograms.flatMap(({ command }) => (command === null ? [] : [command]));
  const bundles = kitPrograms.map(({ bundle }) => `build/kit/${bundle}`);
  const sdk = ['sdk/node', 'sdk/python'].flatMap((folder) => below(root, folder));
  const listed = [
    ...commands.map((command) => ({ name: `bin/${command}`, executable: true })),
    ...[...bundles, ...sdk, ...jobScripts].map((name) => ({ name, executable: false })),
  ];
  return await Promise.all(
    listed.map(async ({ name, executable }) => {
      const from = path.join(root, name);
      try {
        if (executable) await access(from, constants.X_OK);
        return { name, bytes: await readFile(from), executable };
      } catch (error) {
        throw new SvcError(
          'KIT_INCOMPLETE',
          `${name} of the server kit can't be read: ${(error as Error).message}; make it with: node setup/build.ts`,
        );
      }
    }),
  );
}

/** Every file, with its path from the root. */
function below(root: string, folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.includes('__pycache__') && !name.endsWith('.test.ts'))
    .toSorted();
}

/** The version, and eight digits of what is in it. */
function idOf(processor: KitProcessor, runtime: string, files: readonly KitFile[]): string {
  const hash = createHash('sha256').update(`${kitVersion} ${processor} ${layout}\n${runtimePath} true ${runtime}\n`);
  for (const { name, bytes, executable } of files) hash.update(`${name} ${executable} ${sha256(bytes)}\n`);
  return `${kitVersion}-${hash.digest('hex').slice(0, 8)}`;
}

/** The second member: folders before what is in them, and the end of the archive. */
function tarOf(files: readonly KitFile[], id: string, processor: KitProcessor): readonly Buffer[] {
  const commands = files.flatMap(({ name, executable }) => (executable ? [path.basename(name)] : []));
  const programs = kitPrograms.map(({ bundle }) => `build/kit/${bundle}`);
  // kit/server/try.sh reads the lists in one line of kit.json; `try` says that each command answers `--version`.
  const kitJson = `${JSON.stringify({ id, version: kitVersion, processor, try: '--version', commands, programs })}\n`;
  const all = [...files, { name: 'kit.json', bytes: Buffer.from(kitJson), executable: false }];
  return [...all.flatMap(entryOf), Buffer.alloc(2 * blockBytes)];
}

function entryOf({ name, bytes, executable }: KitFile): readonly Buffer[] {
  return [writeHeader({ name: `svc/${name}`, bytes: bytes.length, executable }), bytes, padding(bytes.length)];
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function writeWhole(file: string, content: Buffer | string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, content, { flush: true });
  await rename(temporary, file);
}
