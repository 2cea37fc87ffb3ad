/** The bytes of files of the person, as the editor and the viewer read and write them. Source: docs/files.md. */
import type { FileItem, WrittenAnswer } from '../../schema/wire/files.ts';
import { addressOf, type Address } from '../../schema/routes/call.ts';
import { ApiError, arriving, call, etagOf, request } from './api.ts';
import { listFolder, readPlaces } from './files-api.ts';

export const readFacts = (caminho: string): Promise<FileItem> => call('GET /api/arquivos/estado', { query: { caminho } });
const contentAt = (caminho: string): Address => addressOf('GET /api/arquivos/conteudo', { query: { caminho } });
export const downloadUrl = (caminho: string): string => contentAt(caminho).path;

export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** `last`: no more than its first bytes, up to that one. */
export async function readContent(caminho: string, last?: number): Promise<Content> {
  const headers = last === undefined ? {} : { range: `bytes=0-${last}` };
  const response = await request(contentAt(caminho), { headers });
  return { bytes: new Uint8Array(await arriving(response.arrayBuffer())), etag: etagOf(response) };
}

export interface Part {
  readonly blob: Blob;
  readonly etag: string;
  /** Size of the whole file. */
  readonly bytes: number;
}

/** `part`: from the byte `first` to `last`, both part of it; behind the end there is nothing. Null: it is more than `bytesMax`. */
export async function readBlob(
  caminho: string,
  part: { readonly first: number; readonly last: number } | null,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Part | null> {
  try {
    const headers: Readonly<Record<string, string>> = part === null ? {} : { range: `bytes=${part.first}-${part.last}` };
    const response = await request(contentAt(caminho), { signal, headers });
    if (Number(response.headers.get('content-length') ?? 0) > bytesMax) {
      await response.body?.cancel();
      return null;
    }
    const blob = await arriving(response.blob());
    const [, total = blob.size] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    return { blob, etag: etagOf(response), bytes: Number(total) };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 416)) throw error;
    return { blob: new Blob(), etag: await readEtag(caminho), bytes: (await readFacts(caminho)).bytes };
  }
}

/** The validator of the file as it is now. */
export async function readEtag(caminho: string): Promise<string> {
  return etagOf(await request({ ...contentAt(caminho), method: 'HEAD' }));
}

/** `matches`: only while the file is that one; `new`: only while there is none; null: in any case. */
type Condition = { readonly matches: string } | 'new' | null;

/** Rejects FILE_CHANGED. */
export async function writeBlob(caminho: string, bytes: Blob, condition: Condition, signal?: AbortSignal): Promise<WrittenAnswer> {
  const headers = condition === null ? {} : condition === 'new' ? { 'if-none-match': '*' } : { 'if-match': condition.matches };
  const how = { headers: headers as Record<string, string>, ...(signal && { signal }) };
  return await call('PUT /api/arquivos/conteudo', { query: { caminho }, body: bytes }, how);
}
export const writeContent = async (caminho: string, bytes: Uint8Array<ArrayBuffer>, condition: Condition): Promise<WrittenAnswer> =>
  await writeBlob(caminho, new Blob([bytes]), condition);

/** `~` and what is below it, as a whole path. */
export async function wholePath(caminho: string): Promise<string> {
  return /^~(\/|$)/.test(caminho) ? (await readPlaces()).casa + caminho.slice(1) : caminho;
}

/** Files of a folder by name, at most so many; hidden ones where `ocultos`. */
export async function listFiles(caminho: string, limite: number, ocultos: boolean): Promise<readonly FileItem[]> {
  const { itens } = await listFolder(caminho, { ordem: 'nome', inversa: false, ocultos }, { desde: 0, limite });
  return itens.filter(({ tipo }) => tipo === 'arquivo');
}

/** False too where it can't be asked. */
export const isFolderAt = async (path: string): Promise<boolean> => (await readFacts(path).catch(() => null))?.tipo === 'pasta';
