/** Order of the apps in the task manager. Rows without a value are last in either direction, as in any `ui-table`. */
import type { AppProjection } from '../../schema/wire/http.ts';

export const sortColumns = ['app', 'state', 'pid', 'connections', 'cpu', 'memory'] as const;
export type SortColumn = (typeof sortColumns)[number];

export interface RowOrder {
  readonly column: SortColumn;
  readonly direction: 'ascending' | 'descending';
}

type Row = Pick<AppProjection, 'name' | 'status' | 'pid' | 'connections' | 'uso'>;

const numbers: Readonly<Record<Exclude<SortColumn, 'app' | 'state'>, (row: Row) => number | null>> = {
  pid: ({ pid }) => pid,
  connections: ({ connections }) => connections,
  cpu: ({ uso }) => uso?.cpu ?? null,
  memory: ({ uso }) => uso?.memoria ?? null,
};

/** `sayState`: a status in the words that are shown. Rows that are alike stay in the order of their names. */
export function ordered<R extends Row>(
  rows: readonly R[],
  { column, direction }: RowOrder,
  sayState: (status: R['status']) => string,
): readonly R[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const byName = (a: R, b: R): number => a.name.localeCompare(b.name);
  if (column === 'app') return rows.toSorted((a, b) => sign * byName(a, b));
  if (column === 'state') return rows.toSorted((a, b) => sign * sayState(a.status).localeCompare(sayState(b.status)) || byName(a, b));
  const valueOf = numbers[column];
  return rows.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null) || byName(a, b);
    return sign * (one - other) || byName(a, b);
  });
}
