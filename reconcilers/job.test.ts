/** Decisions about one job, row by row: where it is, the action, and how its end is reported. Written from docs/decisions/0211-the-queue.md. */
import { describe, expect, test } from 'vitest';
import { readMemory } from './memory.ts';
import { decideJob, jobMemory, sightOf, type JobDesired, type JobMemory, type JobObserved, type JobSeen } from './job.ts';

const nowMs = 1_000_000;
const desired: JobDesired = {
  id: 'j1',
  cluster: 'forno',
  createdAtMs: nowMs - 1_000,
  released: true,
  attemptAtMs: nowMs - 500,
  accepted: true,
  cancel: false,
  outcome: null,
  forgotten: false,
  expiresAtMs: null,
  keptMs: 7_000,
};
const observed: JobObserved = {
  cluster: 'reachable',
  clusterMessage: '',
  listed: true,
  seen: null,
  report: null,
  startedAtMs: null,
  outputsMissing: false,
  refused: null,
};
const seen = (state: JobSeen['state'], over: Partial<JobSeen> = {}): JobSeen => ({
  state,
  note: '',
  exitCode: null,
  startedAtMs: null,
  endedAtMs: null,
  ...over,
});
const report = (estado: NonNullable<JobObserved['report']>['estado'], codigo: number | null = null, agoMs = 1_000) => ({
  estado,
  codigo,
  atMs: nowMs - agoMs,
});
const fresh = { attemptAtMs: null, accepted: false } as const;

type Row = readonly [what: string, Partial<JobDesired>, Partial<JobObserved>, sight: string];
const sights: readonly Row[] = [
  ['held back', { ...fresh, released: false }, {}, 'held'],
  ['held back, whatever a cluster says', { ...fresh, released: false }, { seen: seen('running') }, 'held'],
  ['let go, never handed over', fresh, {}, 'absent'],
  ['let go, never handed over, and the cluster was never read', fresh, { cluster: 'unknown', listed: false }, 'unsent'],
  ['let go, never handed over, and the cluster does not answer', fresh, { cluster: 'unreachable', listed: false }, 'unsent'],
  ['never handed over and there all the same', fresh, { seen: seen('running') }, 'running'],
  ['accepted without an attempt that is known', { attemptAtMs: null }, {}, 'missing'],
  ['attempted, the list is older', { accepted: false }, { listed: false }, 'unread'],
  ['attempted, and not there', { accepted: false }, {}, 'absent'],
  ['attempted, not there, and its wrapper was heard once', { accepted: false }, { report: report('a-correr', null, 60_000) }, 'missing'],
  ['taken, the list is older', {}, { listed: false }, 'unread'],
  ['taken, and not there', {}, {}, 'missing'],
  ['taken, and its wrapper was heard a moment ago', {}, { report: report('iniciado', null, 59_999) }, 'running'],
  ['the wrapper sends, the cluster does not answer', {}, { cluster: 'unreachable', report: report('a-enviar') }, 'sending'],
  ['the wrapper was heard long ago', {}, { report: report('a-enviar', null, 60_000) }, 'missing'],
  ['the wrapper was heard long ago, and it runs', {}, { report: report('a-correr', null, 60_000), seen: seen('running') }, 'running'],
  ['the wrapper sent long ago, and it runs', {}, { report: report('a-enviar', null, 60_000), seen: seen('running') }, 'sending'],
  ['waiting there', {}, { seen: seen('waiting') }, 'waiting'],
  ['waiting there by an older list', {}, { seen: seen('waiting'), listed: false }, 'waiting'],
  ['running there', {}, { seen: seen('running') }, 'running'],
  ['running there when it was last read', {}, { seen: seen('running'), cluster: 'unreachable', listed: false }, 'unread'],
  ['over there', {}, { seen: seen('ended') }, 'ended'],
  ['failed there', {}, { seen: seen('failed') }, 'ended'],
  ['cancelled there', {}, { seen: seen('cancelled') }, 'ended'],
  ['over there, and the wrapper was heard a moment ago', {}, { seen: seen('ended'), report: report('a-correr') }, 'ended'],
  ['over there when it was last read', {}, { seen: seen('ended'), cluster: 'unreachable', listed: false }, 'unread'],
  ['the wrapper says that everything arrived', {}, { cluster: 'unreachable', report: report('terminado', 0, 90_000) }, 'finished'],
  ['refused', { accepted: false }, { refused: 'no' }, 'refused'],
  ['refused, and the cluster was not read since', { accepted: false }, { refused: 'no', listed: false }, 'refused'],
  ['refused and there all the same', { accepted: false }, { refused: 'no', seen: seen('running') }, 'running'],
  ['no document names the cluster', {}, { cluster: 'missing', listed: false }, 'unread'],
  ['the cluster is another engine now', {}, { cluster: 'changed', listed: false }, 'unread'],
  ['another engine, and it may have been handed over', { accepted: false }, { cluster: 'changed', listed: false }, 'unread'],
  ['another engine, and its wrapper was heard', {}, { cluster: 'changed', listed: false, report: report('a-correr') }, 'running'],
  [
    'another engine, and its wrapper says that it is done',
    {},
    { cluster: 'changed', listed: false, report: report('terminado', 0) },
    'finished',
  ],
  ['another engine, and it is to be cancelled', { cancel: true }, { cluster: 'changed', listed: false }, 'absent'],
  ['no document names the cluster, and it is to be cancelled', { cancel: true }, { cluster: 'missing', listed: false }, 'absent'],
];
test.for(sights)('%s: %4$s', ([, wants, sees, sight]) => {
  expect(sightOf({ ...desired, ...wants }, { ...observed, ...sees }, nowMs)).toBe(sight);
});

