/**
 * Files and folders as one zip, made as it is read. A file at its end names everything that was left out. Decision:
 * docs/decisions/0218-zip-of-files.md
 */
import { createDeflateRaw, crc32, type DeflateRaw } from 'node:zlib';
import { nameText, pathText } from '../../schema/wire/file-path.ts';
import { FileFault, isFault } from './file-fault.ts';
import {
  joined,
  nameOf,
  parentOf,
  type FileEntry,
  type FileFacts,
  type FileSystem,
  type HeldFolder,
  type PinnedFileSystem,
} from './file-system.ts';
import { holdByPath } from './holding.ts';
import { limits } from './limits.ts';
import { createSlices } from './slices.ts';
import { readRange } from './transfer.ts';
import { createZipWriter, type ZipWriter } from './zip-format.ts';

interface Work {
  readonly fs: PinnedFileSystem;
  readonly signal: AbortSignal;
  readonly writer: ZipWriter;
  readonly told: Told;
  readonly step: ReturnType<typeof createSlices>;
  entries: number;
}

/** Rejects before the first byte when one of the paths is not there. */
export async function* zip(system: FileSystem, paths: readonly Buffer[], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const fs = await system.pinned();
  try {
    yield* zipOf(fs, paths, signal);
  } finally {
    fs.release();
  }
}

async function* zipOf(fs: PinnedFileSystem, paths: readonly Buffer[], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const found: (readonly [Buffer, FileFacts])[] = [];
  for (const path of paths) found.push([path, await fs.lstat(path)]);
  const work: Work = { fs, signal, writer: createZipWriter(), told: createTold(), step: createSlices(), entries: 0 };
  const names = createNames(work.told);
  for (const [path, facts] of found) {
    const above = await holdByPath(fs, parentOf(path));
    try {
      // The root has no name in it.
      const at = path.length === 1 ? above.path : joined(above.path, nameOf(path));
      yield* tree(work, at, facts, names.take(path.length === 1 ? Buffer.from('raiz') : nameOf(path)), 0);
    } finally {
      await above.close().catch(() => undefined);
    }
  }
  const words = work.told.text();
  if (words !== null) yield* whole(work.writer, names.take(Buffer.from('LEIA-ME.txt')), Buffer.from(words));
  yield* work.writer.finish();
}

/** Why an entry is not in it; null: it is. */
function refusalOf({ entries }: Work, { kind }: FileFacts, depth: number): string | null {
  if (entries >= limits.zipEntriesMax || depth > limits.treeDepthMax) return 'limite / limit';
  if (kind === 'link') return 'atalho / link';
  return kind === 'other' ? 'não é arquivo / no file' : null;
}

async function* tree(work: Work, path: Buffer, facts: FileFacts, name: string, depth: number): AsyncGenerator<Uint8Array> {
  work.signal.throwIfAborted();
  const wait = work.step();
  if (wait !== null) await wait;
  const refusal = refusalOf(work, facts, depth);
  if (refusal !== null) {
    work.told.leftOut(name, refusal);
    return;
  }
  work.entries += 1;
  if (facts.kind === 'file') {
    yield* file(work, path, facts, name);
    return;
  }
  const held = await holdOr(work, path, name, depth);
  if (held === null) return;
  try {
    yield* folder(work, held.path, facts, name, depth);
  } finally {
    await held.close().catch(() => undefined);
  }
}

/** Null: it may not be read, or is none any more, which is reported. */
async function holdOr({ fs, told }: Work, path: Buffer, name: string, depth: number): Promise<HeldFolder | null> {
  try {
    return await fs.hold(path, depth === 0 && /^\/proc\/self\/fd\/\d+$|^\/$/.test(path.toString('latin1')) ? 'follow' : 'refuse');
  } catch (error) {
    told.leftOut(`${name}/`, faultOf(error));
    return null;
  }
}

async function* folder(work: Work, path: Buffer, { mode, modifiedMs }: FileFacts, name: string, depth: number): AsyncGenerator<Uint8Array> {
  const inside = await entriesOf(work, path, name);
  if (inside === null) return;
  yield work.writer.begin({ name: `${name}/`, isFolder: true, mode, modifiedMs, bytesMax: 0, isDeflated: false });
  yield work.writer.end({ crc: 0, packed: 0, bytes: 0 });
  const names = createNames(work.told, inside, `${name}/`);
  for (const entry of inside) yield* tree(work, joined(path, entry.name), entry, `${name}/${names.take(entry.name)}`, depth + 1);
}

/** Null: it may not be read, which is reported. */
async function entriesOf({ fs, told }: Work, folder: Buffer, name: string): Promise<readonly FileEntry[] | null> {
  const found: FileEntry[] = [];
  try {
    for await (const entries of fs.list(folder)) {
      found.push(...entries);
      if (found.length > limits.zipEntriesMax) break;
    }
    return found;
  } catch (error) {
    told.leftOut(`${name}/`, faultOf(error));
    return null;
  }
}

