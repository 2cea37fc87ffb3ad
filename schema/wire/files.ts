/**
 * Files of a person as the portal's HTTP API says them. `caminho` is exact (file-path.ts), `nome` is for showing. Times in ms since the epoch.
 * Decision: docs/decisions/0219-files-of-a-person.md
 */
import { type Wire, closed, count, flag, list, oneOf, orNull, text } from '../static.ts';

const exact = { type: 'string', minLength: 1, maxLength: 12_288 } as const;
const digits = { type: 'string', pattern: '^(0|[1-9][0-9]{0,14})$' } as const;
const yes = { type: 'string', const: '1' } as const;

export const fileOrders = ['nome', 'tamanho', 'data', 'tipo'] as const;

export const fileItem = closed({
  nome: text,
  caminho: text,
  /** Of what a link leads to; `quebrado`: it leads nowhere, or where the account may not look. */
  tipo: oneOf(['arquivo', 'pasta', 'outro', 'quebrado']),
  bytes: count,
  modificadoMs: count,
  /** Permission bits. */
  modo: count,
  oculto: flag,
  atalho: flag,
});
export type FileItem = Wire<typeof fileItem>;

export const pathQuery = closed({ caminho: exact });
export const listQuery = closed(
  { caminho: exact, ordem: oneOf(fileOrders), inversa: yes, ocultos: yes, juntas: yes, desde: digits, limite: digits, versao: text },
  ['caminho'],
);

export const space = closed({ totalBytes: count, livreBytes: count, livreArquivos: count });
export type SpaceAnswer = Wire<typeof space>;

export const placesAnswer = closed({
  conta: text,
  casa: text,
  /** Of the XDG user folders those that are there. */
  pastas: list(
    closed({
      papel: oneOf(['desktop', 'documents', 'download', 'music', 'pictures', 'videos', 'templates', 'publicshare']),
      caminho: text,
      nome: text,
    }),
  ),
  espaco: orNull(space),
});
export type PlacesAnswer = Wire<typeof placesAnswer>;

export const listAnswer = closed({
  caminho: text,
  /** What is shown of it, by `ocultos`. */
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
