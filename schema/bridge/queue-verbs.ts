/**
 * The verbs of the queue. Spec 2.1 names `disponivel`, `submeter`, `acompanhar`, `baixar` and `cancelar`; ours are `saidas` and `listar`. The shell
 * carries the bytes, so that the page holds none of them; refusals have the portal's `code` and HTTP `status`.
 */
import { jobIdPattern } from '../jobs.ts';
import type { JobBody, JobView, OutputsAnswer } from '../wire/jobs.ts';
import { type Check, matching, optional, text } from './check.ts';
import { limits } from './limits.ts';
import { asked, askedOrOwn, inner, inPage } from './verb.ts';

export interface QueueAvailable {
  readonly disponivel: boolean;
  readonly motivo: string | null;
  readonly codigo: string | null;
}
/** As the portal takes it, with the inputs themselves instead of their hashes. */
export interface PageJob extends Omit<JobBody, 'app' | 'entradas'> {
  readonly entradas: readonly { readonly caminho: string; readonly blob: Blob }[];
}
/** The reason as a word: the list of reasons grows. */
export type PageJobView = Omit<JobView, 'motivo'> & { readonly motivo: string };
export interface PageOutput {
  readonly caminho: string;
  readonly blob: Blob;
}
interface OfJob {
  readonly trabalho: string;
}
export interface JobNews {
  /** Null: as it was. */
  readonly trabalho: PageJobView | null;
  readonly versao: string | null;
  /** A piece of the log from `desde` on. */
  readonly registo: ArrayBuffer;
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isInput = (value: unknown): boolean => isObject(value) && typeof value['caminho'] === 'string' && value['blob'] instanceof Blob;

/** The portal judges the rest. */
const submission: Check = {
  type: 'SvcSubmissao',
  accepts: (value) =>
    isObject(value) && typeof value['chave'] === 'string' && Array.isArray(value['entradas']) && value['entradas'].every(isInput),
};
const deadlineMs = limits.portalVerbAnswerMs;
const trabalho = matching(jobIdPattern);
const count: Check = { type: 'number', accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0 };

export const queueVerbs = {
  /** Whether this app may submit jobs now, or the sentence why not. */
  'fila.disponivel': askedOrOwn<object, QueueAvailable>('SvcDisponibilidade', { deadlineMs }),
  /** Uploads what the portal lacks of the inputs and submits a job. Without a `chave` each call is a new one. */
  'fila.submeter': asked<{ readonly submissao: PageJob }, PageJobView>('SvcTrabalho', {
    args: { submissao: submission },
    deadlineMs: null,
  }),
  /** Yields the job at once, at each change and at its end; `linhas`: new lines of its log. */
  'fila.acompanhar': inPage(
    '(trabalho: string, opcoes?: SvcAcompanhamento)',
    'AsyncGenerator<SvcTrabalho & { readonly linhas: readonly string[] }, void>',
    'rejects',
  ),
  /** The files that the job has left so far below `saida/`. */
  'fila.saidas': asked<OfJob, OutputsAnswer['saidas']>('readonly SvcSaida[]', { args: { trabalho }, deadlineMs }),
  /** Downloads an output, or all that are complete, and checks their hashes. */
  'fila.baixar': asked<OfJob & { readonly caminho?: string }, readonly PageOutput[]>('readonly SvcArquivoDeSaida[]', {
    args: { trabalho, caminho: optional(text(1_024)) },
    deadlineMs: null,
  }),
  /** The job as it is then; one that ended stays as it is. */
  'fila.cancelar': asked<OfJob, PageJobView>('SvcTrabalho', { args: { trabalho }, deadlineMs }),
  /** The jobs of this app for its person, the newest first. */
  'fila.listar': askedOrOwn<{ readonly limite?: number }, readonly PageJobView[]>('readonly SvcTrabalho[]', {
    options: { limite: optional(count) },
    deadlineMs,
  }),
  /** Held for some seconds while the job is as `versao` says. */
  'fila.noticia': inner<OfJob & { readonly versao?: string; readonly desde: number }, JobNews>({
    args: { trabalho, desde: count },
    options: { versao: optional(text(64)) },
    deadlineMs,
  }),
};
