/** The bytes of files of the person, as the editor and the viewer read and write them. Source: docs/files.md. */
import type { FileItem, WrittenAnswer } from '../../schema/wire/files.ts';
import { json, request } from './api.ts';
import { listFolder, readPlaces } from './files-api.ts';

const at = (route: string, caminho: string): string => `/api/arquivos/${route}?${new URLSearchParams({ caminho }).toString()}`;

export const readFacts = async (caminho: string): Promise<FileItem> => json(await request('GET', at('estado', caminho)));
export const downloadUrl = (caminho: string): string => at('conteudo', caminho);

export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** `last`: no more than its first bytes, up to that one. */
export async function readContent(caminho: string, last?: number): Promise<Content> {
  const headers = last === undefined ? {} : { range: `bytes=0-${last}` };
  const response = await request('GET', at('conteudo', caminho), undefined, undefined, headers);
  return { bytes: new Uint8Array(await response.arrayBuffer()), etag: response.headers.get('etag') ?? '' };
}

/** The validator of the file as it is now. */
export async function readEtag(caminho: string): Promise<string> {
  return (await request('HEAD', at('conteudo', caminho))).headers.get('etag') ?? '';
}

/** `matches`: only while the file is that one; `new`: only while there is none; null: in any case. Rejects FILE_CHANGED. */
export async function writeContent(
  caminho: string,
  bytes: Uint8Array<ArrayBuffer>,
  condition: { readonly matches: string } | 'new' | null,
): Promise<WrittenAnswer> {
  const headers = condition === null ? {} : condition === 'new' ? { 'if-none-match': '*' } : { 'if-match': condition.matches };
  return await json(await request('PUT', at('conteudo', caminho), new Blob([bytes]), undefined, headers as Record<string, string>));
}

/** `~` and what is below it, as a whole path. */
export async function wholePath(caminho: string): Promise<string> {
  return /^~(\/|$)/.test(caminho) ? (await readPlaces()).casa + caminho.slice(1) : caminho;
}

/** Files of a folder by name, at most so many; hidden ones where `ocultos`. */
export async function listFiles(caminho: string, limite: number, ocultos: boolean): Promise<readonly FileItem[]> {
  const { itens } = await listFolder(caminho, { ordem: 'nome', inversa: false, ocultos }, { desde: 0, limite });
  return itens.filter(({ tipo }) => tipo === 'arquivo');
}
