import { expect, test } from 'vitest';
import { checkedAmounts, formOf, readAmounts, usableAmounts, type Amounts } from './cluster-form.ts';

const form = formOf({ cpus: { padrao: 2, min: 1, max: 4 }, gpus: { padrao: 0, opcoes: [0, 2] } });

test.for<readonly [Partial<Amounts>, Amounts]>([
  [
    { cpus: 4, gpus: 2 },
    { cpus: 4, memoriaMb: 1_024, segundos: 3_600, gpus: 2 },
  ],
  [{}, { cpus: 2, memoriaMb: 1_024, segundos: 3_600, gpus: 0 }],
])('%j may be asked for', ([asked, amounts]) => {
  expect(checkedAmounts(form, asked)).toEqual(amounts);
});

test.for([
  [{ cpus: 5 }, 'pedido.cpus: expected a whole number from 1 to 4, got 5'],
  [{ cpus: 1.5 }, 'pedido.cpus: expected a whole number from 1 to 4, got 1.5'],
  [{ gpus: 1 }, 'pedido.gpus: expected one of 0, 2, got 1'],
  [{ segundos: 60 }, 'pedido.segundos: expected 3600, got 60'],
] as const)('%j is refused', ([asked, message]) => {
  expect(() => checkedAmounts(form, asked)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST', message }));
});

test('what was asked for before and may not be had any more is the default again; a damaged memory is none', () => {
  expect(usableAmounts(form, { cpus: 64, gpus: 2 })).toEqual({ cpus: 2, memoriaMb: 1_024, segundos: 3_600, gpus: 2 });
  expect([readAmounts(null), readAmounts('{'), readAmounts('3')]).toEqual([{}, {}, {}]);
});
