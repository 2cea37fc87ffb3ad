import { expect, test } from 'vitest';
import { clustersCheck } from './clusters-check.ts';

const reachable = { status: 'reachable', jobs: new Map(), startedAtMs: 1 } as const;

test.for<[string, Parameters<typeof clustersCheck>[0], object]>([
  ['there is none', [], { ok: true, detail: { en: 'the queue is off: none', pt: expect.any(String) as string }, fix: null }],
  [
    'all answer, or were not asked yet',
    [
      { name: 'aqui', sight: reachable, cluster: { isolation: 'bubblewrap' } },
      { name: 'grande', sight: { status: 'unknown' }, cluster: { isolation: 'plain' } },
    ],
    { ok: true, detail: { en: 'aqui (bubblewrap), grande (not seen yet)', pt: 'aqui (bubblewrap), grande (ainda não visto)' }, fix: null },
  ],
  [
    'one does not answer',
    [
      { name: 'aqui', sight: reachable, cluster: { isolation: 'plain' } },
      { name: 'grande', sight: { status: 'unreachable', message: 'squeue: no controller' }, cluster: { isolation: 'plain' } },
    ],
    {
      ok: false,
      detail: { en: 'no answer: grande: squeue: no controller', pt: 'sem resposta: grande: squeue: no controller' },
      fix: expect.any(Object) as object,
    },
  ],
])('the row of clusters when %s', ([, clusters, expected]) => {
  expect(clustersCheck(clusters)).toMatchObject({ name: 'clusters', warning: false, ...expected });
});
