/** Amounts that a person may ask for when an app of theirs starts as a job of a cluster. Decision: docs/decisions/0437-backends-on-a-cluster.md */
import type { WrittenPackage } from './desired/documents.ts';
import { SvcError } from './errors.ts';

export const amountNames = ['cpus', 'memoriaMb', 'segundos', 'gpus'] as const;
export type AmountName = (typeof amountNames)[number];
export type Amounts = Readonly<Record<AmountName, number>>;

/** `opcoes`: these and no others; empty: every whole number from `min` to `max`. */
export interface Quantity {
  readonly padrao: number;
  readonly min: number;
  readonly max: number;
  readonly opcoes: readonly number[];
}
export type ClusterForm = Readonly<Record<AmountName, Quantity>>;

/** Amounts of a Package document that says none. */
const defaults: Amounts = { cpus: 1, memoriaMb: 1_024, segundos: 3_600, gpus: 0 };

/** Reads `formulario` of a Package document; an amount that it leaves out is fixed. */
export function formOf(written: WrittenPackage['spec']['formulario'] = {}): ClusterForm {
  const quantity = (name: AmountName): Quantity => {
    const { padrao = defaults[name], opcoes = [], min, max } = written[name] ?? {};
    return { padrao, min: Math.min(min ?? padrao, ...opcoes), max: Math.max(max ?? padrao, ...opcoes), opcoes };
  };
  return { cpus: quantity('cpus'), memoriaMb: quantity('memoriaMb'), segundos: quantity('segundos'), gpus: quantity('gpus') };
}

const expectedOf = ({ min, max, opcoes }: Quantity): string => {
  if (opcoes.length > 0) return `one of ${opcoes.join(', ')}`;
  return min === max ? String(min) : `a whole number from ${min} to ${max}`;
};

const fits = ({ min, max, opcoes }: Quantity, amount: number): boolean =>
  Number.isSafeInteger(amount) && (opcoes.length > 0 ? opcoes.includes(amount) : min <= amount && amount <= max);

/** Adds the defaults for amounts that are not asked for. Throws BAD_REQUEST, which names the field. */
export function checkedAmounts(form: ClusterForm, asked: Partial<Amounts>): Amounts {
  for (const name of amountNames) {
    const amount = asked[name];
    if (amount !== undefined && !fits(form[name], amount))
      throw new SvcError('BAD_REQUEST', `pedido.${name}: expected ${expectedOf(form[name])}, got ${amount}`, { campo: `pedido.${name}` });
  }
  return usableAmounts(form, asked);
}

/** Replaces amounts that are not offered any more by the defaults. */
export function usableAmounts(form: ClusterForm, asked: Partial<Amounts>): Amounts {
  const amount = (name: AmountName): number => {
    const wanted = asked[name];
    return wanted !== undefined && fits(form[name], wanted) ? wanted : form[name].padrao;
  };
  return { cpus: amount('cpus'), memoriaMb: amount('memoriaMb'), segundos: amount('segundos'), gpus: amount('gpus') };
}

/** The named value of the store that holds what a person asked for last, by app. */
export const amountsName = (person: string): string => `pedidos/${person}`;

export function readAmounts(text: string | null): Readonly<Record<string, Partial<Amounts>>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, Partial<Amounts>>) : {};
  } catch {
    return {};
  }
}