function faultOf(error: unknown): string {
  // A server that is not reached ends the whole.
  if (!isFault(error)) throw error;
  return `não pôde ser lido / could not be read (${(error as FileFault).errno})`;
}

/** Names of files that are packed already and get no smaller. */
const packed =
  /\.(?:7z|apk|avif|br|bz2|docx|flac|gif|gz|heic|jar|jpe?g|m4a|m4v|mkv|mov|mp3|mp4|od[pst]|ogg|opus|pdf|png|pptx|rar|tgz|webm|webp|whl|xlsx|xz|zip|zst)$/i;

async function* file(work: Work, path: Buffer, { mode, modifiedMs }: FileFacts, name: string): AsyncGenerator<Uint8Array> {
  const { fs, writer, told } = work;
  const opened = await fs.open(path, 'read-itself').catch((error: unknown) => {
    told.leftOut(name, faultOf(error));
    return null;
  });
  if (opened === null) return;
  try {
    const { kind, bytes } = await opened.facts();
    if (kind !== 'file') {
      told.leftOut(name, 'não é arquivo / no file');
      return;
    }
    const isDeflated = bytes > 0 && !packed.test(name);
    yield writer.begin({ name, isFolder: false, mode, modifiedMs, bytesMax: bytes, isDeflated });
    const sum = { crc: 0, bytes: 0, packed: 0 };
    const source = counted(work, readRange(opened, 0, bytes - 1, fs.pieceBytes()), sum, name);
    for await (const piece of isDeflated ? deflated(source) : source) {
      sum.packed += piece.length;
      yield piece;
    }
    yield writer.end(sum);
  } finally {
    await opened.close().catch(() => undefined);
  }
}

/** A file that can't be read to its end is in it as far as it could, and reported. */
async function* counted(
  { signal, told }: Work,
  source: AsyncIterable<Uint8Array>,
  sum: { crc: number; bytes: number },
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of source) {
      signal.throwIfAborted();
      sum.crc = crc32(piece, sum.crc);
      sum.bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    told.leftOut(name, `incompleto / incomplete: ${faultOf(error)}`);
  }
}

/** Packing is done by other threads; no more is read than was packed and taken. */
async function* deflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packer = createDeflateRaw({ level: 3 });
  const feed = async (): Promise<void> => {
    try {
      for await (const piece of source) {
        if (packer.destroyed) return;
        if (!packer.write(piece)) await drained(packer);
      }
      packer.end();
    } catch (error) {
      packer.destroy(error as Error);
    }
  };
  const fed = feed();
  try {
    for await (const piece of packer as AsyncIterable<Buffer>) yield piece;
  } finally {
    packer.destroy();
    await fed;
  }
}

async function drained(packer: DeflateRaw): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const name of ['drain', 'close']) packer.once(name, resolve);
  await promise;
  for (const name of ['drain', 'close']) packer.off(name, resolve);
}

function* whole(writer: ZipWriter, name: string, bytes: Buffer): Generator<Uint8Array> {
  yield writer.begin({ name, isFolder: false, mode: 0o644, modifiedMs: 0, bytesMax: bytes.length, isDeflated: false });
  yield bytes;
  yield writer.end({ crc: crc32(bytes), packed: bytes.length, bytes: bytes.length });
}

interface Names {
  /** Its name in the zip. */
  take(name: Buffer): string;
}

/** Names in a zip are text, and on other systems `\` leads to another folder: such names get another one, which is reported. */
function createNames(told: Told, others: readonly Pick<FileEntry, 'name'>[] = [], folder = ''): Names {
  const isPlain = (name: Buffer): boolean => !name.includes(0x5c) && Buffer.from(nameText(name)).equals(name);
  const used = new Set<string>();
  const kept = new Set(others.filter(({ name }) => isPlain(name)).map(({ name }) => nameText(name)));
  return {
    take: (name) => {
      const plain = isPlain(name);
      const wanted = plain ? nameText(name) : pathText(name).replaceAll('\\', '%5C');
      const isTaken = (name: string): boolean => used.has(name) || (!plain && kept.has(name));
      let free = wanted;
      for (let n = 2; isTaken(free); n += 1) free = `${wanted} (${n})`;
      used.add(free);
      if (free !== nameText(name)) told.renamed(folder + free);
      return free;
    },
  };
}

interface Told {
  leftOut(name: string, why: string): void;
  renamed(name: string): void;
  /** Null: there is nothing to tell. */
  text(): string | null;
}

function createTold(): Told {
  const lines: string[] = [];
  let more = 0;
  const tell = (line: string): void => {
    if (lines.length < limits.zipToldMax) lines.push(line.replaceAll('\n', '\u{2424}'));
    else more += 1;
  };
  return {
    leftOut: (name, why) => tell(`- ${name}: ${why}`),
    renamed: (name) => tell(`- ${name}: outro nome aqui / another name here`),
    text: () => {
      if (lines.length === 0) return null;
      const rest = more === 0 ? [] : [`… +${more}`];
      return ['O que não está neste zip, ou não como era. / What is not in this zip, or not as it was.', '', ...lines, ...rest, ''].join(
        '\n',
      );
    },
  };
}
