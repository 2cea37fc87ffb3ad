/** Which jobs are let go, and whose turn it is. Written from docs/decisions/0211-the-queue.md. */
import { describe, expect, test } from 'vitest';
import { clusterMemory, decideCluster, turns, type ClusterDesired, type ClusterObserved, type WaitingLine } from './cluster.ts';
import { readMemory } from './memory.ts';

const desired: ClusterDesired = {
  name: 'forno',
  generation: 3,
  leaving: false,
  lost: false,
  inFlightMax: 2,
  perPersonMax: null,
  perAppMax: null,
};
const none = new Map<string, number>();
const observed: ClusterObserved = {
  status: 'reachable',
  message: 'well',
  waiting: 0,
  inFlight: 0,
  lines: [],
  running: { people: none, apps: none, both: none },
  used: none,
  strangers: 0,
  nextLookMs: null,
};
/** `ana/notas: a1@5 a2@6` */
const line = (text: string): WaitingLine => {
  const [who = '', ...jobs] = text.split(/:? /);
  const [usuario = '', app = ''] = who.split('/');
  return { usuario, app, jobs: jobs.map((job) => ({ id: job.split('@')[0] ?? '', createdAtMs: Number(job.split('@')[1]) })) };
};
const running = (...keys: readonly string[]): Pick<ClusterObserved, 'running' | 'inFlight'> => {
  const [people, apps, both] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  for (const key of keys) {
    const [usuario = '', app = ''] = key.split('/');
    for (const [counts, name] of [
      [people, usuario],
      [apps, app],
      [both, key],
    ] as const)
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return { running: { people, apps, both }, inFlight: keys.length };
};

describe('turns', () => {
  const rows: readonly [string, Partial<ClusterDesired>, Partial<ClusterObserved>, readonly string[]][] = [
    ['nobody waits', {}, {}, []],
    ['the oldest first', {}, { lines: [line('ana/x: a@2'), line('bia/x: b@1')] }, ['b', 'a']],
    ['one of each person before the second of one', {}, { lines: [line('ana/x: a1@1 a2@2'), line('bia/x: b@3')] }, ['a1', 'b']],
    ['as many as there is room for', { inFlightMax: 3 }, { lines: [line('ana/x: a1@1 a2@2 a3@3')], ...running('bia/x') }, ['a1', 'a2']],
    ['no room', {}, { lines: [line('ana/x: a@1')], ...running('bia/x', 'bia/x') }, []],
    ['more are under way than are allowed', { inFlightMax: 1 }, { lines: [line('ana/x: a@1')], ...running('bia/x', 'bia/x') }, []],
    ['who has fewer under way', { inFlightMax: 2 }, { lines: [line('ana/x: a@1'), line('bia/x: b@2')], ...running('ana/y') }, ['b']],
    [
      'who used less of late',
      { inFlightMax: 1 },
      {
        lines: [line('ana/x: a@1'), line('bia/x: b@2')],
        used: new Map([
          ['ana', 9],
          ['bia', 8],
        ]),
      },
      ['b'],
    ],
    ['who used nothing', { inFlightMax: 1 }, { lines: [line('ana/x: a@1'), line('bia/x: b@2')], used: new Map([['ana', 9]]) }, ['b']],
    [
      'few under way counts before little use',
      { inFlightMax: 2 },
      { lines: [line('ana/x: a@1'), line('bia/x: b@2')], ...running('ana/x'), used: new Map([['bia', 9]]) },
      ['b'],
    ],
    [
      'of one person the app with fewer under way',
      { inFlightMax: 2 },
      { lines: [line('ana/x: a@1'), line('ana/y: b@2')], ...running('ana/x') },
      ['b'],
    ],
    ['apps of one person in turn', { inFlightMax: 3 }, { lines: [line('ana/x: a1@1 a2@2'), line('ana/y: b@3')] }, ['a1', 'b', 'a2']],
    [
      'no more of one person than the cap',
      { inFlightMax: 5, perPersonMax: 1 },
      { lines: [line('ana/x: a1@1 a2@2'), line('ana/y: b@3')] },
      ['a1'],
    ],
    [
      'who is at the cap waits',
      { inFlightMax: 5, perPersonMax: 1 },
      { lines: [line('ana/x: a@1'), line('bia/x: b@2')], ...running('ana/y') },
      ['b'],
    ],
    [
      'no more of one app than the cap',
      { inFlightMax: 5, perAppMax: 2 },
      { lines: [line('ana/x: a@1'), line('bia/x: b@2'), line('bia/y: c@3')], ...running('eva/x') },
      ['a', 'c'],
    ],
  ];
  test.for(rows)('%s', ([, wants, sees, ids]) => {
    expect(turns({ ...desired, ...wants }, { ...observed, ...sees })).toEqual(ids);
  });
});

const lines = [line('ana/x: a@1')];

test('jobs are let go where the cluster answers, and nowhere else', () => {
  expect(decideCluster(desired, { ...observed, lines, nextLookMs: 9 }, null, 5)).toMatchObject({
    state: 'reachable',
    reason: 'Reachable',
    message: 'well',
    actions: [{ kind: 'job/release', cluster: 'forno', jobs: ['a'] }],
    conditions: [{ type: 'Reachable', status: 'True', reason: 'Reachable', observedGeneration: 3, sinceMs: 5 }],
    nextDeadlineMs: 9,
  });
  expect(decideCluster(desired, observed, null, 5)).toMatchObject({ actions: [], nextDeadlineMs: null });
  for (const [status, reason] of [
    ['unreachable', 'ClusterUnreachable'],
    ['unknown', 'NotObservedYet'],
  ] as const)
    expect(decideCluster(desired, { ...observed, lines, status, message: 'no route' }, null, 5)).toMatchObject({
      state: 'unknown',
      reason,
      message: 'no route',
      actions: [],
      conditions: [{ status: 'Unknown' }],
    });
});

test('what is there and not known here is told', () => {
  expect(decideCluster(desired, { ...observed, strangers: 2 }, null, 5).message).toBe(
    'well; 2 jobs there have our names and are not known here: they are left alone',
  );
});

test('one that leaves gets nothing new, and goes when nothing is under way there', () => {
  const leaving = { ...desired, leaving: true };
  expect(decideCluster(leaving, { ...observed, lines, inFlight: 1 }, null, 5)).toMatchObject({
    state: 'leaving',
    reason: 'DocumentRemoved',
    message: expect.stringContaining('end first'),
    actions: [],
  });
  const forget = { kind: 'object/forget', key: 'Cluster/forno' };
  expect(decideCluster(leaving, { ...observed, lines }, null, 5).actions).toEqual([forget]);
  expect(decideCluster({ ...leaving, lost: true }, { ...observed, lines, inFlight: 1 }, null, 5).actions).toEqual([forget]);
});

test('the same again changes nothing, and its memory is read back', () => {
  const first = decideCluster(desired, observed, null, 5);
  expect(decideCluster(desired, observed, first.memory, 6)).toEqual(first);
  expect(decideCluster(desired, observed, first.memory, 6).memory).toBe(first.memory);
  expect(readMemory(clusterMemory, { version: 1, value: first.memory })).toEqual(first.memory);
});
