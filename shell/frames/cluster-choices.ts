/** Choices in the form of an app on a cluster: lists, since each is read and chosen at once with keys, a finger and a screen reader. Pure. */
import type { ClusterFormAnswer } from '../../schema/wire/http.ts';

type Form = ClusterFormAnswer['formulario'];
export type Amount = keyof Form;
export const amountNames: readonly Amount[] = ['cpus', 'memoriaMb', 'segundos', 'gpus'];

const hour = 3_600;
const times = [hour / 4, hour / 2, hour, 2 * hour, 4 * hour, 8 * hour, 12 * hour, 24 * hour, 48 * hour, 72 * hour, 168 * hour];
const doublings = Array.from({ length: 25 }, (_, n) => 2 ** n);
const listedMax = 32;

/** A single one where nothing can be chosen. */
export function choicesOf(name: Amount, { padrao, min, max, opcoes }: Form[Amount]): readonly number[] {
  if (opcoes.length > 0) return opcoes.toSorted((a, b) => a - b);
  if (max - min < listedMax) return Array.from({ length: max - min + 1 }, (_, n) => min + n);
  const between = (name === 'segundos' ? times : doublings).filter((amount) => amount > min && amount < max);
  return [...new Set([min, ...between, padrao, max])].toSorted((a, b) => a - b);
}

/** `1 h 30 min`, in both languages. */
export function durationOf(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.ceil(seconds))} s`;
  const minutes = Math.ceil(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours === 0 ? '' : `${hours} h`, rest === 0 ? '' : `${rest} min`].filter(Boolean).join(' ');
}

export function shownAmount(name: Amount, amount: number): string {
  if (name === 'segundos') return durationOf(amount);
  if (name !== 'memoriaMb') return String(amount);
  return amount >= 1_024 && amount % 256 === 0 ? `${amount / 1_024} GB` : `${amount} MB`;
}