const decide = (wants: Partial<JobDesired>, sees: Partial<JobObserved>, memory: JobMemory | null = null, atMs = nowMs) =>
  decideJob({ ...desired, ...wants }, { ...observed, ...sees }, memory, atMs);
const conditions = (made: ReturnType<typeof decide>) => made.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

describe('what is told and done', () => {
  const rows: readonly [string, Partial<JobDesired>, Partial<JobObserved>, object, readonly string[]][] = [
    ['held', { ...fresh, released: false }, {}, { state: 'em-espera', reason: 'JobHeld', message: 'waits for its turn on forno' }, []],
    ['handed over', fresh, {}, { state: 'a-submeter', reason: 'JobSubmitting', message: 'is handed to forno' }, ['job/submit']],
    [
      'the cluster is away',
      fresh,
      { cluster: 'unreachable', clusterMessage: 'no route', listed: false },
      { state: 'a-submeter', reason: 'ClusterUnreachable', message: 'no route' },
      [],
    ],
    [
      'it was never read',
      fresh,
      { cluster: 'unknown', listed: false },
      { state: 'a-submeter', reason: 'NotObservedYet', message: 'the jobs of forno are being read' },
      [],
    ],
    [
      'unknown',
      {},
      { cluster: 'unreachable', clusterMessage: 'no route', listed: false },
      { state: 'desconhecido', reason: 'ClusterUnreachable', message: 'no route' },
      [],
    ],
    [
      'its cluster is gone',
      {},
      { cluster: 'missing', listed: false },
      { state: 'desconhecido', reason: 'ClusterMissing', message: 'no document names the cluster forno' },
      [],
    ],
    ['queued', {}, { seen: seen('waiting', { note: 'Priority' }) }, { state: 'na-fila', reason: 'JobQueued', message: 'Priority' }, []],
    ['running', {}, { seen: seen('running') }, { state: 'a-correr', reason: 'JobRunning', message: 'on forno' }, []],
    [
      'collecting',
      {},
      { report: report('a-enviar') },
      { state: 'a-recolher', reason: 'JobCollecting', message: 'its outputs come in' },
      [],
    ],
    [
      'cancelling',
      { cancel: true },
      { seen: seen('running') },
      { state: 'a-correr', reason: 'CancelRequested', message: 'the cluster is asked to end it' },
      ['job/cancel'],
    ],
    [
      'cancelling what is unknown',
      { cancel: true },
      { cluster: 'unreachable', clusterMessage: 'x', listed: false },
      { state: 'desconhecido', reason: 'ClusterUnreachable' },
      ['job/cancel'],
    ],
    ['cancelling what is held', { ...fresh, released: false, cancel: true }, {}, { state: 'em-espera', reason: 'JobHeld' }, ['job/settle']],
  ];
  test.for(rows)('%s', ([, wants, sees, told, acts]) => {
    const made = decide(wants, sees);
    expect(made).toMatchObject(told);
    expect(made.actions.map(({ kind }) => kind)).toEqual(acts);
  });

  test('conditions say whether it is done, under way or not known', () => {
    expect(conditions(decide({}, { seen: seen('running') }))).toEqual(['Ready False JobRunning', 'Progressing True JobRunning']);
    expect(conditions(decide({}, { cluster: 'unknown', listed: false }))).toEqual([
      'Ready Unknown NotObservedYet',
      'Progressing Unknown NotObservedYet',
    ]);
    const outcome = { estado: 'terminado', reason: 'JobDone', message: 'exit code 0', codigo: 0, iniciadoEm: 1, terminadoEm: 2 } as const;
    expect(conditions(decide({ outcome }, {}))).toEqual(['Ready True JobDone', 'Progressing False JobDone']);
    const failed = { ...outcome, estado: 'falhou', reason: 'CommandFailed' } as const;
    expect(conditions(decide({ outcome: failed }, {}))).toEqual(['Ready False CommandFailed', 'Progressing False CommandFailed']);
  });
});

