/** Files of the person, of the portal's HTTP API as the shell uses it. Source: docs/files.md, schema/wire/files.ts. */
import { addressOf, type Address } from '../../schema/routes/call.ts';
import type { FileItem, ListAnswer, OperationBody, SearchLine, UploadAnswer, UploadBody, WatchLine } from '../../schema/wire/files.ts';
import { arriving, call, request, send } from './api.ts';

/** A piece on a slow line. */
const pieceMsMax = 10 * 60_000;

export interface ListBy {
  readonly ordem: 'nome' | 'tamanho' | 'data' | 'tipo';
  readonly inversa: boolean;
  readonly ocultos: boolean;
}

export const readPlaces = () => call('GET /api/arquivos');

export const readDeskFolder = () => call('GET /api/arquivos/mesa');

export async function listFolder(
  caminho: string,
  { ordem, inversa, ocultos }: ListBy,
  page: { readonly desde: number; readonly limite: number; readonly versao?: string; readonly comeca?: string },
): Promise<ListAnswer> {
  const { desde, limite, versao, comeca } = page;
  const shown = { inversa: inversa ? '1' : undefined, ocultos: ocultos ? '1' : undefined } as const;
  return await call('GET /api/arquivos/lista', { query: { caminho, ordem, desde, limite, ...shown, versao, comeca } });
}

export const readSpace = (caminho: string) => call('GET /api/arquivos/espaco', { query: { caminho } });
export const listTrash = (desde: number, limite: number) => call('GET /api/arquivos/lixo', { query: { desde, limite } });

export const makeFolder = (caminho: string): Promise<FileItem> => call('POST /api/arquivos/pasta', { body: { caminho } });
export const renameFile = (caminho: string, nome: string): Promise<FileItem> =>
  call('POST /api/arquivos/renomear', { body: { caminho, nome } });

/** Address of a zip of the files and folders. */
export const zipUrl = (paths: readonly string[]): string => addressOf('GET /api/arquivos/zip', { query: { caminho: paths } }).path;

export const startOperation = (body: OperationBody) => call('POST /api/arquivos/operacoes', { body });
/** Answers when it changed, or after `seconds`. */
export const followOperation = (id: string, seconds: number) =>
  call('GET /api/arquivos/operacoes/:id', { params: { id }, query: { espera: seconds } });
export const cancelOperation = async (id: string): Promise<void> =>
  void (await send('DELETE /api/arquivos/operacoes/:id', { params: { id } }));

export const beginUpload = (body: UploadBody, signal: AbortSignal) => call('POST /api/arquivos/envios', { body }, { signal });
export const seeUpload = (id: string, signal: AbortSignal) => call('GET /api/arquivos/envios/:id', { params: { id } }, { signal });
export async function putPiece(id: string, from: number, piece: Blob, signal: AbortSignal): Promise<UploadAnswer> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(pieceMsMax)]);
  const body = new Blob([piece]);
  return await call('PUT /api/arquivos/envios/:id', { params: { id }, query: { desde: from }, body }, { signal: ends });
}
export const endUpload = (id: string, sha256: string, signal: AbortSignal) =>
  call('POST /api/arquivos/envios/:id/fim', { params: { id }, body: { sha256 } }, { signal });
export const dropUpload = async (id: string): Promise<void> => void (await send('DELETE /api/arquivos/envios/:id', { params: { id } }));

/** Lines of JSON as they come, null for an empty one, which says only that the stream is there; ends with the stream. */
async function* lines<Line>(address: Address, signal: AbortSignal): AsyncGenerator<Line | null> {
  const { body } = await request(address, { signal });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await arriving(reader.read());
    if (done) return;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) yield line.trim() === '' ? null : (JSON.parse(line) as Line);
  }
}

export const searchFiles = (caminho: string, texto: string, ocultos: boolean, signal: AbortSignal): AsyncGenerator<SearchLine | null> =>
  lines(addressOf('GET /api/arquivos/busca', { query: { caminho, texto, ocultos: ocultos ? '1' : undefined } }), signal);
/** `version`: the listing after which changes are reported; '' from the first line on. */
export function watchFolders(
  watched: readonly { readonly path: string; readonly version: string }[],
  signal: AbortSignal,
): AsyncGenerator<WatchLine | null> {
  const query = { caminho: watched.map(({ path }) => path), versao: watched.map(({ version }) => version) };
  return lines(addressOf('GET /api/arquivos/vigiar', { query }), signal);
}
