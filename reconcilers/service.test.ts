import { describe, expect, test } from 'vitest';
import { decideService, decideShared } from './service.ts';
import type { BackendDesired } from './backend-types.ts';

const service = { server: 'sirius', app: 'mural', scopes: '' };
const host = { status: 'reachable', message: '' } as const;
const person: BackendDesired = {
  person: 'ana',
  app: 'mural',
  manifest: null,
  installedHash: null,
  document: null,
  generation: 3,
  intent: null,
  windows: null,
  session: true,
  sessionSinceMs: 0,
};

test.for([
  ['answers', host, 200, 'running', 'Healthy'],
  ['answers that the path is wrong', host, 404, 'running', 'Healthy'],
  ['answers with an error', host, 500, 'starting', 'AnswersError'],
  ['does not answer yet', host, 0, 'starting', 'Probing'],
  ['was not asked', host, null, 'unknown', 'NotObservedYet'],
  ['stands on a server that is away', { status: 'unreachable', message: 'm' } as const, 200, 'unknown', 'ServerUnreachable'],
] as const)('a server-scope app that %s', ([, host, code, state, reason]) => {
  const observed = { host, probe: code === null ? null : { code, atMs: 1_000 }, credential: null };
  const decision = decideService(service, observed, null, 1_000);
  expect([decision.state, decision.reason, decision.ready, decision.actions]).toEqual([state, reason, state === 'running', []]);
  expect(decideService(service, observed, decision.memory, 2_000).memory).toBe(decision.memory);
});

test('silence of a minute is a failure, and an answer ends it', () => {
  const silent = (atMs: number) => ({ host, probe: { code: 0, atMs }, credential: null });
  const first = decideService(service, silent(0), null, 0);
  const later = decideService(service, silent(59_999), first.memory, 59_999);
  expect(later.state).toBe('starting');
  const failed = decideService(service, silent(60_000), later.memory, 60_000);
  expect([failed.state, failed.reason]).toEqual(['failed', 'SocketRefused']);
  const back = decideService(service, { host, probe: { code: 200, atMs: 61_000 }, credential: null }, failed.memory, 61_000);
  expect([back.state, back.memory.silentSinceMs, back.memory.sinceMs]).toEqual(['running', null, 61_000]);
});

test('a person sees what the server has, and asks in vain for another state', () => {
  const intent = { wish: 'stop', by: 'person', requestId: 'r1', atMs: 0 } as const;
  const desired = { ...person, intent };
  const seen = decideService(service, { host, probe: { code: 200, atMs: 0 }, credential: null }, null, 0);
  const decision = decideShared(desired, seen, null, 5);
  expect(decision).toMatchObject({ state: 'running', ready: true, actions: [], finishedIntent: 'r1', outcome: 'refused' });
  expect(decideShared({ ...desired, intent: null }, seen, decision.memory, 6)).toMatchObject({
    finishedIntent: null,
    memory: decision.memory,
  });
});

describe('it is told', () => {
  const unit = 'its unit is kept by the service manager of the server';
  const unasked = 'it was not asked yet, or no person has an account there to ask as';
  const away = { status: 'unreachable', message: 'cut' } as const;
  test.for([
    [host, 200, 'True', 'answers its health probe with 200'],
    [host, 500, 'False', 'answers its health probe with 500'],
    [host, 0, 'False', `nothing answers on its socket; ${unit}`],
    [host, null, 'Unknown', unasked],
    [{ status: 'unknown', message: 'm' } as const, 200, 'Unknown', unasked],
    [away, 200, 'Unknown', 'cut'],
  ] as const)('%#', ([sight, code, status, message]) => {
    const decision = decideService(service, { host: sight, probe: code === null ? null : { code, atMs: 0 }, credential: null }, null, 5);
    const { reason } = decision;
    expect(decision).toMatchObject({ message, nextDeadlineMs: null });
    expect(decision.conditions).toEqual([{ type: 'Ready', status, reason, message, observedGeneration: 0, sinceMs: 5 }]);
    // To a person in the same words, whatever they have asked for.
    const shared = decideShared(person, decision, null, 9);
    expect(shared).toMatchObject({ state: decision.state, reason, message, ready: status === 'True', outcome: null, stale: false });
    expect(shared.conditions).toEqual([{ type: 'Ready', status, reason, message, observedGeneration: 3, sinceMs: 9 }]);
    expect(shared.memory.context).toEqual({ reason, sinceMs: 5, last: null, saw: null });
    expect(decideShared(person, decision, shared.memory, 10).memory).toBe(shared.memory);
  });

  test('as failed after a minute of errors, too', () => {
    const failing = (atMs: number) => ({ host, probe: { code: 500, atMs }, credential: null });
    const first = decideService(service, failing(1_000), null, 1_000);
    expect(decideService(service, failing(60_999), first.memory, 60_999).state).toBe('starting');
    expect(decideService(service, failing(61_000), first.memory, 61_000)).toMatchObject({ state: 'failed', reason: 'AnswersError' });
    const unasked = decideService(service, { host, probe: null, credential: null }, first.memory, 2_000);
    expect(unasked.memory.silentSinceMs).toBeNull();
  });

  test('as unknown while its server was not looked at', () => {
    expect(decideShared(person, null, null, 9)).toMatchObject({
      state: 'unknown',
      reason: 'NotObservedYet',
      message: 'its server was not looked at yet',
      ready: false,
      finishedIntent: null,
      memory: { context: { sinceMs: 9 } },
    });
    const seen = decideService(service, { host, probe: { code: 200, atMs: 0 }, credential: null }, null, 1);
    const before = decideShared(person, null, null, 9).memory;
    expect(decideShared(person, seen, before, 10).memory).toMatchObject({ state: 'running', context: { reason: 'Healthy', sinceMs: 1 } });
    const slow = { ...before, state: 'failed' } as const;
    expect(decideShared(person, null, slow, 12).memory.context.sinceMs).toBe(12);
  });
});

describe('its portal credential', () => {
  const probe = { code: 200, atMs: 0 };
  const away = { status: 'unreachable', message: 'cut' } as const;
  const had = { unit: 'active', taken: true, scopes: 'salas fila', written: true } as const;
  test.for([
    ['is there and in use', 'salas fila', had, []],
    ['is not known now', 'salas fila', null, []],
    ['is not written', 'salas fila', { ...had, scopes: null, written: false }, ['service/give']],
    ['is written and not in force', 'salas fila', { ...had, scopes: null }, ['service/give']],
    ['has other scopes than the manifest', 'salas', had, ['service/give']],
    ['waits for the next start', 'salas fila', { ...had, unit: 'stopped', taken: false }, []],
    ['was the one of a process that stopped', 'salas fila', { ...had, unit: 'stopped' }, ['service/give']],
    ['is that of a process that is being started again', 'salas fila', { ...had, unit: 'changing' }, []],
    ['came after the start', 'salas fila', { ...had, taken: false }, ['service/restart']],
    ['came while it starts', 'salas fila', { ...had, unit: 'changing', taken: false }, []],
    ['is wanted no longer', '', had, ['service/take']],
    ['never was', '', { ...had, scopes: null, written: false }, []],
  ] as const)('%s', ([, scopes, credential, kinds]) => {
    const desired = { ...service, scopes };
    const decision = decideService(desired, { host, probe, credential }, null, 0);
    expect(decision.actions).toEqual(kinds.map((kind) => ({ kind, server: 'sirius', app: 'mural' })));
    expect(decideService(desired, { host: away, probe, credential }, null, 0).actions).toEqual([]);
  });
});
