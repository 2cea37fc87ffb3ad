/**
 * Files of a person as the portal's HTTP API says them. `caminho` is exact (file-path.ts), `nome` is for showing. Times in ms since the epoch.
 * Decision: docs/decisions/0219-files-of-a-person.md
 */
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, text } from '../static.ts';

const exact = { type: 'string', minLength: 1, maxLength: 12_288 } as const;
const digits = { type: 'string', pattern: '^(0|[1-9][0-9]{0,14})$' } as const;
const yes = { type: 'string', const: '1' } as const;
/** One, or several when the name is repeated. */
const exacts = { anyOf: [exact, { type: 'array', items: exact, minItems: 1, maxItems: 256 }] } as const;
const id = { type: 'string', pattern: '^[0-9a-f]{32}$' } as const;

export const fileOrders = ['nome', 'tamanho', 'data', 'tipo'] as const;

export const fileItem = closed({
  nome: text,
  caminho: text,
  /** Kind of a link's target; `quebrado`: it leads nowhere, or where the account may not look. */
  tipo: oneOf(['arquivo', 'pasta', 'outro', 'quebrado']),
  bytes: count,
  /** Before 1970 it is less than 0. */
  modificadoMs: { type: 'integer' },
  /** Permission bits. */
  modo: count,
  oculto: flag,
  atalho: flag,
});
export type FileItem = Wire<typeof fileItem>;

export const pathQuery = closed({ caminho: exact });
export const pathsQuery = closed({ caminho: exacts });
/** Version of a listing: its id, and a mark of its folder that shows changes (controller/files/folder-mark.ts). '' is none. */
const version = { type: 'string', pattern: String.raw`^([0-9a-f]{32}\.(m-?\d{1,16}|\d{1,6}-[0-9a-f]{1,24}))?$` } as const;
export const watchQuery = closed(
  { caminho: exacts, versao: { anyOf: [version, { type: 'array', items: version, minItems: 1, maxItems: 256 }] } },
  ['caminho'],
);
export const listQuery = closed(
  {
    caminho: exact,
    ordem: oneOf(fileOrders),
    inversa: yes,
    ocultos: yes,
    juntas: yes,
    desde: digits,
    limite: digits,
    versao: text,
    comeca: { type: 'string', minLength: 1, maxLength: 255 },
  },
  ['caminho'],
);
export const searchQuery = closed({ caminho: exact, texto: { type: 'string', minLength: 1, maxLength: 255 }, ocultos: yes }, [
  'caminho',
  'texto',
]);
export const idParams = closed({ id });
export const pieceQuery = closed({ desde: digits });
export const operationQuery = closed({ espera: { type: 'string', pattern: '^[0-9]{1,2}$' } }, []);
export const trashQuery = closed({ desde: digits, limite: digits }, []);

export const space = closed({ totalBytes: count, livreBytes: count, livreArquivos: count });
export type SpaceAnswer = Wire<typeof space>;

export const placesAnswer = closed({
  conta: text,
  casa: text,
  /** The XDG user folders that exist. */
  pastas: list(
    closed({
      papel: oneOf(['desktop', 'documents', 'download', 'music', 'pictures', 'videos', 'templates', 'publicshare']),
      caminho: text,
      nome: text,
    }),
  ),
  espaco: orNull(space),
});
/** `pasta`: null where there is none, or `motivo` (an error code) says why it is not known; `passa`: it may be known soon. */
export const deskFolderAnswer = closed({ pasta: orNull(text), motivo: orNull(text), passa: flag });
export type DeskFolderAnswer = Wire<typeof deskFolderAnswer>;

export type PlacesAnswer = Wire<typeof placesAnswer>;

export const listAnswer = closed({
  caminho: text,
  /** Number of the entries that are shown, by `ocultos`. */
  total: count,
  ocultos: count,
  desde: count,
  itens: list(fileItem),
  /** For the next page of the same listing. */
  versao: text,
  /** There are more entries than are ever read. */
  cortada: flag,
});
export type ListAnswer = Wire<typeof listAnswer>;

export const writtenAnswer = closed({ item: fileItem, etag: text });
export type WrittenAnswer = Wire<typeof writtenAnswer>;

/** `tipo`: the media type that the address has. */
export const previewAnswer = closed({ url: text, tipo: text, expiraMs: count });
export type PreviewAnswer = Wire<typeof previewAnswer>;

const conflict = oneOf(['recusar', 'substituir', 'renomear', 'pular']);

export const folderBody = closed({ caminho: exact });
export const renameBody = closed({ caminho: exact, nome: exact });
export const uploadBody = closed(
  { caminho: exact, bytes: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, conflito: conflict, retomar: id },
  ['caminho', 'bytes'],
);
export type UploadBody = Wire<typeof uploadBody>;
export const uploadAnswer = closed({ id: text, caminho: text, bytes: count, recebidos: count });
export type UploadAnswer = Wire<typeof uploadAnswer>;
export const uploadEndBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
} as const;
export const uploadEndAnswer = closed({ item: orNull(fileItem), sha256: text });
export type UploadEndAnswer = Wire<typeof uploadEndAnswer>;

export const operationKinds = ['copiar', 'mover', 'lixo', 'restaurar', 'esvaziar', 'apagar', 'extrair'] as const;
/** Endings of the archives that `extrair` takes. */
export const unpackedEnding = /\.(?:tar\.gz|tar\.zst|tgz|tzst|tar|zip|gz|zst)$/i;
export const operationBody = closed(
  {
    tipo: oneOf(operationKinds),
    /** Paths; of `restaurar` and `esvaziar` names in the trash. */
    itens: { type: 'array', items: exact, maxItems: 10_000 },
    destino: exact,
    conflito: conflict,
  },
  ['tipo', 'itens'],
);
export type OperationBody = Wire<typeof operationBody>;

export const operationView = closed({
  id: text,
  tipo: oneOf(operationKinds),
  estado: oneOf(['correndo', 'feita', 'com-erros', 'cancelada']),
  itens: count,
  itensFeitos: count,
  arquivosFeitos: count,
  bytes: count,
  bytesFeitos: count,
  atual: nullable('string'),
  /** Where each item is now, in the order of `itens` that went well: what an undo needs. */
  resultados: list(closed({ de: text, para: nullable('string') })),
  erros: list(closed({ caminho: text, code: text, mensagem: text })),
  comecouMs: count,
  acabouMs: nullable('integer'),
});
export type OperationView = Wire<typeof operationView>;
export const operationsAnswer = closed({ operacoes: list(operationView) });

export const trashItem = closed({
  /** Its name in the trash: what `restaurar` and `esvaziar` take. */
  id: text,
  nome: text,
  origem: text,
  apagadoMs: nullable('integer'),
  tipo: oneOf(['arquivo', 'pasta', 'outro', 'quebrado']),
  bytes: count,
});
export type TrashItem = Wire<typeof trashItem>;
export const trashAnswer = closed({ total: count, desde: count, itens: list(trashItem) });
export type TrashAnswer = Wire<typeof trashAnswer>;

/** Lines of a search. */
export type SearchLine =
  | { readonly item: FileItem }
  /** `cortada`: a limit ended it; `recusadas`: folders that the account may not read. */
  | { readonly fim: true; readonly vistos: number; readonly recusadas: number; readonly cortada: boolean };
/** Lines of a watch: the folder changed and is to be listed again; `sumiu`: it is no folder any more. Empty lines keep the connection. */
export type WatchLine = { readonly caminho: string; readonly evento: 'mudou' | 'sumiu' };
