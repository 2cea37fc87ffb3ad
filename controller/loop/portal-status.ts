/** How the desired-state folder stands: in force, broken (the last good state stays), or waiting for `--prune`. */
import type { Condition, Reason } from '../../schema/backend.ts';
import type { DesiredSource } from '../desired/in-force.ts';
import type { Finding } from './record.ts';
import type { StoredStatus } from '../store/store.ts';

export function portalFinding(
  source: DesiredSource,
  before: StoredStatus | null,
  generation: number,
  nowMs: number,
): Finding & { readonly details: Readonly<Record<string, unknown>> } {
  const errors = source.errors();
  const { held, why, documents } = source.current();
  const { state, reason, message } = standing(errors, held, why);
  const status = reason === 'Listening' ? 'True' : 'False';
  const last = before?.conditions.find((condition) => condition.type === 'Ready');
  const sinceMs = last?.status === status ? last.sinceMs : nowMs;
  const condition: Condition = { type: 'Ready', status, reason, message, observedGeneration: generation, sinceMs };
  const details = { objects: documents.size, errors, warnings: source.warnings(), pendingPrune: held };
  return { state, reason, message, conditions: [condition], nextDeadlineMs: null, memory: null, details };
}

function standing(
  errors: readonly string[],
  held: readonly string[],
  why: string | null,
): { state: string; reason: Reason; message: string } {
  const [first] = errors;
  if (first !== undefined) {
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return { state: 'invalid', reason: 'Invalid', message: `the last good state stays in force: ${first.split('\n')[0]}${more}` };
  }
  if (held.length > 0) {
    return {
      state: 'waiting',
      reason: 'PendingPrune',
      message: `${why ?? ''}; nothing is removed until svc apply --prune: ${held.slice(0, 5).join(', ')}${held.length > 5 ? '…' : ''}`,
    };
  }
  return { state: 'listening', reason: 'Listening', message: '' };
}
