import { expect, test } from 'vitest';
import { decideService, decideShared } from './service.ts';
import type { BackendDesired } from './backend-types.ts';

const service = { server: 'sirius', app: 'mural' };
const host = { status: 'reachable', message: '' } as const;

test.for([
  ['answers', host, 200, 'running', 'Healthy'],
  ['answers that the path is wrong', host, 404, 'running', 'Healthy'],
  ['answers with an error', host, 500, 'starting', 'AnswersError'],
  ['does not answer yet', host, 0, 'starting', 'Probing'],
  ['was not asked', host, null, 'unknown', 'NotObservedYet'],
  ['stands on a server that is away', { status: 'unreachable', message: 'm' } as const, 200, 'unknown', 'ServerUnreachable'],
] as const)('a server-scope app that %s', ([, host, code, state, reason]) => {
  const observed = { host, probe: code === null ? null : { code, atMs: 1_000 } };
  const decision = decideService(service, observed, null, 1_000);
  expect([decision.state, decision.reason, decision.ready, decision.actions]).toEqual([state, reason, state === 'running', []]);
  expect(decideService(service, observed, decision.memory, 2_000).memory).toBe(decision.memory);
});

test('silence of a minute is a failure, and an answer ends it', () => {
  const silent = (atMs: number) => ({ host, probe: { code: 0, atMs } });
  const first = decideService(service, silent(0), null, 0);
  const later = decideService(service, silent(59_999), first.memory, 59_999);
  expect(later.state).toBe('starting');
  const failed = decideService(service, silent(60_000), later.memory, 60_000);
  expect([failed.state, failed.reason]).toEqual(['failed', 'SocketRefused']);
  const back = decideService(service, { host, probe: { code: 200, atMs: 61_000 } }, failed.memory, 61_000);
  expect([back.state, back.memory.silentSinceMs, back.memory.sinceMs]).toEqual(['running', null, 61_000]);
});

test('a person sees what the server has, and asks in vain for another state', () => {
  const intent = { wish: 'stop', by: 'person', requestId: 'r1', atMs: 0 } as const;
  const desired: BackendDesired = {
    person: 'ana',
    app: 'mural',
    manifest: null,
    installedHash: null,
    document: null,
    generation: 0,
    intent,
    windows: null,
    session: true,
    sessionSinceMs: 0,
  };
  const seen = decideService(service, { host, probe: { code: 200, atMs: 0 } }, null, 0);
  const decision = decideShared(desired, seen, null, 5);
  expect(decision).toMatchObject({ state: 'running', ready: true, actions: [], finishedIntent: 'r1', outcome: 'refused' });
  expect(decideShared({ ...desired, intent: null }, seen, decision.memory, 6)).toMatchObject({
    finishedIntent: null,
    memory: decision.memory,
  });
});
