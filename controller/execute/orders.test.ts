/** Tests the outcome of a start or a stop in the audit record, by the decisions that follow the order. */
import { expect, test } from 'vitest';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import type { BackendDecision } from '../../reconcilers/backend-types.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import type { Outcome } from './outcome.ts';
import { endOrders, followOrder, noteOutcome } from './orders.ts';

type Seen = Pick<BackendDecision, 'state' | 'reason' | 'ready'> & { readonly probes?: 'probing' | 'slow'; readonly requestId?: string };

/** A backend whose order r1 the supervisor took; `told` is what the record got. */
function ordered(op: 'start' | 'stop') {
  const told: Outcome[] = [];
  let snapshot: Partial<AppSnapshot> = {};
  const entry = { key: 'Backend/ana/notas', app: 'notas', person: { link: { snapshot: () => snapshot } } } as unknown as BackendEntry;
  const entries = { backends: new Map([[entry.key, entry]]) } as unknown as Entries;
  const follow = (what: 'start' | 'stop', requestId: string): void =>
    followOrder(entries, entry, { op: what, requestId, report: (outcome) => told.push(outcome) });
  follow(op, 'r1');
  const see = ({ requestId = 'r1', probes, ...decision }: Seen): void => {
    snapshot = { requestId, process: decision.state === 'running' || decision.state === 'starting' ? ({ pid: 7 } as never) : null };
    const memory = { start: probes === undefined ? null : { value: probes } };
    noteOutcome(entries, entry, { ...decision, memory } as unknown as BackendDecision);
  };
  return { told, entries, follow, see };
}

const seen = (state: Seen['state'], reason: Seen['reason'], more: Partial<Seen> = {}): Seen => ({ state, reason, ready: false, ...more });

test.for<readonly ['start' | 'stop', readonly Seen[], readonly Outcome[]]>([
  ['start', [seen('starting', 'StartRequested'), seen('running', 'Healthy', { ready: true })], [{ result: 'ok' }]],
  ['start', [seen('starting', 'Probing'), seen('backoff', 'ExitedAtOnce')], [{ result: 'failed', reason: 'ExitedAtOnce' }]],
  ['start', [seen('failed', 'InstallCommandFailed')], [{ result: 'failed', reason: 'InstallCommandFailed' }]],
  ['start', [seen('starting', 'NeverBound', { probes: 'slow' })], [{ result: 'begun', reason: 'NeverBound' }]],
  ['start', [seen('unknown', 'ServerUnreachable')], [{ result: 'begun', reason: 'ServerUnreachable' }]],
  ['start', [seen('starting', 'Probing', { probes: 'probing' })], []],
  ['start', [seen('running', 'Healthy', { ready: true, requestId: 'before' })], []],
  ['stop', [seen('stopping', 'StoppedByPerson'), seen('stopped', 'StoppedByPerson')], [{ result: 'ok' }]],
  ['stop', [seen('stopping', 'StoppedByPerson')], []],
])('%s, then %j', ([op, decisions, wanted]) => {
  const { told, see } = ordered(op);
  for (const each of decisions) see(each);
  expect(told).toEqual(wanted);
});

test('an order that is sent again is one line; another order ends the one before', () => {
  const { told, follow, see } = ordered('stop');
  follow('stop', 'r1');
  expect(told).toEqual([]);
  see(seen('stopping', 'StoppedByPerson'));
  follow('start', 'r2');
  expect(told).toEqual([{ result: 'ok' }]);
  follow('stop', 'r3');
  expect(told).toEqual([{ result: 'ok' }, { result: 'begun' }]);
});

test('at the end of the loop, and with its backend, an open order gets its line', () => {
  const { told, entries } = ordered('start');
  endOrders(entries);
  expect(told).toEqual([]);
  entries.backends.clear();
  endOrders(entries);
  expect(told).toEqual([{ result: 'begun' }]);
  const other = ordered('start');
  endOrders(other.entries, true);
  expect(other.told).toEqual([{ result: 'begun' }]);
});
