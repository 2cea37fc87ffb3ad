/** Which supervisors are asked at a resync whether they still answer. Decision: docs/decisions/0253-what-is-skipped.md */
import { expect, test } from 'vitest';
import { alive } from '../../reconcilers/backend-fixtures.ts';
import type { PersonEntry } from '../entries.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { supervisorKind } from './supervisor.ts';

interface Given {
  readonly snapshot?: object | null;
  readonly intent?: { readonly done: boolean };
  readonly estado?: string;
  readonly disk?: string;
  readonly people?: number;
}

/** At which of twelve resyncs it was asked. */
function asked({ snapshot = null, intent, estado, disk = '', people = 1_000 }: Given): readonly number[] {
  const checks: number[] = [];
  let round = 0;
  const document = estado === undefined ? null : { document: { spec: { estado } } };
  const person = {
    name: 'ana',
    uncheckedResyncs: 0,
    backends: new Map([['notas', { app: 'notas', memory: null, intent: intent ?? null, document }]]),
    link: { snapshot: () => snapshot, view: () => ({ supervisor: { disk } }), check: async () => void checks.push(round) },
  } as unknown as PersonEntry;
  const context = { entries: { people: { size: people } } } as unknown as Context;
  for (round = 1; round <= 2 * limits.restingLooks; round += 1) supervisorKind.atResync?.(person, context);
  return checks;
}

const each = Array.from({ length: 12 }, (_, n) => n + 1);

test.for<readonly [string, Given, readonly number[]]>([
  ['nothing of it runs', {}, [6, 12]],
  ['nothing of it runs and few people are known', { people: 25 }, each],
  ['an app of it runs', { snapshot: alive() }, each],
  ['an order waits', { intent: { done: false } }, each],
  ['an order was carried out', { intent: { done: true } }, [6, 12]],
  ['an app is to be kept on', { estado: 'ligado' }, each],
  ['an app is to be kept off', { estado: 'desligado' }, [6, 12]],
  ['its home is full', { disk: 'ENOSPC' }, each],
])('%s', ([, given, expected]) => {
  expect(asked(given)).toEqual(expected);
});
