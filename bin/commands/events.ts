/** `svc events [KEY] [-f]`: transitions with their reasons. */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../client.ts';
import { keyOf } from '../keys.ts';
import { type Column, moment, printValue, table, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

/** One stored event as the portal answers it. */
export interface EventView {
  readonly seq: number;
  readonly atMs: number;
  readonly key: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly from: string | null;
  readonly to: string | null;
}

interface EventsOptions extends PortalOptions {
  readonly follow?: boolean;
  readonly limit: number;
}

const followMs = 500;

export async function runEvents(text: string | undefined, { state, output, follow, limit }: EventsOptions): Promise<void> {
  const key = text === undefined ? undefined : keyOf(text);
  const client = createClient(state);
  const read = async (after: number | undefined): Promise<EventView[]> => {
    const { events } = await client.get<{ events: EventView[] }>('/api/admin/events', { key, after, limit });
    return key === undefined ? events : events.filter((event) => event.key === key);
  };
  const first = await read(undefined);
  if (follow !== true && output !== 'table') return await printValue(first, output);
  await print(first, { output, isFirst: true, withKey: key === undefined });
  if (follow !== true) return;
  // The portal keeps events in its store: asking for what is newer misses none, also over a restart of the portal's clients.
  for (let seen = first.at(-1)?.seq ?? 0; ;) {
    await delay(followMs);
    const more = await read(seen);
    seen = more.at(-1)?.seq ?? seen;
    await print(more, { output, isFirst: false, withKey: key === undefined });
  }
}

interface PrintOptions {
  readonly output: PortalOptions['output'];
  readonly isFirst: boolean;
  readonly withKey: boolean;
}

/** While following, JSON is one object a line and YAML one document each. */
async function print(events: readonly EventView[], { output, isFirst, withKey }: PrintOptions): Promise<void> {
  if (output === 'json') write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  else if (output === 'yaml') {
    for (const event of events) {
      write('---\n');
      await printValue(event, 'yaml');
    }
  } else if (isFirst || events.length > 0) {
    const text = table(events, eventColumns(Date.now(), withKey));
    write(isFirst ? text : text.slice(text.indexOf('\n') + 1));
  }
}

export function eventColumns(nowMs: number, withKey: boolean): Column<EventView>[] {
  const columns: Column<EventView>[] = [
    { title: 'TIME', of: ({ atMs }) => moment(atMs, nowMs) },
    { title: 'OBJECT', of: ({ key }) => key },
    { title: 'REASON', of: ({ reason }) => reason, tone: ({ type }) => (type === 'Warning' ? 'busy' : 'plain') },
    {
      title: 'MESSAGE',
      of: ({ from, to, message }) => (to === null || from === to ? message : `${from ?? '·'} → ${to}  ${message}`),
    },
  ];
  return withKey ? columns : columns.filter(({ title }) => title !== 'OBJECT');
}
