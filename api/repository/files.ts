/**
 * Files of a repository by the grammar of its paths (kit/repository/layout/paths.ts), with the sha256 of the bytes as ETag. A tarball
 * exists when its record does: its hash is in the record and is not computed again.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { iconMediaTypes, type RepositoryItem, pathOfItem, repositoryPaths } from '../../kit/repository/layout/paths.ts';
import { readEngineRecord, readPackageRecord } from '../../kit/repository/layout/records.ts';
import type { FileFacts } from './conditions.ts';

/** The caller closes `handle`. */
export interface RepositoryFile extends FileFacts {
  readonly handle: FileHandle;
  readonly type: string;
  /** The catalogues and signatures change, and a schema may while its version is worked on; everything else has its version in the name. */
  readonly immutable: boolean;
}

export interface RepositoryFiles {
  /** Null when there is no such thing. Rejects REPOSITORY_DAMAGED for a tarball that is not what its record says. */
  open(item: RepositoryItem): Promise<RepositoryFile | null>;
}

type TarballItem = RepositoryItem & { readonly kind: 'tarball' | 'engine' };

export function createRepositoryFiles(root: string): RepositoryFiles {
  /** Results from small files, by path; a replaced file has another mark. */
  const known = new Map<string, { readonly mark: string; readonly made: string }>();

  const once = async (file: string, { handle, mark }: Opened, make: (bytes: Buffer) => string): Promise<string> => {
    const before = known.get(file);
    if (before?.mark === mark) return before.made;
    const made = make(await readAll(handle));
    if (known.size >= limits.repositoryHashesMax) known.clear();
    known.set(file, { mark, made });
    return made;
  };

  const verifiedHash = async (item: TarballItem, bytes: number): Promise<string | null> => {
    const file = path.join(root, recordPath(item));
    const record = await openFile(file);
    if (record === null) return null;
    try {
      const hash = await once(file, record, (text) => {
        const { sha256, tamanho } =
          item.kind === 'engine' ? readEngineRecord(text, item.nome, item.versao) : readPackageRecord(text, item.id, item.version);
        return `${sha256} ${tamanho}`;
      });
      const [sha256 = '', size = ''] = hash.split(' ');
      if (Number(size) === bytes) return sha256;
      throw new SvcError('REPOSITORY_DAMAGED', `${pathOfItem(item)} has ${bytes} bytes and its record says ${size}`);
    } finally {
      await record.handle.close();
    }
  };

  return {
    open: async (item) => {
      const file = path.join(root, pathOfItem(item));
      const opened = await openFile(file);
      if (opened === null) return null;
      const { handle, bytes, modifiedMs } = opened;
      try {
        const sha256 = isTarball(item)
          ? await verifiedHash(item, bytes)
          : // The record's bytes hash under another name than what was read in it.
            await once(`${file}#`, opened, (content) => createHash('sha256').update(content).digest('hex'));
        if (sha256 === null) {
          await handle.close();
          return null;
        }
        return {
          handle,
          bytes,
          modifiedMs,
          etag: `"${sha256}"`,
          type: contentType(item),
          immutable: !['catalogue', 'extensions', 'schema', 'shopPages', 'signature', 'signatures'].includes(item.kind),
        };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
  };
}

function isTarball(item: RepositoryItem): item is TarballItem {
  return item.kind === 'tarball' || item.kind === 'engine';
}

function recordPath(item: TarballItem): string {
  return item.kind === 'engine' ? repositoryPaths.engineRecord(item.nome, item.versao) : repositoryPaths.record(item.id, item.version);
}

function contentType(item: RepositoryItem): string {
  if (item.kind === 'icon' || item.kind === 'picture') return iconMediaTypes[item.type];
  if (item.kind === 'tarball') return 'application/gzip';
  if (item.kind === 'signature') return 'text/plain; charset=utf-8';
  return item.kind === 'engine' ? 'application/octet-stream' : 'application/json';
}

interface Opened {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly mark: string;
}

/** Null for what is missing or no plain file: never a link, and never waits for the writer of a pipe. */
async function openFile(file: string): Promise<Opened | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const seen = await handle.stat({ bigint: true });
  if (!seen.isFile()) {
    await handle.close();
    return null;
  }
  const mark = `${seen.ino}:${seen.mtimeNs}:${seen.ctimeNs}:${seen.size}`;
  return { handle, bytes: Number(seen.size), modifiedMs: Number(seen.mtimeMs), mark };
}

/** By position: the handle is read again from its start when it is sent. */
async function readAll(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > sharedLimits.catalogueBytesMax) throw new SvcError('TOO_LARGE', `expected at most ${sharedLimits.catalogueBytesMax} bytes`);
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}
