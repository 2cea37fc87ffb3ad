/**
 * Metrics that an app reports (`POST /api/metricas`, rules 2.1 `recursos.metricas`), and the errors in it as the portal shows them. The border
 * checks the shape; each entry is judged by itself (api/app-metrics), so that a bad label costs nobody else's count.
 * Decision: docs/decisions/0213-metrics-of-apps.md
 */
import { appId } from './http.ts';
import { appDurationBoundsS } from './distribution.ts';
import { limits } from '../limits.ts';
import { type Wire, closed, count, flag, list, oneOf, orNull, text } from '../static.ts';

/** Why an entry is not counted. The first three of them are about who (rules 2.1: a label never says who caused it). */
export const metricRefusals = ['email', 'pessoa', 'identificador', 'rotulo', 'series', 'valor', 'tamanho', 'erros'] as const;
export type MetricRefusal = (typeof metricRefusals)[number];

const word = { type: 'string', maxLength: limits.metricTextCharsMax } as const;
const labels = {
  type: 'object',
  maxProperties: limits.metricTextCharsMax,
  propertyNames: { maxLength: limits.metricTextCharsMax },
  additionalProperties: word,
} as const;
export type MetricLabels = Readonly<Record<string, string>>;

const atMost = <Item extends object>(items: Item) => ({ ...list(items), maxItems: limits.metricEntriesMax });
const buckets = { type: 'array', items: count, minItems: appDurationBoundsS.length + 1, maxItems: appDurationBoundsS.length + 1 } as const;

export const metricsBody = closed(
  {
    /** Identity of one process or page, chosen by it: together with `lote`, which grows by one, it lets a repeated batch be counted once. */
    origem: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
    lote: { type: 'integer', minimum: 1 },
    /** Version of the running app; without it the installed one. */
    versao: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' },
    contadores: atMost(closed({ evento: word, rotulos: labels, n: { type: 'number' } }, ['evento', 'n'])),
    /** Counts by bucket, and the sum in seconds (distribution.ts). */
    duracoes: atMost(closed({ evento: word, rotulos: labels, baldes: buckets, soma: { type: 'number' } }, ['evento', 'baldes', 'soma'])),
    erros: atMost(
      closed({
        tipo: word,
        mensagem: word,
        pilha: { type: 'string', maxLength: limits.metricStackCharsMax },
        n: { type: 'integer', minimum: 1 },
      }),
    ),
    /** Entries that the sender itself had no room for, by reason. */
    descartados: closed(Object.fromEntries(metricRefusals.map((reason) => [reason, count])) as Record<MetricRefusal, typeof count>, []),
  },
  ['origem', 'lote'],
);
export type MetricsBody = Wire<typeof metricsBody>;

export const metricsQuery = closed({ app: appId }, []);
/** Entries that were not counted, for the log of the app. */
export const metricsAnswer = closed({ recusados: list(closed({ evento: text, motivo: oneOf(metricRefusals), n: { type: 'number' } })) });
export type MetricsAnswer = Wire<typeof metricsAnswer>;
export const metricsAvailable = closed({ disponivel: flag, motivo: orNull(text), codigo: orNull(text) });
export type MetricsAvailable = Wire<typeof metricsAvailable>;

const errorGroup = closed({
  id: text,
  tipo: text,
  mensagem: text,
  pilha: text,
  /** Version of the app at the newest occurrence. */
  versao: text,
  de: oneOf(['backend', 'pagina']),
  n: count,
  primeiroEm: count,
  ultimoEm: count,
});
export type ErrorGroup = Wire<typeof errorGroup>;
/** The latest first. */
export const errorsAnswer = closed({ erros: list(errorGroup) });
