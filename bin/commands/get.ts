/** `svc get [KIND|KEY]`: one line per object. */
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { createClient, type Client } from '../client.ts';
import { prefixOf } from '../keys.ts';
import { type Column, printValue, table, toneOfState, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export async function runGet(what: string | undefined, { state, output }: PortalOptions): Promise<void> {
  const prefix = prefixOf(what);
  const found = await allObjects(createClient(state), prefix);
  // A key names one object, not all whose names begin like it.
  const objects = prefix === '' || prefix.endsWith('/') ? found : found.filter(({ key }) => key === prefix || key.startsWith(`${prefix}/`));
  if (objects.length === 0 && what !== undefined && !prefix.endsWith('/'))
    throw new SvcError('NOT_FOUND', `no object ${prefix}; svc get lists them`);
  if (output !== 'table') return await printValue(objects, output);
  if (objects.length === 0) return write('No objects.\n');
  const columns: Column<ObjectView>[] = [
    { title: 'OBJECT', of: ({ key }) => key },
    { title: 'STATE', of: ({ state }) => state, tone: ({ state }) => toneOfState(state) },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'MESSAGE', of: ({ message }) => message },
  ];
  write(table(objects, columns));
}

/** Page by page: ten thousand people are more than one answer holds. */
async function allObjects(client: Client, prefix: string): Promise<readonly ObjectView[]> {
  const found: ObjectView[] = [];
  for (;;) {
    const after = found.at(-1)?.key;
    const page = await client.get<ObjectView[]>('/api/admin/objects', { prefix, after });
    found.push(...page);
    if (page.length < limits.objectsPageMax) return found;
  }
}
