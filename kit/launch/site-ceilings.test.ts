import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import type { Resources, SiteResources } from '../../schema/resources.ts';
import { ceilingsOf, scopeArgv, sliceOf, unheld } from './ceiling.ts';
import { lower, readSiteCeilings, sliceArgv } from './site-ceilings.ts';

const machine = { memoryBytes: 8 * 1_024 ** 3, tasks: 1_000 };

test.for<readonly [keyof Resources, string, string | undefined, string]>([
  ['memoryMax', '2G', undefined, '2G'],
  ['memoryMax', '2G', '1G', '1G'],
  ['memoryMax', '1G', '2G', '1G'],
  ['memoryMax', '1024M', '1.5G', '1024M'],
  ['memoryMax', 'none', '1G', '1G'],
  ['memoryMax', '1G', 'none', '1G'],
  ['memoryMax', '50%', '3G', '3G'],
  ['memoryMax', '3G', '25%', '25%'],
  ['memoryMax', '1048577', '1M', '1M'],
  ['tasksMax', '512', '64', '64'],
  ['tasksMax', '50%', '499', '499'],
  ['tasksMax', '501', '50%', '50%'],
  ['cpuQuota', '250%', '200%', '200%'],
  ['cpuQuota', '80%', 'none', '80%'],
])('%s: of %s and the ceiling %s counts %s', ([field, wanted, ceiling, result]) => {
  expect(lower(field, wanted, ceiling, machine)).toBe(result);
});

const of = (resources: Resources | undefined, site: SiteResources) => {
  const text = JSON.stringify({ id: 'a', version: '1', backend: { runtime: 'node', entrypoint: 'a.js' }, resources });
  const { memoryHigh, memoryMax, cpuQuota, tasksMax } = ceilingsOf(parseManifest(text), site, machine);
  return [memoryHigh, memoryMax, cpuQuota, tasksMax];
};

test.for<readonly [string, Resources | undefined, SiteResources, readonly (string | null)[]]>([
  ['the built-in defaults', undefined, {}, ['1536M', '2G', null, '512']],
  ['the defaults of the site', undefined, { default: { memoryMax: '1G', cpuQuota: '100%' } }, ['1536M', '1G', '100%', '512']],
  ['the manifest before them', { memoryMax: '3G' }, { default: { memoryMax: '1G' } }, ['1536M', '3G', null, '512']],
  [
    'a ceiling under all of it',
    { memoryMax: '3G' },
    { default: { tasksMax: '90' }, ceiling: { memoryMax: '2G', tasksMax: '64' } },
    ['1536M', '2G', null, '64'],
  ],
  [
    'a ceiling that the manifest does not reach',
    { memoryMax: '96M', memoryHigh: '64M' },
    { ceiling: { memoryMax: '2G' } },
    ['64M', '96M', null, '512'],
  ],
  ['memory that is taken back below a lower ceiling', undefined, { ceiling: { memoryMax: '1G' } }, ['1G', '1G', null, '512']],
  ['a quota where the manifest has none', undefined, { ceiling: { cpuQuota: '50%' } }, ['1536M', '2G', '50%', '512']],
])('a backend gets %s', ([, resources, site, result]) => {
  expect(of(resources, site)).toEqual(result);
});

describe('the env file', () => {
  const read = (text: string) => readSiteCeilings(new Map([['SVC_APP_CEILINGS', text]]));

  test('holds what the portal said, and nothing that is no ceiling', () => {
    const site = { default: { memoryMax: '1G' }, person: { tasksMax: '9' } };
    expect(readSiteCeilings(new Map())).toEqual({});
    expect(read(JSON.stringify(site))).toEqual(site);
    expect(read(JSON.stringify({ ceiling: { memoryMax: '1G -p Delegate=yes', cpuQuota: '5%' }, other: 1 }))).toEqual({
      ceiling: { cpuQuota: '5%' },
    });
  });

  test.for([['{'], ['null'], ['7']])('is written anew when that is %s', ([text = '']) => {
    expect(() => read(text)).toThrow(/SVC_APP_CEILINGS holds no ceilings/);
  });
});

test('the slice of a person is told all its ceilings, those that were taken back too', () => {
  expect(sliceArgv({ memoryMax: '4G', cpuQuota: '300%' })).toEqual([
    '--user',
    'set-property',
    '--runtime',
    'svc.slice',
    'MemoryHigh=infinity',
    'MemoryMax=4G',
    'TasksMax=infinity',
    'CPUQuota=300%',
  ]);
});

test('a scope goes into it where the sum of a person is bounded', () => {
  const ceilings = { memoryHigh: '1G', memoryMax: '1G', cpuQuota: null, tasksMax: '9' };
  const words = (site: SiteResources) =>
    scopeArgv('systemd-run', 'a.scope', ceilings, sliceOf(site)).filter((word) => word.includes('slice'));
  expect([words({}), words({ ceiling: { memoryMax: '1G' } }), words({ person: {} })]).toEqual([[], [], ['--slice=svc.slice']]);
});

test.for<readonly [string, SiteResources, boolean, string]>([
  ['nothing', {}, true, ''],
  [
    'a quota without its cgroup',
    {},
    false,
    'the service manager of this account may not limit the processor (cgroup cpu is not delegated): cpuQuota does not hold',
  ],
  [
    'the sum without systemctl',
    { person: { memoryMax: '1G' } },
    true,
    'the ceiling of all apps of this person together does not hold: systemctl is not there',
  ],
])('of what a server can not hold it tells %s', async ([, site, hasCpu, said]) => {
  const held = { contained: true, systemdRun: '/usr/bin/systemd-run', variables: new Map<string, string>(), hasCpu } as const;
  expect(await unheld(held, { memoryHigh: '1G', memoryMax: '1G', cpuQuota: '50%', tasksMax: '9' }, site, '/nonexistent')).toBe(said);
});
