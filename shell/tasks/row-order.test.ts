import { expect, test } from 'vitest';
import { ordered, type RowOrder } from './row-order.ts';

const row = (name: string, status: 'running' | 'stopped', pid: number | null, cpu: number | null, memoria: number) => ({
  name,
  status,
  pid,
  connections: pid === null ? null : 0,
  uso: pid === null ? null : { cpu, memoria, tarefas: 1 },
});
const rows = [
  row('notas', 'running', 20, 5, 300),
  row('Ábaco', 'stopped', null, null, 0),
  row('cai', 'running', 3, null, 900),
  row('bomba', 'running', 7, 80, 300),
];
const words = { running: 'Rodando', stopped: 'Parado' } as const;

test.for([
  [{ column: 'app', direction: 'ascending' }, 'Ábaco bomba cai notas'],
  [{ column: 'app', direction: 'descending' }, 'notas cai bomba Ábaco'],
  // By the words that are read, not by what they stand for.
  [{ column: 'state', direction: 'ascending' }, 'Ábaco bomba cai notas'],
  [{ column: 'state', direction: 'descending' }, 'bomba cai notas Ábaco'],
  [{ column: 'pid', direction: 'ascending' }, 'cai bomba notas Ábaco'],
  // Unknown is last both ways, and no zero.
  [{ column: 'cpu', direction: 'ascending' }, 'notas bomba Ábaco cai'],
  [{ column: 'cpu', direction: 'descending' }, 'bomba notas Ábaco cai'],
  [{ column: 'memory', direction: 'descending' }, 'cai bomba notas Ábaco'],
  [{ column: 'connections', direction: 'descending' }, 'bomba cai notas Ábaco'],
] as const satisfies readonly (readonly [RowOrder, string])[])('%o: %s', ([order, wanted]) => {
  expect(
    ordered(rows, order, (status) => (status === 'running' ? words.running : words.stopped))
      .map(({ name }) => name)
      .join(' '),
  ).toBe(wanted);
});
