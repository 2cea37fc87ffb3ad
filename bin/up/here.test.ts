import { expect, test } from 'vitest';
import type { Entries } from '../../controller/entries.ts';
import { isLocal, runsHere } from './here.ts';

const world = (servers: Readonly<Record<string, object>>, ...schedulers: readonly object[]): Entries =>
  ({
    servers: new Map(Object.entries(servers).map(([name, spec]) => [name, { placed: { document: { spec } } }])),
    clusters: new Map(schedulers.map((scheduler, n) => [`c${n}`, { placed: { document: { spec: { scheduler } } } }])),
  }) as unknown as Entries;

test('apps run here on a local server, jobs on a local cluster', () => {
  expect(runsHere(world({ casa: { local: {} } }))).toEqual({ apps: true, jobs: false });
  expect(runsHere(world({ lab: { ssh: {} }, casa: { local: {} } }, { slurm: {} }, { local: {} }))).toEqual({ apps: true, jobs: true });
  expect(runsHere(world({ lab: { ssh: {} } }, { slurm: {} }))).toEqual({ apps: false, jobs: false });
  expect(runsHere(world({}))).toEqual({ apps: false, jobs: false });
});

test('a server is local by its document', () => {
  const both = world({ casa: { local: {} }, lab: { ssh: {} } });
  expect(['casa', 'lab', 'none'].map((name) => isLocal(both, name))).toEqual([true, false, false]);
});