describe('how it ended', () => {
  const ended = { ...decide({}, { seen: seen('ended') }).memory };
  const over = (wants: Partial<JobDesired>, sees: Partial<JobObserved>) => {
    const [action, ...more] = decide(wants, sees, ended, nowMs + 10_000).actions;
    if (action?.kind !== 'job/settle' || more.length > 0) throw new Error('it is not settled');
    expect([action.job, action.expiresAtMs]).toEqual(['j1', nowMs + 17_000]);
    return action.outcome;
  };
  const times = { iniciadoEm: null, terminadoEm: nowMs + 10_000 };
  const done = { report: report('terminado', 0, -9_000) };
  const rows: readonly [string, Partial<JobDesired>, Partial<JobObserved>, object][] = [
    [
      'well',
      {},
      { ...done, startedAtMs: 7 },
      { estado: 'terminado', reason: 'JobDone', message: 'exit code 0', codigo: 0, iniciadoEm: 7, terminadoEm: nowMs + 9_000 },
    ],
    [
      'well, without all outputs',
      {},
      { ...done, outputsMissing: true },
      { estado: 'terminado', reason: 'OutputsIncomplete', message: 'exit code 0; not all of its outputs are here', codigo: 0 },
    ],
    [
      'with another code',
      {},
      { report: report('terminado', 3), seen: seen('failed', { note: 'NonZeroExitCode' }) },
      { estado: 'falhou', reason: 'CommandFailed', message: 'exit code 3 (NonZeroExitCode)', codigo: 3 },
    ],
    [
      'when its time was over',
      {},
      { report: report('terminado', 124), seen: null },
      {
        estado: 'falhou',
        reason: 'CommandFailed',
        message: 'exit code 124 (its time was over: limites.segundos, or timeout)',
        codigo: 124,
      },
    ],
    [
      'the cluster alone says so',
      {},
      { seen: seen('ended', { exitCode: 0, startedAtMs: 4, endedAtMs: 5 }) },
      { estado: 'terminado', reason: 'OutputsIncomplete', codigo: 0, iniciadoEm: 4, terminadoEm: 5 },
    ],
    [
      'without a code',
      {},
      { seen: seen('ended') },
      { estado: 'terminado', reason: 'OutputsIncomplete', message: 'exit code 0; not all of its outputs are here', codigo: null },
    ],
    [
      'the cluster ended it',
      {},
      { seen: seen('failed', { note: 'TIMEOUT' }) },
      { estado: 'falhou', reason: 'JobFailed', message: 'the cluster ended it (TIMEOUT)', codigo: null, ...times },
    ],
    [
      'the cluster ended it, with code 0',
      {},
      { seen: seen('failed', { exitCode: 0 }) },
      { estado: 'falhou', reason: 'JobFailed', message: 'the cluster ended it', codigo: 0 },
    ],
    [
      'somebody cancelled it there',
      {},
      { seen: seen('cancelled', { note: 'by root', exitCode: 9 }) },
      { estado: 'cancelado', reason: 'JobCancelled', message: 'cancelled on the cluster (by root)', codigo: 9 },
    ],
    [
      'the wrapper ended well what was cancelled there',
      {},
      { ...done, seen: seen('cancelled') },
      { estado: 'terminado', reason: 'JobDone' },
    ],
    [
      'cancelled on request',
      { cancel: true },
      { seen: seen('cancelled') },
      { estado: 'cancelado', reason: 'JobCancelled', message: 'cancelled on request' },
    ],
    [
      'ended by the request',
      { cancel: true },
      { report: report('terminado', 143) },
      { estado: 'cancelado', reason: 'JobCancelled', codigo: 143 },
    ],
    ['done before the request', { cancel: true }, done, { estado: 'terminado', reason: 'JobDone' }],
    [
      'cancelled, and the cluster is gone',
      { cancel: true },
      { cluster: 'missing', listed: false },
      { estado: 'cancelado', message: 'the cluster forno is gone, and could not confirm it' },
    ],
    [
      'refused',
      { accepted: false },
      { refused: 'no such partition' },
      { estado: 'falhou', reason: 'JobRefused', message: 'no such partition', codigo: null },
    ],
  ];
  test.for(rows)('%s', ([, wants, sees, outcome]) => expect(over(wants, sees)).toMatchObject(outcome));

  test('given up a minute after the cluster forgot it, and ended after a month of waiting', () => {
    const missing = decide({}, {});
    expect([missing.actions, missing.nextDeadlineMs]).toEqual([[], nowMs + 60_000]);
    const lost = decide({}, {}, missing.memory, nowMs + 60_000).actions[0];
    expect(lost).toMatchObject({
      kind: 'job/settle',
      outcome: { estado: 'falhou', reason: 'JobLost', message: expect.stringContaining('the cluster forno took it') },
    });
    const monthMs = 30 * 24 * 60 * 60_000;
    const held = decide({ ...fresh, released: false }, {});
    expect(held.nextDeadlineMs).toBe(desired.createdAtMs + monthMs);
    const waited = decide({ ...fresh, released: false }, {}, held.memory, desired.createdAtMs + monthMs).actions[0];
    expect(waited).toMatchObject({
      outcome: { estado: 'cancelado', reason: 'JobWaitedTooLong', message: expect.stringContaining('a month'), codigo: null },
    });
  });
});

