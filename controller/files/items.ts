/** Files as pages receive them. */
import { pathText, shownName } from '../../schema/wire/file-path.ts';
import type { FileItem } from '../../schema/wire/files.ts';
import { isFault } from './file-fault.ts';
import { nameOf, type FileFacts, type FileSystem } from './file-system.ts';

export const wireKinds = { file: 'arquivo', folder: 'pasta', other: 'outro', link: 'quebrado' } as const;

/** `target`: what a link leads to; null: nowhere, or the account may not read it. */
export function itemOf(path: Buffer, facts: FileFacts, target: FileFacts | null): FileItem {
  const name = nameOf(path);
  const seen = facts.kind === 'link' && target !== null ? target : facts;
  return {
    nome: shownName(name),
    caminho: pathText(path),
    tipo: wireKinds[seen.kind],
    bytes: seen.bytes,
    modificadoMs: seen.modifiedMs,
    modo: seen.mode,
    oculto: name[0] === 0x2e,
    atalho: facts.kind === 'link',
  };
}

/** Facts of a link's target, or null. Rejects when the server can't be reached. */
export async function targetOf(fs: FileSystem, path: Buffer): Promise<FileFacts | null> {
  return await fs.stat(path).catch((error: unknown) => {
    if (isFault(error)) return null;
    throw error;
  });
}

export async function lookAt(fs: FileSystem, path: Buffer): Promise<FileItem> {
  const facts = await fs.lstat(path);
  return itemOf(path, facts, facts.kind === 'link' ? await targetOf(fs, path) : null);
}
