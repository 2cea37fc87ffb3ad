/**
 * `svc person move NAME --to SERVER`: the apps of a person go to another server of the site. The portal copies and compares; at its word this command writes
 * `spec.server` of the document, as `svc setup` edits one. Given again it goes on. Decision: docs/decisions/0388-a-person-goes-to-another-server.md
 */
import path from 'node:path';
import type { ServerActEvent } from '../../schema/gateway.ts';
import { createClient, type Client } from '../client.ts';
import { editSite, type Site } from '../setup/site.ts';
import { sayAct } from './server.ts';

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
  const say = (event: ServerActEvent): void => sayAct(event, output);
  const isPlan = plan || !yes;
  let file: string | null = null;
  let planned = 0;
  for await (const event of asked(true)) {
    if (event.event === 'document') ({ file } = event);
    else if (event.event === 'plan') planned += 1;
    if (event.event === 'error') {
      say(event);
      return 1;
    }
    if (isPlan && event.event !== 'done' && event.event !== 'document') say(event);
  }
  // Before anything is stopped: a document that can't be written would end it after the copy.
  const isWritten = act === 'clean' || planned === 0 || file === null;
  if (!isWritten) await changed(name, to, file as string);
  if (isPlan) {
    say({ event: 'done', text: planned === 0 ? `there is nothing to do` : `nothing was done${plan ? '' : ': --yes does it'}` });
    return planned === 0 ? 0 : 2;
  }
  return await followMove(client, { name, to, say }, asked(false));
}

async function followMove(
  client: Client,
  { name, to, say }: { readonly name: string; readonly to: string; readonly say: (event: ServerActEvent) => void },
  events: AsyncIterable<ServerActEvent>,
): Promise<number> {
  let isDue = false;
  for await (const event of events) {
    if (event.event !== 'document' && event.event !== 'plan') say(event);
    if (event.event === 'document' && isDue) {
      for (const written of (await changed(name, to, event.file)).write()) say({ event: 'step', text: `${written} is changed` });
      await client.call('POST /api/admin/apply', { body: {} });
    }
    if (event.event === 'document') isDue = true;
    if (event.event === 'done') return 0;
  }
  return 1;
}

/** The folder as it is to be, with the packages of theirs that documents put there. Rejects CONFLICT where this command can't make it so. */
async function changed(name: string, to: string, file: string): Promise<Site> {
  const otherwise = `write server: ${to} into spec of Person/${name} in ${file} as an account that may`;
  return await editSite(path.dirname(file), otherwise, (site) => {
    site.set('Person', name, ['spec', 'server'], to, path.basename(file));
    for (const each of site.names('Package'))
      if (site.text('Package', each, ['spec', 'pessoa']) === name) site.set('Package', each, ['spec', 'server'], to, path.basename(file));
    site.changes();
    return site;
  });
}
