/**
 * `svc person erase NAME`: what the portal and their server hold of a person, and with `--yes` its end. The portal is asked to keep nothing, then this command takes
 * the document out of the folder, as `svc setup` edits one, and the portal does the rest. Killed in between it is given again.
 */
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { Held, HeldOfPerson } from '../../schema/erasure.ts';
import type { ServerActEvent } from '../../schema/gateway.ts';
import { createClient, type Client } from '../client.ts';
import { byteSize, isForPrograms, plain, printValue, toned, write, type Format } from '../output.ts';
import { sayActs } from './server.ts';

interface EraseOptions {
  readonly state: string;
  readonly output: Format;
  readonly roomsTo?: string;
  readonly yes?: boolean;
}

/** 0 erased; 1 something is left to do; without `--yes` 2: something is held. */
export async function runErase(name: string, { state, output, roomsTo, yes = false }: EraseOptions): Promise<number> {
  const client = createClient(state);
  const route = `/api/admin/people/${encodeURIComponent(name)}`;
  const held = await client.get<HeldOfPerson>(`${route}/held`);
  if (!yes) return await show(held, output);
  if (held.document?.from != null)
    throw new SvcError(
      'CONFLICT',
      `${held.document.from} makes ${name} a person: take them out of the group that it names, or write it another way (${held.document.file}:${held.document.line}); then give this again`,
    );
  if (!isForPrograms(output)) tell(held);
  await client.post<HeldOfPerson>(`${route}/erasure`, roomsTo === undefined ? {} : { roomsTo });
  if (held.document !== null) await removeDocument(name, held.document.file, isForPrograms(output));
  return await end(client, route, output);
}

async function end(client: Client, route: string, output: Format): Promise<number> {
  const events = client.follow<ServerActEvent>(`${route}/erasure/end`, {});
  return await sayActs(events, { isPlan: false, output: isForPrograms(output) ? 'json' : 'table' });
}

async function removeDocument(name: string, file: string, isQuiet: boolean): Promise<void> {
  const { openSite } = await import('../setup/site.ts');
  const dir = path.dirname(file);
  const said = `remove the document Person/${name} (${file}), then give this again: the rest follows by itself`;
  try {
    const site = openSite(dir);
    if (!site.remove('Person', name)) throw new SvcError('CONFLICT', said);
    for (const written of site.write()) if (!isQuiet) write(`  ..  Person/${plain(name)} is taken out of ${plain(written)}\n`);
  } catch (error) {
    if (error instanceof SvcError && error.code !== 'DESIRED_INVALID') throw error;
    throw new SvcError('CONFLICT', `${(error as Error).message}: ${said}`);
  }
}

async function show(held: HeldOfPerson, output: Format): Promise<number> {
  if (isForPrograms(output)) await printValue(held, output);
  else {
    tell(held);
    write('nothing was done: --yes does it\n');
  }
  return 2;
}

function tell({ person, server, account, document, held, sharedRooms, erasure }: HeldOfPerson): void {
  const where = server === null ? '' : `, ${account ?? ''} on ${server}`;
  write(`of ${plain(person)}${plain(where)}:\n`);
  for (const each of held)
    write(
      `  ${each.note === null ? toned('goes', 'bad') : 'stays'}  ${plain(each.what)}${amountOf(each)}${each.note === null ? '' : `: ${plain(each.note)}`}\n`,
    );
  for (const { nome, app, people } of sharedRooms)
    write(`  room of theirs with ${people} more: ${plain(nome)} (${plain(app)}): it goes to whom --rooms-to names\n`);
  write(`  stays  the account ${plain(account ?? '')} and the files in its home that are their own\n`);
  if (document !== null) write(`  goes  the document, ${plain(document.file)}:${document.line}\n`);
  if (erasure !== null) write('it was asked for already: this goes on with it\n');
}

const amountOf = ({ count, unit }: Held): string => (count === null ? '' : unit === 'bytes' ? `: ${byteSize(count)}` : `: ${count}`);
