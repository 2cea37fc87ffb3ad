/** `svc describe KEY`: everything known about one object, and its last events. */
import { SvcError } from '../../schema/errors.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import type { Condition } from '../../schema/backend.ts';
import { createClient } from '../client.ts';
import { keyIn, objectOf } from '../object-key.ts';
import {
  color,
  type Column,
  isForPrograms,
  listing,
  moment,
  plain,
  printValue,
  span,
  table,
  toned,
  toneOfState,
  wrap,
  write,
} from '../output.ts';
import { eventColumns } from './events.ts';
import type { PortalOptions } from './options.ts';

export async function runDescribe(text: string, { state, output }: PortalOptions): Promise<void> {
  const client = createClient(state);
  const key = await keyIn(client, text);
  const [object, { events }] = await Promise.all([
    objectOf(client, key),
    client.call('GET /api/admin/events', { query: { key, limit: 100 } }),
  ]);
  if (object === null) throw new SvcError('NOT_FOUND', `no object ${key}; svc get lists them`);
  const own = events.filter((event) => event.key === key).slice(-20);
  if (isForPrograms(output)) return await printValue({ ...object, events: own }, output);
  write(header(object, Date.now()));
  if (object.conditions.length > 0) write(`\n${color('bold', 'Conditions')}\n${conditions(object.conditions, Date.now())}`);
  if (Object.keys(object.details).length > 0) {
    const { yamlText } = await import('../yaml.ts');
    const details = yamlText(object.details).trimEnd();
    write(`\n${color('bold', 'Details')}\n${details.split('\n').map(plain).join('\n')}\n`);
  }
  if (own.length > 0) write(`\n${color('bold', 'Events')}\n${listing(own, eventColumns(Date.now(), false), output)}`);
}

function header(object: ObjectView, nowMs: number): string {
  const rows: [string, string][] = [
    ['Object', object.key],
    ['State', toned(plain(object.state), toneOfState(object.state))],
    ['Reason', object.reason],
    ['Message', wrap(object.message, 12)],
    ['Seen', `${span(nowMs - object.seenAtMs)} ago`],
  ];
  if (object.nextDeadlineMs !== null) rows.push(['Deadline', deadline(object.nextDeadlineMs, nowMs)]);
  return rows.map(([name, value]) => `${name.padEnd(11)} ${value}\n`).join('');
}

export function deadline(ms: number, nowMs: number): string {
  return ms >= nowMs ? `${moment(ms, nowMs)}, in ${span(ms - nowMs)}` : `${moment(ms, nowMs)}, ${span(nowMs - ms)} ago`;
}

function conditions(list: readonly Condition[], nowMs: number): string {
  const columns: Column<Condition>[] = [
    { title: 'TYPE', of: ({ type }) => type },
    { title: 'STATUS', of: ({ status }) => status },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'FOR', of: ({ sinceMs }) => (sinceMs === 0 ? '' : span(nowMs - sinceMs)) },
    { title: 'MESSAGE', of: ({ message }) => message },
  ];
  return table(list, columns);
}
