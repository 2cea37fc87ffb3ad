/** Which `maximo` holds for whom: of the document of the whole server, or of one for a single person. */
import { expect, test } from 'vitest';
import type { Entries, PersonEntry, ServerEntry } from './entries.ts';
import { targetKey } from './package-entries.ts';
import { runBoundMs, syncRunBounds } from './run-bounds.ts';

const hourMs = 3_600_000;
const server = { name: 'casa', maximoOf: new Map() } as unknown as ServerEntry;
const person = (name: string): PersonEntry => ({ name, server }) as PersonEntry;

type One = readonly [maximo: string | undefined, person?: string];

/** In the order in which they get their place: a later one of the same place has it. */
function put(...all: readonly One[]): readonly (number | null)[] {
  const packages = all.map(([maximo, of = null]) => ({
    target: { server: 'casa', app: 'notas', scope: of === null ? 'sistema' : 'pessoa', person: of } as const,
    wanted: { by: 'document', placed: { document: { spec: { maximo } } } },
  }));
  const byTarget = new Map(packages.map((one) => [targetKey(one.target), one]));
  syncRunBounds({ servers: new Map([['casa', server]]), packages: new Map(packages.entries()), byTarget } as unknown as Entries);
  return ['ana', 'bia'].map((name) => runBoundMs(person(name), 'notas'));
}

test.for<readonly [string, readonly One[], readonly (number | null)[]]>([
  ['nothing', [], [null, null]],
  ['a document without it', [[undefined]], [null, null]],
  ['everybody, with a copy of their own or not', [['2h']], [2 * hourMs, 2 * hourMs]],
  ['one person', [['30m', 'ana']], [hourMs / 2, null]],
  ['one person before everybody', [['2h'], ['1d', 'ana']], [24 * hourMs, 2 * hourMs]],
  ['the document that has the place, of two', [['2h'], [undefined]], [null, null]],
])('%s', ([, all, expected]) => {
  expect(put(...all)).toEqual(expected);
  expect(runBoundMs(person('ana'), 'relogio')).toBeNull();
});
