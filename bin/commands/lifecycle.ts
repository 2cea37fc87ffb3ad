/** `svc start|stop|restart ana/notas`: posts the order and waits for its outcome. */
import type { Reason } from '../../schema/backend.ts';
import { createClient } from '../client.ts';
import { backendOf } from '../keys.ts';
import { isForPrograms, plain, printValue, toned, toneOfState, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

/** Exit 0 when it is so, or on its way and nothing is known against it; 1 when it failed, or can't come up as it is. */
export async function runLifecycle(wish: 'start' | 'stop' | 'restart', text: string, { state, output }: PortalOptions): Promise<number> {
  const { person, app } = backendOf(text);
  const answer = await createClient(state).call(`POST /api/admin/backends/:person/:app/${wish}`, { params: { person, app }, body: {} });
  if (!isForPrograms(output)) {
    write(`${person}/${app}  ${toned(answer.status, toneOfState(answer.status))}  ${answer.reason}  ${plain(answer.message)}\n`);
  } else await printValue(answer, output);
  if (wish === 'stop') return ['stopped', 'stopping'].includes(answer.status) ? 0 : 1;
  if (answer.status === 'running' || (answer.status === 'starting' && underWay.has(answer.reason))) return 0;
  if (!isForPrograms(output)) write(`it did not come up; more: svc why ${person}/${app}\n`);
  return 1;
}

/** Every other reason of `starting` names what keeps it from coming up; a slow start is no error (rules 3.2). */
const underWay: ReadonlySet<Reason> = new Set([
  'StartRequested',
  'PinnedRunning',
  'ServiceStart',
  'SettingUp',
  'Probing',
  'SlowStart',
  'Adopted',
]);
