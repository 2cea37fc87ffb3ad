/**
 * `svc person move NAME --to SERVER`: the apps of a person go to another server of the site. The portal copies and compares; at its word this command writes
 * `spec.server` of the document, as `svc setup` edits one. Given again it goes on. Decision: docs/decisions/0388-a-person-goes-to-another-server.md
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { ServerActEvent } from '../../schema/gateway.ts';
import { createClient, type Client } from '../client.ts';
import { jsonText, plain, toned, warn, write } from '../output.ts';
import { openSite, type Site } from '../setup/site.ts';

interface MoveOptions {
  readonly state: string;
  readonly output: 'table' | 'json';
  readonly to: string;
  readonly plan?: boolean;
  readonly clean?: boolean;
  readonly yes?: boolean;
}

/** Exit 0 done, 1 not; without `--yes` 2 when there is something to do. */
export async function runMove(name: string, { state, output, to, plan = false, clean = false, yes = false }: MoveOptions): Promise<number> {
  const client = createClient(state);
  const act = clean ? 'clean' : 'move';
  const asked = (isPlan: boolean) =>
    client.follow('POST /api/admin/people/:person/move', { params: { person: name }, body: { to, act, isPlan } });
  const say = (event: ServerActEvent): void => tell(event, output);
  const isPlan = plan || !yes;
  let file: string | null = null;
  let planned = 0;
  for await (const event of asked(true)) {
    if (event.event === 'document') ({ file } = event);
    else if (event.event === 'plan') planned += 1;
    if (event.event === 'error') return failed(event, output);
    if (isPlan && event.event !== 'done' && event.event !== 'document') say(event);
  }
  // Before anything is stopped: a document that can't be written would end it after the copy.
  const isWritten = act === 'clean' || planned === 0 || file === null;
  if (!isWritten) await changed(name, to, file as string);
  if (isPlan) {
    say({ event: 'done', text: planned === 0 ? `there is nothing to do` : `nothing was done${plan ? '' : ': --yes does it'}` });
    return planned === 0 ? 0 : 2;
  }
  return await followMove(client, { name, to, output }, asked(false));
}

async function followMove(
  client: Client,
  { name, to, output }: { readonly name: string; readonly to: string; readonly output: MoveOptions['output'] },
  events: AsyncIterable<ServerActEvent>,
): Promise<number> {
  let isDue = false;
  for await (const event of events) {
    if (event.event === 'error') return failed(event, output);
    if (event.event !== 'document' && event.event !== 'plan') tell(event, output);
    if (event.event === 'document' && isDue) {
      for (const written of (await changed(name, to, event.file)).write()) tell({ event: 'step', text: `${written} is changed` }, output);
      await client.call('POST /api/admin/apply', { body: {} });
    }
    if (event.event === 'document') isDue = true;
    if (event.event === 'done') return 0;
  }
  return 1;
}

function tell(event: ServerActEvent, output: MoveOptions['output']): void {
  if (output === 'json') write(`${jsonText(event)}\n`);
  else if (event.event === 'done') write(`${toned('done', 'good')}  ${plain(event.text)}\n`);
  else write(`${event.event === 'plan' ? 'will' : '  ..'}  ${plain(event.text)}\n`);
}

function failed(event: Extract<ServerActEvent, { readonly event: 'error' }>, output: MoveOptions['output']): number {
  if (output === 'json') write(`${jsonText(event)}\n`);
  else warn(`${toned('failed', 'bad')}  ${event.code} ${plain(event.text)}\n`);
  return 1;
}

/** The folder as it is to be, with the packages of theirs that documents put there. Rejects CONFLICT where this command can't make it so. */
async function changed(name: string, to: string, file: string): Promise<Site> {
  const dir = path.dirname(file);
  try {
    await access(dir, constants.W_OK);
    const site = openSite(dir);
    site.set('Person', name, ['spec', 'server'], to, path.basename(file));
    for (const each of site.names('Package'))
      if (site.text('Package', each, ['spec', 'pessoa']) === name) site.set('Package', each, ['spec', 'server'], to, path.basename(file));
    site.changes();
    return site;
  } catch (error) {
    throw new SvcError(
      'CONFLICT',
      `${(error as Error).message}: write server: ${to} into spec of Person/${name} in ${file} as an account that may`,
    );
  }
}
