/** `svc server add|rollback|remove|forget NAME`: asks the portal, which does it, and says each step as it goes. */
import type { ServerAct, ServerActEvent } from '../../schema/gateway.ts';
import { createClient } from '../client.ts';
import { plain, toned, warn, jsonText, write } from '../output.ts';

interface ServerOptions {
  readonly state: string;
  readonly output: 'table' | 'json';
  readonly plan?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** Exit 0 done, 1 not; `--plan`, and `forget` without `--yes`: 0 nothing to do, 2 changes. */
export async function runServer(act: Exclude<ServerAct, 'plan'>, name: string, options: ServerOptions): Promise<number> {
  const isPlan = options.plan === true || (act === 'forget' && options.yes !== true);
  const body = { act: options.plan === true ? 'plan' : act, force: options.force === true || options.yes === true } as const;
  const events = createClient(options.state).follow('POST /api/admin/servers/:server/kit', { params: { server: name }, body });
  return await sayActs(events, { isPlan, output: options.output });
}

/** Exit 0 done, 1 not; of a plan 2 when there is something to do. */
export async function sayActs(
  events: AsyncIterable<ServerActEvent>,
  { isPlan, output }: { readonly isPlan: boolean; readonly output: 'table' | 'json' },
): Promise<number> {
  let planned = 0;
  let code = 1;
  for await (const event of events) {
    if (event.event === 'plan') planned += 1;
    if (event.event === 'done') code = 0;
    sayAct(event, output);
  }
  return code === 0 && isPlan && planned > 0 ? 2 : code;
}

export function sayAct(event: ServerActEvent, output: ServerOptions['output']): void {
  if (output === 'json') write(`${jsonText(event)}\n`);
  else if (event.event === 'error') warn(`${toned('failed', 'bad')}  ${event.code} ${plain(event.text)}\n`);
  else if (event.event === 'done') write(`${toned('done', 'good')}  ${plain(event.text)}\n`);
  else write(`${event.event === 'plan' ? 'will' : '  ..'}  ${plain(event.text)}\n`);
}