describe('after its end', () => {
  const outcome = { estado: 'terminado', reason: 'JobDone', message: '', codigo: 0, iniciadoEm: 1, terminadoEm: 2 } as const;
  const rows: readonly [string, Partial<JobDesired>, Partial<JobObserved>, readonly string[]][] = [
    ['the cluster forgets what it keeps', {}, { seen: seen('ended') }, ['job/forget']],
    ['and what is not listed any more', {}, {}, ['job/forget']],
    ['not before it was read again', {}, { listed: false }, []],
    ['not while it can not be read', {}, { cluster: 'unreachable', listed: false }, []],
    ['what runs all the same is cancelled', {}, { seen: seen('running') }, ['job/cancel']],
    ['what waits all the same is cancelled', { forgotten: true }, { seen: seen('waiting') }, ['job/cancel']],
    ['not by an older list', {}, { seen: seen('running'), listed: false }, []],
    ['nothing is left to do', { forgotten: true }, {}, []],
    ['it never was there', fresh, {}, []],
    ['it goes when its time is over', { forgotten: true, expiresAtMs: nowMs }, {}, ['job/drop']],
    ['not before', { forgotten: true, expiresAtMs: nowMs + 1 }, {}, []],
    ['not before the cluster forgot it', { expiresAtMs: nowMs }, { cluster: 'unreachable', listed: false }, []],
    ['a cluster that is gone is not waited for', { expiresAtMs: nowMs }, { cluster: 'missing', listed: false }, ['job/drop']],
    ['nor one that never had it', { ...fresh, expiresAtMs: nowMs }, { cluster: 'unreachable', listed: false }, ['job/drop']],
    [
      'taken without an attempt that is known',
      { ...fresh, accepted: true, expiresAtMs: nowMs },
      { cluster: 'unreachable', listed: false },
      [],
    ],
  ];
  test.for(rows)('%s', ([, wants, sees, acts]) => {
    const made = decide({ outcome, ...wants }, sees);
    expect([made.state, made.actions.map(({ kind }) => kind)]).toEqual(['terminado', acts]);
  });

  test('it is looked at again when it expires', () => {
    expect(decide({ outcome, forgotten: true, expiresAtMs: nowMs + 5 }, {}).nextDeadlineMs).toBe(nowMs + 5);
    expect(decide({ outcome, forgotten: true }, {}).nextDeadlineMs).toBeNull();
  });
});

test('nobody waits longer than for the silence of a wrapper, or for the next attempt', () => {
  expect(decide({}, { report: report('a-correr') }).nextDeadlineMs).toBe(nowMs - 1_000 + 60_000);
  expect(decide({}, { seen: seen('running') }).nextDeadlineMs).toBeNull();
  expect(decide(fresh, {}).nextDeadlineMs).toBe(nowMs + 500);
});

test('what the store may refuse is written again in ten seconds', () => {
  const held = { ...fresh, released: false, cancel: true };
  const outcome = { estado: 'terminado', reason: 'JobDone', message: '', codigo: 0, iniciadoEm: 1, terminadoEm: 2 } as const;
  for (const made of [
    decide(held, {}),
    decide({ accepted: false }, { refused: 'no' }),
    decide({}, { report: report('terminado', 0) }),
    decide({ outcome, forgotten: true, expiresAtMs: nowMs }, {}),
  ])
    expect([made.actions.length, made.nextDeadlineMs]).toEqual([1, nowMs + 10_000]);
  expect(decide(held, {}, null, nowMs + 10_000).actions).toMatchObject([{ kind: 'job/settle' }]);
});

test('the same again changes nothing, and its memory is read back as it was', () => {
  const first = decide({}, { seen: seen('running') });
  const again = decide({}, { seen: seen('running') }, first.memory, nowMs + 1);
  expect(again.memory).toBe(first.memory);
  expect(readMemory(jobMemory, { version: 1, value: JSON.parse(JSON.stringify(first.memory)) as unknown })).toEqual(first.memory);
  expect(readMemory(jobMemory, { version: 1, value: { ...first.memory, state: 'other' } })).toBeNull();
});
