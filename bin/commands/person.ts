/**
 * `svc person erase NAME`: what the portal and their server hold of a person, and with `--yes` its end. The portal is asked to keep nothing, then this command takes
 * the document out of the folder, as `svc setup` edits one, and the portal does the rest. Killed in between it is given again.
 */
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { Held, HeldOfPerson } from '../../schema/erasure.ts';
import { createClient, type Client } from '../client.ts';
import { byteSize, isForPrograms, plain, printValue, toned, write, type Format } from '../output.ts';
import type { Site } from '../setup/site.ts';
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
  const params = { person: name };
  const held = await client.call('GET /api/admin/people/:person/held', { params });
  if (!yes) return await show(held, output);
  if (held.document?.from != null)
    throw new SvcError(
      'CONFLICT',
      `${held.document.from} makes ${name} a person: take them out of the group that it names, or write it another way (${held.document.file}:${held.document.line}); then give this again`,
    );
  if (!isForPrograms(output)) tell(held);
  // Before anything is asked for: an order whose document can't go would come true at some later removal.
  const site = held.document === null ? null : await siteWithout(name, held.document.file);
  await client.call('POST /api/admin/people/:person/erasure', { params, body: roomsTo === undefined ? {} : { roomsTo } });
  for (const written of site?.write() ?? [])
    if (!isForPrograms(output)) write(`  ..  Person/${plain(name)} is taken out of ${plain(written)}\n`);
  return await end(client, name, output);
}

async function end(client: Client, person: string, output: Format): Promise<number> {
  const events = client.follow('POST /api/admin/people/:person/erasure/end', { params: { person }, body: {} });
  return await sayActs(events, { isPlan: false, output: isForPrograms(output) ? 'json' : 'table' });
}

/** The folder as it is to be. Rejects CONFLICT where this command can't make it so. */
async function siteWithout(name: string, file: string): Promise<Site | null> {
  const { editSite } = await import('../setup/site.ts');
  const otherwise = `take the document Person/${name} out of ${file} as an account that may, and what stands on it; then give this again`;
  return await editSite(path.dirname(file), otherwise, (site) => {
    // Somebody took it out, and the portal did not read the folder since.
    if (!site.remove('Person', name)) return null;
    // It says which other document needs the person.
    site.changes();
    return site;
  });
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
