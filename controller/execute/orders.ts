/** Follows starts and stops to their outcome, for the audit record: a supervisor accepts an order at once, and its outcome is seen later. */
import type { BackendDecision } from '../../reconcilers/backend-types.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import type { Outcome, Report } from './outcome.ts';

interface Order {
  readonly op: 'start' | 'stop';
  readonly requestId: string;
  readonly report: Report;
}

/** The newest order of each backend whose outcome was not seen yet. */
const open = new WeakMap<Entries, Map<BackendEntry, Order>>();

/** The supervisor took it. `report` is called once: with the outcome, or `begun` where none is seen. */
export function followOrder(entries: Entries, entry: BackendEntry, order: Order): void {
  const orders = open.get(entries) ?? new Map<BackendEntry, Order>();
  open.set(entries, orders);
  const before = orders.get(entry);
  orders.set(entry, order);
  // The same order, sent again: one line.
  if (before !== undefined && before.requestId !== order.requestId) leave(entry, before);
}

/** Nothing more will be seen for this order. */
function leave({ person, app }: BackendEntry, { op, report }: Order): void {
  const hasEnded = op === 'stop' && (person.link.snapshot(app)?.process ?? null) === null;
  report({ result: hasEnded ? 'ok' : 'begun' });
}

/** At each decision. */
export function noteOutcome(entries: Entries, entry: BackendEntry, decision: BackendDecision): void {
  const orders = open.get(entries);
  const order = orders?.get(entry);
  if (orders === undefined || order === undefined) return;
  const snapshot = entry.person.link.snapshot(entry.app);
  // The snapshot is older than the order.
  if (decision.state !== 'unknown' && snapshot?.requestId !== order.requestId) return;
  const outcome = order.op === 'start' ? ofStart(decision) : ofStop(decision);
  if (outcome === null) return;
  orders.delete(entry);
  order.report(outcome);
}

/** Ends the orders of backends that are no more; with `all` every order, since the loop ends. */
export function endOrders(entries: Entries, all = false): void {
  const orders = open.get(entries) ?? new Map<BackendEntry, Order>();
  for (const [entry, order] of orders) {
    if (!all && entries.backends.get(entry.key) === entry) continue;
    orders.delete(entry);
    leave(entry, order);
  }
}

function ofStart({ state, ready, reason, memory }: BackendDecision): Outcome | null {
  if (ready) return { result: 'ok' };
  if (state === 'failed' || state === 'backoff' || state === 'stopped') return { result: 'failed', reason };
  // Not ready after its probes, or out of sight: it may come up, and nobody waits for that.
  const isGivenUp = state === 'unknown' || state === 'running' || memory.start?.value === 'slow';
  return isGivenUp ? { result: 'begun', reason } : null;
}

function ofStop({ state }: BackendDecision): Outcome | null {
  if (state === 'stopped' || state === 'failed') return { result: 'ok' };
  return state === 'unknown' ? { result: 'begun' } : null;
}
