/**
 * The counts, times and errors of a page since they were last taken: added up, and bounded however long nobody takes them. The page has one, and the
 * shell one for each app (shell/desktop/metric-sender.ts). Small: it is a part of what every page loads. The backends' libraries do the same in
 * their languages.
 */
import { addDistribution, appDurationBoundsS, emptyDistribution, observe, type Distribution } from './distribution.ts';

type Labels = Readonly<Record<string, string>>;
export interface CountEntry {
  readonly evento: string;
  readonly rotulos: Labels;
  readonly n: number;
}
export interface TimeEntry extends Distribution {
  readonly evento: string;
  readonly rotulos: Labels;
}
export interface ErrorEntry {
  readonly tipo: string;
  readonly mensagem: string;
  readonly pilha: string;
  readonly n: number;
}
export interface MetricBatch {
  readonly contadores: readonly CountEntry[];
  readonly duracoes: readonly TimeEntry[];
  readonly erros: readonly ErrorEntry[];
  readonly descartados: Readonly<Record<string, number>>;
}

/** Series, stacks, and characters of one text: what is over is counted as refused. */
export const batchMax = { series: 300, stacks: 50, text: 256, stack: 4_000, labels: 8 } as const;

export interface MetricCollector {
  count(entry: CountEntry): void;
  time(evento: string, rotulos: Labels, seconds: number): void;
  report(entry: ErrorEntry): void;
  drop(reason: string, n: number): void;
  add(batch: MetricBatch): void;
  /** The entries since the last call, which the caller owns from then on; null when there are none. */
  take(): MetricBatch | null;
}

const isText = (value: unknown, max: number): value is string => typeof value === 'string' && value.length <= max;
const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1e12;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isLabels = (value: unknown): value is Labels =>
  isRecord(value) &&
  Object.keys(value).length <= batchMax.labels &&
  Object.entries(value).every(([name, text]) => isText(name, batchMax.text) && isText(text, batchMax.text));

const hasEvent = ({ evento, rotulos }: Readonly<Record<string, unknown>>): boolean => isText(evento, batchMax.text) && isLabels(rotulos);

const isTime = ({ baldes, soma }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(baldes) &&
  baldes.length === appDurationBoundsS.length + 1 &&
  baldes.every((n) => Number.isSafeInteger(n) && n >= 0) &&
  isAmount(soma);

const isError = ({ tipo, mensagem, pilha, n }: Readonly<Record<string, unknown>>): boolean =>
  isText(tipo, batchMax.text) &&
  isText(mensagem, 2 * batchMax.text) &&
  isText(pilha, batchMax.stack) &&
  Number.isSafeInteger(n) &&
  (n as number) > 0;

const isList = (value: unknown, max: number, accepts: (entry: Readonly<Record<string, unknown>>) => boolean): boolean =>
  Array.isArray(value) && value.length <= max && value.every((entry) => isRecord(entry) && accepts(entry));

/** Judges a page's batch before it is added. */
export const isMetricBatch = (value: unknown): value is MetricBatch =>
  isRecord(value) &&
  isList(value['contadores'], batchMax.series, (entry) => hasEvent(entry) && isAmount(entry['n'])) &&
  isList(value['duracoes'], batchMax.series, (entry) => hasEvent(entry) && isTime(entry)) &&
  isList(value['erros'], batchMax.stacks, isError) &&
  isRecord(value['descartados']) &&
  Object.keys(value['descartados']).every((reason) => ['tamanho', 'series', 'valor', 'erros'].includes(reason)) &&
  Object.values(value['descartados']).every((n) => isAmount(n));

const keyOf = (evento: string, rotulos: Labels): string => JSON.stringify([evento, rotulos]);

export function createMetricCollector(): MetricCollector {
  let counts = new Map<string, { evento: string; rotulos: Labels; n: number }>();
  let times = new Map<string, TimeEntry>();
  let errors = new Map<string, { tipo: string; mensagem: string; pilha: string; n: number }>();
  let dropped: Record<string, number> = {};
  const drop = (reason: string, n: number): void => void (dropped[reason] = (dropped[reason] ?? 0) + n);
  const isFull = (): boolean => counts.size + times.size >= batchMax.series;
  const fits = (evento: string, rotulos: Labels): boolean => hasEvent({ evento, rotulos });
  const count = ({ evento, rotulos, n }: CountEntry): void => {
    if (!fits(evento, rotulos)) return drop('tamanho', 1);
    const key = keyOf(evento, rotulos);
    const found = counts.get(key);
    if (found !== undefined) found.n += n;
    else if (isFull()) drop('series', n);
    else counts.set(key, { evento, rotulos, n });
  };
  const timesOf = (evento: string, rotulos: Labels): TimeEntry | null => {
    if (!fits(evento, rotulos)) return (drop('tamanho', 1), null);
    const key = keyOf(evento, rotulos);
    const found = times.get(key);
    if (found !== undefined) return found;
    if (isFull()) return (drop('series', 1), null);
    const made = { evento, rotulos, ...emptyDistribution(appDurationBoundsS) };
    times.set(key, made);
    return made;
  };
  const report = (entry: ErrorEntry): void => {
    const key = `${entry.tipo}\n${entry.pilha === '' ? entry.mensagem : entry.pilha}`;
    const found = errors.get(key);
    if (found !== undefined) found.n += entry.n;
    else if (errors.size >= batchMax.stacks) drop('erros', entry.n);
    else errors.set(key, { ...entry });
  };
  return {
    count,
    time: (evento, rotulos, seconds) => {
      const into = timesOf(evento, rotulos);
      if (into !== null) observe(appDurationBoundsS, into, seconds);
    },
    report,
    drop,
    add: ({ contadores, duracoes, erros, descartados }) => {
      for (const entry of contadores) count(entry);
      for (const entry of duracoes) {
        const into = timesOf(entry.evento, entry.rotulos);
        if (into !== null) addDistribution(into, entry);
      }
      for (const entry of erros) report(entry);
      for (const [reason, n] of Object.entries(descartados)) drop(reason, n);
    },
    take: () => {
      if (counts.size + times.size + errors.size + Object.keys(dropped).length === 0) return null;
      const batch = {
        contadores: [...counts.values()],
        duracoes: [...times.values()],
        erros: [...errors.values()],
        descartados: dropped,
      };
      [counts, times, errors, dropped] = [new Map(), new Map(), new Map(), {}];
      return batch;
    },
  };
}
