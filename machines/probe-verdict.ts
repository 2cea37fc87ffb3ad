/**
 * Table of rules 3.2: the meaning of one health probe's code. `0` stands for 000 (no answer). The order counts: the first row with the code
 * decides.
 */
import type { Reason } from '../schema/backend.ts';

interface VerdictRow {
  readonly from: number;
  readonly to: number;
  readonly ready: boolean;
  /** Why the app is not ready, or Healthy. */
  readonly reason: Extract<Reason, 'Healthy' | 'NeverBound' | 'AnswersError'>;
}

// Source: rules 3.2, table of verdicts.
export const verdictRows: readonly VerdictRow[] = [
  { from: 0, to: 0, ready: false, reason: 'NeverBound' },
  { from: 500, to: 599, ready: false, reason: 'AnswersError' },
  { from: 401, to: 401, ready: false, reason: 'AnswersError' },
  { from: 403, to: 403, ready: false, reason: 'AnswersError' },
  { from: 404, to: 404, ready: true, reason: 'Healthy' },
  { from: 200, to: 499, ready: true, reason: 'Healthy' },
];

/** A code outside the table (1xx, 6xx, garbage): not ready. `byGate`: the gate of the runtime refused, not the app (rules 5). */
export function probeVerdict(
  code: number,
  byGate = false,
): { readonly ready: boolean; readonly reason: VerdictRow['reason'] | 'RefusesToken' } {
  if (byGate && code === 403) return { ready: false, reason: 'RefusesToken' };
  for (const row of verdictRows) if (code >= row.from && code <= row.to) return row;
  return { ready: false, reason: 'AnswersError' };
}

/** Names the fault of a living process without its socket, by the TCP ports that its supervisor saw. Supervisor and portal say the same. */
export function unbound(tcpPorts: readonly number[]): { readonly reason: 'BoundTcp' | 'NeverBound'; readonly message: string } {
  if (tcpPorts.length === 0) return { reason: 'NeverBound', message: 'it has not bound SVC_APP_SOCKET' };
  return { reason: 'BoundTcp', message: `it listens on TCP port ${tcpPorts.join(', ')} instead of SVC_APP_SOCKET` };
}
