/** Which ceilings go with a start: of the Portal document, of the Package document, of both. */
import { expect, test } from 'vitest';
import type { Resources, SiteResources } from '../schema/resources.ts';
import type { Entries, PersonEntry } from './entries.ts';
import { targetKey } from './package-entries.ts';
import { siteResources } from './site-resources.ts';

const person = { name: 'ana', server: { name: 'casa' } } as PersonEntry;
const entriesOf = (site: SiteResources | undefined, shared: Resources | undefined, own?: Resources): Entries => {
  const entry = (resources: Resources | undefined) => ({
    leaving: false,
    wanted: { by: 'document', placed: { document: { spec: { resources } } } },
  });
  const byTarget = [
    [targetKey({ server: 'casa', app: 'notas', scope: 'sistema', person: null }), entry(shared)],
    [targetKey({ server: 'casa', app: 'notas', scope: 'pessoa', person: 'ana' }), entry(own)],
  ] as const;
  return { portal: { document: { spec: { resources: site } } }, byTarget: new Map(byTarget) } as unknown as Entries;
};

test.for<readonly [string, Parameters<typeof entriesOf>, SiteResources | null]>([
  ['nothing', [undefined, undefined], null],
  [
    'defaults and a sum',
    [{ default: { memoryMax: '1G' }, person: { tasksMax: '9' } }, undefined],
    { default: { memoryMax: '1G' }, person: { tasksMax: '9' } },
  ],
  ['a ceiling of the package', [undefined, { memoryMax: '4G' }], { ceiling: { memoryMax: '4G' } }],
  [
    'one in place of the ceiling of the site, field by field',
    [{ ceiling: { memoryMax: '2G', tasksMax: '9' } }, { memoryMax: '4G' }],
    { ceiling: { memoryMax: '4G', tasksMax: '9' } },
  ],
  ['that of the package of their own first', [undefined, { memoryMax: '4G' }, { memoryMax: '1G' }], { ceiling: { memoryMax: '1G' } }],
])('%s', ([, [site, shared, own], expected]) => {
  expect(siteResources(entriesOf(site, shared, own), person, 'notas')).toEqual(expected);
});
