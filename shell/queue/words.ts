/** A job in sentences: its name, its state with the reason, how far it is, and when what happened. */
import { reasonText } from '../../schema/texts/reasons.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import { language, shownAs, text, type TextKey } from '../i18n/i18n.ts';
import { saySize } from '../shop/words.ts';
import type { QueueState } from './model.ts';

const nameCharsMax = 60;

/** Name that the submitter gave it; else the beginning of its command. */
export function jobName({ nome, comando, id }: Pick<JobView, 'nome' | 'comando' | 'id'>): string {
  const words = nome === '' ? comando.join(' ') : nome;
  const line = words.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\s]+/g, ' ').trim();
  return line === '' ? id : line.length > nameCharsMax ? `${line.slice(0, nameCharsMax - 1)}…` : line;
}

export const stateText = ({ estado }: Pick<JobView, 'estado'>): string => text(`queue.state.${estado}`);

/** Why, in the person's language, with what belongs to it; '' where the state has said it all. */
export function reasonLine(job: Pick<JobView, 'estado' | 'motivo' | 'lugar' | 'codigo'>): string {
  const reason = reasonText(job.motivo, language.get());
  const parts = [
    ...(reason === stateText(job) ? [] : [reason]),
    ...(job.lugar === null ? [] : [text('queue.place', { n: job.lugar })]),
    ...(job.codigo === null || job.codigo === 0 ? [] : [text('queue.exit', { codigo: job.codigo })]),
  ];
  return parts.join(' · ');
}

/** Null: it does not say how far it is, or that says nothing any more. */
export function progressOf({ progresso, estado }: Pick<JobView, 'progresso' | 'estado'>): number | null {
  if (progresso === null || !['a-correr', 'a-recolher', 'desconhecido'].includes(estado)) return null;
  return Math.min(1, Math.max(0, progresso));
}

export const sayPercent = (part: number): string =>
  new Intl.NumberFormat(shownAs(), { style: 'percent', maximumFractionDigits: 0 }).format(part);
export const sayWhen = (atMs: number | null): string =>
  atMs === null ? '–' : new Intl.DateTimeFormat(shownAs(), { dateStyle: 'short', timeStyle: 'medium' }).format(atMs);

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
/** In the largest unit that divides it. */
export function sayDuration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size && seconds % size === 0) ?? units[3];
  return new Intl.NumberFormat(shownAs(), { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

export function sayLimits({ limites: { cpus, memoriaMb, segundos, gpus } }: Pick<JobView, 'limites'>): string {
  const memoria = saySize(memoriaMb * 1_024 * 1_024);
  return text('queue.limitsLine', { cpus, memoria, tempo: sayDuration(segundos), gpus });
}

/** Announcement of changed jobs: each one, or only their number. */
export function sayChanges(jobs: readonly JobView[]): string {
  if (jobs.length > 3) return text('queue.changedMany', { n: jobs.length });
  return jobs.map((job) => text('queue.changed', { nome: jobName(job), estado: stateText(job) })).join('. ');
}

const offTexts: Readonly<Record<string, TextKey>> = {
  DESLIGADA: 'queue.off.DESLIGADA',
  SEM_CLUSTER: 'queue.off.SEM_CLUSTER',
  INALCANCAVEL: 'queue.off.INALCANCAVEL',
};
/** Why the queue takes no job; the portal's own words where this page does not know the code. */
export function sayOff({ codigo, motivo }: NonNullable<QueueState['off']>): string {
  const key = offTexts[codigo];
  return key === undefined ? motivo : text(key);
}
