/** `svc plan [DIR]` and `svc apply`: what a folder would change, decided by the very decide of the loop. */
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { createClient } from '../client.ts';
import { color, isForPrograms, listing, plain, printValue, warn, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

/** Exit 0 no change, also while something only waits; 2 changes, removals that are held back, or something that somebody has to mend; 1 error. Without a running portal the folder is compared with what the state folder remembers. */
export async function runPlan(dir: string | undefined, options: PortalOptions): Promise<number> {
  return await printPlan(await plan(dir, options.state), options, 'would change');
}

/** Exit 0 when the folder is in force, 2 when the guard held something back, 1 when it has errors. */
export async function runApply(options: PortalOptions & { readonly prune?: boolean }): Promise<number> {
  const answer = await createClient(options.state).call('POST /api/admin/apply', { body: { prune: options.prune === true } });
  if ((await printPlan(answer, options, 'changed')) === 1) return 1;
  return answer.pendingPrune.length > 0 ? 2 : 0;
}

async function plan(dir: string | undefined, state: string): Promise<PlanAnswer> {
  const absolute = dir === undefined ? null : path.resolve(dir);
  try {
    return await createClient(state).call('POST /api/admin/plan', { body: { dir: absolute } });
  } catch (error) {
    const isDown = error instanceof SvcError && error.code === 'PORTAL_NOT_RUNNING';
    if (!isDown || absolute === null) throw error;
    const { planOffline } = await import('../up/plan.ts');
    return await planOffline(absolute, state);
  }
}

async function printPlan(answer: PlanAnswer, { output }: PortalOptions, verb: string): Promise<number> {
  if (isForPrograms(output)) await printValue(answer, output);
  else {
    for (const error of answer.errors) warn(`${error}\n`);
    if (answer.changes.length > 0) {
      const columns = [
        { title: 'OBJECT', of: ({ key }: PlanAnswer['changes'][number]) => key },
        { title: 'ACTION', of: ({ action }: PlanAnswer['changes'][number]) => action },
        { title: 'REASON', of: ({ reason }: PlanAnswer['changes'][number]) => reason ?? '' },
        { title: 'DETAIL', of: ({ detail }: PlanAnswer['changes'][number]) => detail },
      ];
      write(listing(answer.changes, columns, output));
    }
    // A line each, not a table: the message says what is missing and is never cut.
    for (const { key, reason, message } of answer.blocked)
      write(`${color('yellow', 'blocked')}  ${plain(key)}  ${reason}  ${plain(message)}\n`);
    for (const name of answer.pendingPrune) write(`${color('yellow', 'held')}  ${plain(name)}: not removed without: svc apply --prune\n`);
    if (answer.restart !== undefined)
      write(`${color('yellow', 'restart')}  Portal: ${plain(answer.restart.join(', '))}: as before until the portal is started again\n`);
    for (const note of answer.notes ?? []) write(`${plain(note)}\n`);
    if (answer.ok) write(summary(answer, verb));
  }
  if (!answer.ok || answer.errors.length > 0) return 1;
  const isStuck = answer.blocked.some(({ waits }) => !waits);
  return isStuck || answer.changes.length + answer.pendingPrune.length > 0 ? 2 : 0;
}

function summary({ changes, blocked, pendingPrune }: PlanAnswer, verb: string): string {
  if (changes.length + blocked.length + pendingPrune.length === 0) return 'Nothing to change.\n';
  const waits = blocked.length === 0 ? '' : `, ${blocked.length} blocked (svc why OBJECT)`;
  return `${changes.length} ${changes.length === 1 ? 'thing' : 'things'} ${verb}${waits}, ${pendingPrune.length} held back.\n`;
}
