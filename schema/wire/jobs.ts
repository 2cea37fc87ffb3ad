/**
 * The queue as the portal's HTTP API says it (rules 4.1), as http.ts. Times in ms since the epoch. As with rooms, a page adds `?app=<id>`, the shell
 * may leave it out to see the jobs of all apps, and a backend's bearer says which app it is.
 */
import { limits } from '../limits.ts';
import { jobStates } from '../jobs.ts';
import { plainLineSource } from '../plain-line.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, strings, text } from '../static.ts';
import { appId, personId, reason } from './http.ts';

const jobId = { type: 'string', pattern: '^j[0-9a-z]{20}$' } as const;
const sha = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
/** Queries arrive as text. */
const digits = { type: 'string', pattern: '^(0|[1-9][0-9]{0,14})$' } as const;
const oneLine = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength, pattern: plainLineSource }) as const;
/** Name of an image, as container engines write it. */
const image = { type: 'string', minLength: 1, maxLength: 512, pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$' } as const;
const word = { type: 'string', maxLength: limits.jobWordBytesMax, pattern: '^[^\\u0000]*$' } as const;
/** As the documents of a folder are named (schema/desired). */
const clusterName = { type: 'string', pattern: `^[a-z0-9]([a-z0-9._-]{0,${limits.objectNameCharsMax - 2}}[a-z0-9])?$` } as const;
const amount = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;

export const queueQuery = closed({ app: appId }, []);
export const jobsQuery = closed({ app: appId, antes: jobId }, []);
export const jobParams = closed({ id: jobId });
export const jobQuery = closed({ app: appId, espera: { type: 'string', pattern: '^[0-9]{1,2}$' } }, []);
export const inputParams = closed({ sha });
export const inputQuery = closed({ app: appId, desde: digits, tamanho: digits }, ['desde', 'tamanho']);
export const logQuery = closed({ app: appId, desde: digits }, []);
export const adminLogQuery = closed({ desde: digits, follow: { type: 'string', const: '1' } }, []);
export const outputParams = closed({ id: jobId, '*': text });
export const offsetQuery = closed({ desde: digits });

export const jobBody = closed(
  {
    /** Chosen by the submitter: the same key names the same job, so that a lost answer never runs a job twice. */
    chave: oneLine(128),
    nome: oneLine(120),
    imagem: { anyOf: [image, { type: 'null' }] },
    comando: { type: 'array', items: word, minItems: 1, maxItems: 1_024 },
    entradas: { type: 'array', items: closed({ caminho: text, sha }), maxItems: limits.jobFilesMax },
    ambiente: {
      type: 'object',
      maxProperties: 256,
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' },
      additionalProperties: word,
    },
    limites: closed(
      { cpus: amount(1, 4_096), memoriaMb: amount(1, 16 * 1_024 * 1_024), segundos: amount(1, 30 * 24 * 3_600), gpus: amount(0, 64) },
      [],
    ),
    cluster: clusterName,
    app: appId,
  },
  ['chave', 'comando'],
);
export interface JobBody {
  readonly chave: string;
  readonly nome?: string;
  readonly imagem?: string | null;
  readonly comando: readonly string[];
  readonly entradas?: readonly { readonly caminho: string; readonly sha: string }[];
  readonly ambiente?: Readonly<Record<string, string>>;
  readonly limites?: { readonly cpus?: number; readonly memoriaMb?: number; readonly segundos?: number; readonly gpus?: number };
  readonly cluster?: string;
  readonly app?: string;
}

export const jobAgainBody = closed({ chave: oneLine(128) });

const jobLimits = closed({ cpus: count, memoriaMb: count, segundos: count, gpus: count });
export const jobView = closed({
  id: text,
  app: text,
  /** Owner of the job. */
  usuario: text,
  nome: text,
  chave: text,
  cluster: text,
  /** Id of the request that submitted it, as in the portal's log. Null for jobs of an older portal. */
  requestId: nullable('string'),
  estado: oneOf(jobStates),
  /** Reason code; its text for people is in schema/texts/reasons.ts. */
  motivo: reason,
  /** For engineers, English. */
  mensagem: text,
  /** Place among those that wait, 1-based; null: it does not wait, or the place is unknown. */
  lugar: nullable('integer'),
  /** 0 to 1, as the command says; null: it says nothing. */
  progresso: nullable('number'),
  codigo: nullable('integer'),
  /** Bytes of the log so far. */
  registo: count,
  cancelamento: flag,
  criadoEm: count,
  iniciadoEm: nullable('integer'),
  terminadoEm: nullable('integer'),
  /** When it and its outputs are removed; null: not ended yet. */
  expiraEm: nullable('integer'),
  imagem: nullable('string'),
  comando: strings,
  limites: jobLimits,
});
export type JobView = Wire<typeof jobView>;

export const clusterView = closed({
  nome: text,
  /** How its jobs are confined, a word for people; `plain`: they are not. */
  isolamento: text,
  alcancavel: flag,
  mensagem: text,
  emVoo: count,
  emVooMax: count,
  emEspera: count,
});
export type ClusterView = Wire<typeof clusterView>;

export const queueAnswer = closed({
  disponivel: flag,
  /** For people, Portuguese; null when it is available. */
  motivo: nullable('string'),
  codigo: nullable('string'),
  clusters: list(clusterView),
  /** The newest first, at most a page. */
  trabalhos: list(jobView),
  /** There are older ones: `antes` with the id of the last one is the next page. */
  mais: flag,
  /** Bytes of this person's inputs, logs and outputs, and how many they may be. */
  espaco: closed({ bytes: count, bytesMax: count }),
});
export type QueueAnswer = Wire<typeof queueAnswer>;

export const uploadAnswer = closed({ ate: count, completo: flag });
export type UploadAnswer = Wire<typeof uploadAnswer>;
export const offsetAnswer = closed({ ate: count });
export const outputsAnswer = closed({
  saidas: list(closed({ caminho: text, sha: text, tamanho: count, ate: count, completo: flag, recusada: flag })),
});
export type OutputsAnswer = Wire<typeof outputsAnswer>;
export const adminJobsQuery = closed({ cluster: clusterName, usuario: personId, antes: jobId }, []);
export const adminJobsAnswer = closed({ clusters: list(clusterView), trabalhos: list(jobView), mais: flag });
export type AdminJobsAnswer = Wire<typeof adminJobsAnswer>;
