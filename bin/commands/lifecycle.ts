/** `svc start|stop|restart ana/notas`: posts the wish and waits for its outcome. */
import type { StartAnswer } from '../../schema/wire/http.ts';
import { createClient } from '../client.ts';
import { backendOf } from '../keys.ts';
import { plain, printValue, toneOfState, toned, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

/** Exit 0 when it is so, or on its way (`starting`); 1 when it failed. */
export async function runLifecycle(wish: 'start' | 'stop' | 'restart', text: string, { state, output }: PortalOptions): Promise<number> {
  const { person, app } = backendOf(text);
  const route = `/api/admin/backends/${encodeURIComponent(person)}/${encodeURIComponent(app)}/${wish}`;
  const answer = await createClient(state).post<StartAnswer>(route);
  if (output === 'table') {
    write(`${person}/${app}  ${toned(answer.status, toneOfState(answer.status))}  ${answer.reason}  ${plain(answer.message)}\n`);
  } else await printValue(answer, output);
  const good: readonly string[] = wish === 'stop' ? ['stopped', 'stopping'] : ['running', 'starting'];
  return good.includes(answer.status) ? 0 : 1;
}
