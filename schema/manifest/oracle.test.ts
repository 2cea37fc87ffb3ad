/**
 * The validator against an independent oracle (schema/testing/: written from the spec, no schema, no regular expression), over mutants
 * from a seed: whoever is taken by one and refused by the other is printed whole. SVC_TEST_LONG=1 takes a million.
 */
import { expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { makeManifest } from '../testing/generated-manifests.ts';
import { mutate, writeText } from '../testing/mutants.ts';
import { isManifestByTheSpec } from '../testing/manifest-oracle.ts';
import { readStrictly } from '../testing/oracle-json.ts';
import { omittedByTheSpec } from '../testing/oracle-menu.ts';
import { isManifest, validateManifest } from './validate.ts';
import { amount } from '../../test/support/amount.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const mutants = Number(process.env['FC_RUNS'] ?? amount(10_000, 1_050_000));

/** Positions of the items of `contributes.contextMenu` that a report warns about. */
const toldOmitted = (warnings: readonly { readonly code: string; readonly path: string }[]): number[] => [
  ...new Set(warnings.filter(({ code }) => code === 'MENU_ITEM_OMITTED').map(({ path }) => Number(path.split('/')[3]))),
];

test(`${mutants} mutated manifests: the validator and the oracle agree (seed ${seed})`, { timeout: 1_800_000 }, () => {
  const random = createRandom(seed);
  const counts = { taken: 0, refused: 0, untold: 0, menus: 0, slowestMs: 0 };
  const wrong: unknown[] = [];
  let source = makeManifest(random);
  for (let nth = 0; nth < mutants + counts.untold && wrong.length < 5; nth += 1) {
    if (nth % 8 === 0) source = makeManifest(random);
    const bytes = writeText(random, mutate(random, source));
    const value = readStrictly(bytes);
    const wanted = value === undefined ? false : isManifestByTheSpec(value);
    if (wanted === null) {
      counts.untold += 1;
      continue;
    }
    const startedMs = performance.now();
    const { ok, errors, warnings } = validateManifest('f', bytes);
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedMs);
    // The fast reader does not judge faults that only the text can have.
    const fast = value === undefined ? false : isManifest(value);
    counts[wanted ? 'taken' : 'refused'] += 1;
    if (ok !== wanted || fast !== wanted) wrong.push({ wanted, ok, fast, errors, text: bytes.toString() });
    if (!wanted || !ok) continue;
    const items = (value as { contributes?: { contextMenu?: unknown[] } }).contributes?.contextMenu ?? [];
    counts.menus += items.length;
    const omitted = omittedByTheSpec(items);
    if (
      omitted.join() !==
      toldOmitted(warnings)
        .toSorted((a, b) => a - b)
        .join()
    )
      wrong.push({ omitted, warnings, items });
  }
  expect(wrong).toEqual([]);
  const judged = counts.taken + counts.refused;
  tellCount(
    `validator against the oracle: ${judged} mutants (${counts.taken} taken, ${counts.refused} refused, ${counts.untold} more that the oracle can't tell), ${counts.menus} menu items, 0 wrong, slowest ${counts.slowestMs.toFixed(0)} ms, seed ${seed}`,
  );
  expect(judged).toBeGreaterThanOrEqual(mutants);
  // Both sides of the border are met, and the oracle knows nearly always.
  expect(counts.taken).toBeGreaterThan(mutants / 10);
  expect(counts.refused).toBeGreaterThan(mutants / 10);
  expect(counts.untold).toBeLessThan(mutants / 20);
});

test('the oracle itself refuses and takes what the spec says in words', () => {
  const base = { id: 'a', version: '1', backend: { runtime: 'node', entrypoint: 'x' } };
  expect(isManifestByTheSpec(base)).toBe(true);
  for (const bad of [
    null,
    { ...base, novo: 1 },
    { ...base, id: 'A' },
    { ...base, backend: { ...base.backend, transport: 'tcp' } },
    { ...base, window: { width: 199 } },
    { ...base, opens: { extensions: ['n'], proprios: [{ extensao: 'n', nome: 'N', cor: '#777777' }] } },
    { ...base, opens: { urls: ['*.com'] } },
    { ...base, capacidades: { 'a/v1': { rota: '/a/..' } } },
    { ...base, escopo: 'servidor' },
  ])
    expect(isManifestByTheSpec(bad)).toBe(false);
});
