/** The tarball for a server, as set-up made it (pack.ts). Only read: the account of a portal need not be able to write its installation. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../schema/plain-file.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { padding } from '../archive/header.ts';
import { isMissing, pathState } from '../atomic-file.ts';
import { headOfRuntime, kitProcessors, kitsFolder, readKitRecord, runtimePath, type KitProcessor } from './parts.ts';

export interface ServerKit {
  readonly id: string;
  readonly file: string;
  /** Hex, of the tarball. */
  readonly sha256: string;
  readonly bytes: number;
  /** In a package of svc for this processor, whose runtime is not there a second time: the tarball, whose bytes are in memory until it is closed. */
  readonly whole?: () => Promise<WholeKit>;
}

interface WholeKit {
  /** Hex. */
  readonly sha256: string;
  readonly open: () => Readable;
  /** Ends the use of it: the compressed bytes are let go with the last one. */
  readonly close: () => void;
}

/** For a server whose `uname -m` says `arch`. Rejects KIT_INCOMPLETE with the line that makes the tarball, or says what can't be read. */
export async function serverKit(root: string, arch: string): Promise<ServerKit> {
  if (!isProcessor(arch)) throw new SvcError('KIT_INCOMPLETE', `there is no runtime for ${arch}: x86_64 and aarch64 have one`);
  const folder = path.join(root, kitsFolder);
  const at = path.join(folder, `${arch}.json`);
  const record = readKitRecord(String(await readPlainFile(at).catch((error: unknown) => incomplete(root, arch, at, error))));
  if (record === null || !record.id.startsWith(`${kitVersion}-`)) {
    const is = record === null ? 'is damaged' : `is of ${record.id}, which another svc made`;
    throw new SvcError('KIT_INCOMPLETE', `${at} ${is}; ${lineFor(root, arch)}`);
  }
  const file = path.join(folder, record.file);
  const { size } = await stat(file).catch((error: unknown) => incomplete(root, arch, file, error));
  if (size !== record.bytes)
    throw new SvcError('KIT_INCOMPLETE', `${file} has ${size} bytes, expected ${record.bytes}; ${lineFor(root, arch)}`);
  const { id, sha256, bytes, runtime } = record;
  if (runtime.bytes > 0) return { id, file, sha256, bytes };
  return { id, file, sha256, bytes, whole: () => wholeKit(path.join(root, runtimePath), runtime.sha256, file) };
}

interface Compressed {
  readonly sha256: string;
  readonly chunks: readonly Buffer[];
}

/** By the file of the rest. Servers that get a kit at once share its bytes, which are half of the runtime: to compress it takes seconds. */
const inUse = new Map<string, { users: number; readonly bytes: Promise<Compressed> }>();

async function wholeKit(runtime: string, sha256: string, rest: string): Promise<WholeKit> {
  const shared = inUse.get(rest) ?? { users: 0, bytes: compressed(runtime, sha256, rest) };
  inUse.set(rest, shared);
  shared.users += 1;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    shared.users -= 1;
    if (shared.users === 0) inUse.delete(rest);
  };
  try {
    const { sha256: digest, chunks } = await shared.bytes;
    return { sha256: digest, open: () => Readable.from(chunks, { objectMode: false }), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Two gzip members, as in pack.ts. The first at level 1: in three fifths of the time of level 6, for 8 % more bytes. The same runtime gives the same bytes. */
async function compressed(runtime: string, sha256: string, rest: string): Promise<Compressed> {
  try {
    const { size } = await stat(runtime);
    const own = createHash('sha256');
    async function* entries(): AsyncGenerator<Buffer> {
      yield* headOfRuntime(size);
      for await (const part of createReadStream(runtime, { highWaterMark: chunkBytes })) {
        own.update(part as Buffer);
        yield part as Buffer;
      }
      yield padding(size);
    }
    const all = createHash('sha256');
    const chunks: Buffer[] = [];
    const keep = async (source: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of source) {
        all.update(chunk);
        chunks.push(chunk);
      }
    };
    await pipeline(entries, createGzip({ level: 1, chunkSize: chunkBytes }), keep);
    const is = own.digest('hex');
    if (is !== sha256) throw new Error(`its sha256 is ${is}, expected ${sha256}`);
    await pipeline(createReadStream(rest), keep);
    return { sha256: all.digest('hex'), chunks };
  } catch (error) {
    throw new SvcError('KIT_INCOMPLETE', `${runtime}, the runtime of servers, can't be taken: ${whyUnread(error)}; install svc again`);
  }
}

const chunkBytes = 256 * 1024;

const isProcessor = (arch: string): arch is KitProcessor => Object.hasOwn(kitProcessors, arch);

function incomplete(root: string, arch: KitProcessor, file: string, error: unknown): never {
  if (isMissing(error))
    throw new SvcError('KIT_INCOMPLETE', `the server kit for ${arch} is not in this installation of svc; ${lineFor(root, arch)}`);
  throw new SvcError('KIT_INCOMPLETE', `the server kit ${file} can't be read: ${whyUnread(error)}`);
}

/** A clone makes it; a package has no set-up. */
function lineFor(root: string, arch: KitProcessor): string {
  if (pathState(path.join(root, 'setup/build.ts')).kind !== 'present')
    return `install the package svc-kit-${arch === 'aarch64' ? 'arm64' : 'amd64'} of the same version`;
  const npm = `node-linux-${kitProcessors[arch]}`;
  const isHere = pathState(path.join(root, 'node_modules', npm, 'bin/node')).kind === 'present';
  const fetch = isHere ? '' : `npm install --no-save --force --ignore-scripts ${npm} && `;
  return `make it, as the account that owns ${root}, with: cd ${root} && ${fetch}node_modules/.bin/node setup/build.ts`;
}
