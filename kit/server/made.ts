/** The tarball for a server, as set-up made it (pack.ts). Only read: the account of a portal need not be able to write its installation. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
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
  /** In a package of svc for this processor, whose runtime is not there a second time: the tarball, compressed as it is read. */
  readonly whole?: () => Promise<WholeKit>;
}

interface WholeKit {
  /** Hex. */
  readonly sha256: string;
  readonly open: () => Readable;
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
  return { id, file, sha256, bytes, whole: () => (wholes[file] ??= wholeKit(path.join(root, runtimePath), runtime.sha256, file)) };
}

/** By the file of the rest; several servers take one after another. */
const wholes: Partial<Record<string, Promise<WholeKit>>> = {};

/** Compresses it once for the digest, and each time that it is sent: the same runtime compresses the same bytes to the same. */
async function wholeKit(runtime: string, sha256: string, rest: string): Promise<WholeKit> {
  try {
    const { size } = await stat(runtime);
    const own = createHash('sha256');
    const all = createHash('sha256');
    for await (const chunk of opened(runtime, size, rest, (part) => own.update(part))) all.update(chunk as Buffer);
    const is = own.digest('hex');
    if (is !== sha256) throw new Error(`its sha256 is ${is}, expected ${sha256}`);
    const digest = all.digest('hex');
    return { sha256: digest, open: () => opened(runtime, size, rest) };
  } catch (error) {
    delete wholes[rest];
    throw new SvcError('KIT_INCOMPLETE', `${runtime}, the runtime of servers, can't be taken: ${whyUnread(error)}; install svc again`);
  }
}

/** Two gzip members, as in pack.ts. The first is made for each server: at level 1 in three fifths of the time of level 6, for 8 % more bytes. A fault of a file is the stream's. */
function opened(runtime: string, bytes: number, rest: string, onPart: (part: Buffer) => void = () => undefined): Readable {
  async function* entries(): AsyncGenerator<Buffer> {
    yield* headOfRuntime(bytes);
    for await (const part of createReadStream(runtime)) {
      onPart(part as Buffer);
      yield part as Buffer;
    }
    yield padding(bytes);
  }
  const out = new PassThrough();
  // Whoever reads it gets the fault, also one from before the first read.
  out.on('error', () => undefined);
  const run = async (): Promise<void> => {
    await pipeline(entries, createGzip({ level: 1 }), out, { end: false });
    await pipeline(createReadStream(rest), out);
  };
  void run().catch((error: Error) => out.destroy(error));
  return out;
}

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
