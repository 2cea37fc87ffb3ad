/**
 * The verbs for files of the person. Spec 7 names neither: "a picker answers null, … a disk verb rejects". A page reaches what the person gave its app and
 * nothing else: what was chosen in a picker, and what the app was opened with. Decision: docs/decisions/0228-files-for-pages.md
 */
import { type Check, flag, listOf, matching, optional, text } from './check.ts';
import { limits } from './limits.ts';
import { asked, askedOrNull } from './verb.ts';

export interface PickedPlace {
  readonly caminho: string;
  readonly nome: string;
}
export interface PickedFile extends PickedPlace {
  readonly tipo: 'arquivo' | 'pasta' | 'outro' | 'quebrado';
  readonly bytes: number;
  readonly modificadoMs: number;
}
interface OfPath {
  readonly caminho: string;
}

const caminho = text(limits.filePathCharsMax);
const count: Check = { type: 'number', accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0 };
const extensoes = optional(listOf(matching(/^\.?[A-Za-z0-9][A-Za-z0-9+._-]{0,31}$/), limits.pickedExtensionsMax));
/** A page gives what a `Blob` is made of; the SDK makes it. */
const conteudo: Check = { type: 'SvcBytes | string', accepts: (value) => value instanceof Blob && value.size <= limits.diskBytesMax };
const deadlineMs = limits.portalVerbAnswerMs;

export const fileVerbs = {
  /** Lets the person choose files for the app to open; null when they choose none. Rejects with `sem-gesto` without a press in the window in front. */
  'arquivos.abrir': askedOrNull<{ readonly extensoes?: readonly string[]; readonly varios?: boolean }, readonly PickedFile[] | null>(
    'readonly SvcArquivo[] | null',
    { options: { extensoes, varios: optional(flag) }, deadlineMs: null },
  ),
  /** Lets them say where a file is to be written, and whether in place of one that is there; it is not made. `nome` is proposed. */
  'arquivos.salvar': askedOrNull<{ readonly nome?: string; readonly extensoes?: readonly string[] }, PickedPlace | null>(
    'SvcLugar | null',
    { options: { nome: optional(text(255)), extensoes }, deadlineMs: null },
  ),
  /** Lets them choose a folder: the app reaches all that is in it. */
  'arquivos.pasta': askedOrNull<object, PickedPlace | null>('SvcLugar | null', { deadlineMs: null }),
  /**
   * The bytes of a file, with `versao`, by which a later `escrever` changes only what was read. `desde` and `ate` (the last one) take a part of it; more than 256 MiB
   * at once are refused with `grande-demais`.
   */
  'disco.ler': asked<OfPath & { readonly desde?: number; readonly ate?: number }, DiskContent>('SvcConteudo', {
    args: { caminho },
    options: { desde: optional(count), ate: optional(count) },
    deadlineMs: null,
  }),
  /**
   * The whole file anew, or a new one, never half. With `versao` only while it is the one that was read, with `novo` only while there is none: else `FILE_CHANGED`.
   */
  'disco.escrever': asked<
    OfPath & { readonly conteudo: Blob; readonly versao?: string; readonly novo?: boolean },
    PickedFile & { readonly versao: string }
  >('SvcArquivoEscrito', {
    args: { caminho, conteudo },
    options: { versao: optional(text(256)), novo: optional(flag) },
    takes: '(caminho: string, conteudo: SvcBytes | string, opcoes?: SvcEscrita)',
    deadlineMs: null,
  }),
  /** The present state of a file or folder. */
  'disco.estado': asked<OfPath, PickedFile>('SvcArquivo', { args: { caminho }, deadlineMs }),
  /** The content of a folder, by name: at most 5,000 entries from `desde` on. */
  'disco.listar': asked<
    OfPath & { readonly desde?: number; readonly limite?: number; readonly ocultos?: boolean },
    { readonly total: number; readonly itens: readonly PickedFile[] }
  >('SvcListagem', {
    args: { caminho },
    options: { desde: optional(count), limite: optional(count), ocultos: optional(flag) },
    takes: '(caminho: string, opcoes?: SvcListar)',
    deadlineMs,
  }),
};

export interface DiskContent {
  readonly conteudo: Blob;
  readonly versao: string;
  /** Size of the whole file. */
  readonly bytes: number;
}
