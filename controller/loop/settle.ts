/** Records a decision and carries out its actions: the same for every kind but backends, which have more to tell. */
import type { Decision } from '../../reconcilers/decision.ts';
import { execute } from '../execute/executors.ts';
import type { Context } from './context.ts';

let rounds = 0;
const run = Date.now().toString(36);

/** Names one look at one key: in its log lines and events. */
export function nextRound(): string {
  rounds += 1;
  return `${run}-${rounds.toString(36)}`;
}

export async function settle<Memory>(
  context: Context,
  key: string,
  decision: Decision<Memory>,
  generation: number,
  details: object,
): Promise<void> {
  context.alarm(key);
  context.queue.wake(key, decision.nextDeadlineMs);
  context.recorder.record(key, decision, generation, { ...details }, nextRound());
  for (const action of decision.actions) await execute(context.executors, action);
}
