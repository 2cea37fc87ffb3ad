/**
 * `svc server drain NAME`: takes a server out of use. It is a field of its document, which this command writes as `svc setup` does: it holds over restarts and
 * another leader. Decision: docs/decisions/0418-a-server-that-is-drained.md
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SvcError } from '../../schema/errors.ts';
import type { ServerActEvent } from '../../schema/gateway.ts';
import { createClient, type Client } from '../client.ts';
import { objectOf } from '../object-key.ts';
import { editSite, type Site } from '../setup/site.ts';
import { sayAct } from './server.ts';

interface DrainOptions {
  readonly state: string;
  readonly output: 'table' | 'json';
  readonly plan?: boolean;
  readonly undo?: boolean;
  readonly now?: boolean;
  /** Milliseconds from now. */
  readonly deadline?: number;
  readonly wait?: boolean;
}

const pollMs = 500;

/** Exit 0 done; of a plan 2 when the document would change. */
export async function runDrain(name: string, options: DrainOptions): Promise<number> {
  if (options.now === true && options.deadline !== undefined) throw new SvcError('BAD_REQUEST', 'give --now or --deadline, not both');
  const client = createClient(options.state);
  const { file, events } = await look(client, name);
  const site = await changed(name, file, options);
  const changes = site.changes();
  const say = (event: ServerActEvent): void => sayAct(event, options.output);
  const isUndo = options.undo === true;
  for (const event of isUndo ? [] : events) say(event);
  const done = (text: string): void => say({ event: 'done', text });
  if (options.plan === true) {
    done(changes.length === 0 ? `${file} says so already` : `${file} would be changed; nothing was done`);
    return changes.length === 0 ? 0 : 2;
  }
  for (const written of site.write()) say({ event: 'step', text: `${written} is changed` });
  await client.call('POST /api/admin/apply', { body: {} });
  if (isUndo) done(`${name} is in use`);
  else if (options.wait === true) await untilDrained(client, name, say);
  else done(`nothing is started on ${name} any more; svc get Server/${name} says what still runs`);
  return 0;
}

async function look(client: Client, name: string): Promise<{ readonly file: string; readonly events: readonly ServerActEvent[] }> {
  const events: ServerActEvent[] = [];
  let file = '';
  for await (const event of client.follow('POST /api/admin/servers/:server/kit', { params: { server: name }, body: { act: 'drain' } })) {
    if (event.event === 'error') throw new SvcError('CONFLICT', event.text);
    if (event.event === 'document') ({ file } = event);
    else if (event.event !== 'done') events.push(event);
  }
  return { file, events };
}

/** The folder as it is to be. Rejects CONFLICT where this command can't make it so. */
async function changed(name: string, file: string, { undo, now, deadline }: DrainOptions): Promise<Site> {
  const atMs = now === true ? Date.now() : deadline === undefined ? null : Date.now() + deadline;
  const drain = atMs === null ? {} : { deadline: new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z') };
  const said = undo === true ? 'take drain out of' : `write drain: ${JSON.stringify(drain)} into`;
  const otherwise = `${said} spec of Server/${name} in ${file} as an account that may`;
  return await editSite(path.dirname(file), otherwise, (site) => {
    const before = site.value('Server', name, ['spec', 'drain']);
    if (undo === true) site.unset('Server', name, ['spec', 'drain']);
    // Without another deadline one that is written stays.
    else if (before === undefined || atMs !== null) site.set('Server', name, ['spec', 'drain'], drain, path.basename(file));
    site.changes();
    return site;
  });
}

async function untilDrained(client: Client, name: string, say: (event: ServerActEvent) => void): Promise<void> {
  for (let told = ''; ;) {
    const server = await objectOf(client, `Server/${name}`);
    if (server === null) throw new SvcError('NOT_FOUND', `no Server document ${name}`);
    if (server.reason === 'Drained') return say({ event: 'done', text: `${name} is drained: ${server.message}` });
    if (server.message !== told) say({ event: 'step', text: server.message });
    told = server.message;
    await delay(pollMs);
  }
}
