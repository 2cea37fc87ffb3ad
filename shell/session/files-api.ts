/** Files of the person, of the portal's HTTP API as the shell uses it. Source: docs/files.md, schema/wire/files.ts. */
import type {
  FileItem,
  ListAnswer,
  OperationBody,
  OperationView,
  DeskFolderAnswer,
  PlacesAnswer,
  SearchLine,
  SpaceAnswer,
  TrashAnswer,
  UploadAnswer,
  UploadBody,
  UploadEndAnswer,
  WatchLine,
} from '../../schema/wire/files.ts';
import { arriving, json, request } from './api.ts';

const root = '/api/arquivos';
const query = (values: Readonly<Record<string, string>>): string => `?${new URLSearchParams(values).toString()}`;
/** A piece on a slow line. */
const pieceMsMax = 10 * 60_000;

export interface ListBy {
  readonly ordem: 'nome' | 'tamanho' | 'data' | 'tipo';
  readonly inversa: boolean;
  readonly ocultos: boolean;
}

export const readPlaces = async (): Promise<PlacesAnswer> => json(await request('GET', root));

export const readDeskFolder = async (): Promise<DeskFolderAnswer> => json(await request('GET', `${root}/mesa`));

export async function listFolder(
  caminho: string,
  { ordem, inversa, ocultos }: ListBy,
  page: { readonly desde: number; readonly limite: number; readonly versao?: string; readonly comeca?: string },
): Promise<ListAnswer> {
  const values = {
    caminho,
    ordem,
    desde: String(page.desde),
    limite: String(page.limite),
    ...(inversa ? { inversa: '1' } : {}),
    ...(ocultos ? { ocultos: '1' } : {}),
    ...(page.versao === undefined ? {} : { versao: page.versao }),
    ...(page.comeca === undefined ? {} : { comeca: page.comeca }),
  };
  return await json(await request('GET', `${root}/lista${query(values)}`));
}

export const readSpace = async (caminho: string): Promise<SpaceAnswer> => json(await request('GET', `${root}/espaco${query({ caminho })}`));
export const listTrash = async (desde: number, limite: number): Promise<TrashAnswer> =>
  json(await request('GET', `${root}/lixo${query({ desde: String(desde), limite: String(limite) })}`));

export const makeFolder = async (caminho: string): Promise<FileItem> => json(await request('POST', `${root}/pasta`, { caminho }));
export const renameFile = async (caminho: string, nome: string): Promise<FileItem> =>
  json(await request('POST', `${root}/renomear`, { caminho, nome }));

/** Address of a zip of the files and folders. */
export const zipUrl = (paths: readonly string[]): string =>
  `${root}/zip?${new URLSearchParams(paths.map((caminho) => ['caminho', caminho])).toString()}`;

export const startOperation = async (body: OperationBody): Promise<OperationView> => json(await request('POST', `${root}/operacoes`, body));
/** Answers when it changed, or after `seconds`. */
export const followOperation = async (id: string, seconds: number): Promise<OperationView> =>
  json(await request('GET', `${root}/operacoes/${encodeURIComponent(id)}?espera=${seconds}`));
export const cancelOperation = async (id: string): Promise<void> =>
  void (await request('DELETE', `${root}/operacoes/${encodeURIComponent(id)}`));

const upload = (id: string): string => `${root}/envios/${encodeURIComponent(id)}`;
export const beginUpload = async (body: UploadBody, signal: AbortSignal): Promise<UploadAnswer> =>
  json(await request('POST', `${root}/envios`, body, signal));
export const seeUpload = async (id: string, signal: AbortSignal): Promise<UploadAnswer> =>
  json(await request('GET', upload(id), undefined, signal));
export async function putPiece(id: string, from: number, piece: Blob, signal: AbortSignal): Promise<UploadAnswer> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(pieceMsMax)]);
  return await json(await request('PUT', `${upload(id)}?desde=${from}`, new Blob([piece]), ends));
}
export const endUpload = async (id: string, sha256: string, signal: AbortSignal): Promise<UploadEndAnswer> =>
  json(await request('POST', `${upload(id)}/fim`, { sha256 }, signal));
export const dropUpload = async (id: string): Promise<void> => void (await request('DELETE', upload(id)));

/** Lines of JSON as they come, null for an empty one, which says only that the stream is there; ends with the stream. */
async function* lines<Line>(path: string, signal: AbortSignal): AsyncGenerator<Line | null> {
  const { body } = await request('GET', path, undefined, signal);
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
  lines(`${root}/busca${query({ caminho, texto, ...(ocultos ? { ocultos: '1' } : {}) })}`, signal);
/** `version`: the listing after which changes are reported; '' from the first line on. */
export function watchFolders(
  watched: readonly { readonly path: string; readonly version: string }[],
  signal: AbortSignal,
): AsyncGenerator<WatchLine | null> {
  const query = new URLSearchParams(
    watched.flatMap(({ path, version }) => [
      ['caminho', path],
      ['versao', version],
    ]),
  );
  return lines(`${root}/vigiar?${query.toString()}`, signal);
}
