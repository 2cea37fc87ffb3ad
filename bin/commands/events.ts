/** `svc events [KEY] [-f]`: transitions with their reasons, of all objects or of those below a key. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AnswerOf } from '../../schema/routes/call.ts';
import { createClient } from '../client.ts';
import { eventKeysOf } from '../keys.ts';
import { type Column, isForPrograms, listing, moment, printValue, jsonText, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

/** A stored event as the portal answers it. */
export type EventView = AnswerOf<'GET /api/admin/events'>['events'][number];

interface EventsOptions extends PortalOptions {
  readonly follow?: boolean;
  readonly limit: number;
}

const followMs = 500;

export async function runEvents(text: string | undefined, { state, output, follow, limit }: EventsOptions): Promise<void> {
  const client = createClient(state);
  // Each with its own last one seen: an event of one that comes between two answers is missed by none.
  const streams = (text === undefined ? [undefined] : eventKeysOf(text)).map((key) => ({ key, seen: undefined as number | undefined }));
  const readOne = async (stream: (typeof streams)[number]): Promise<readonly EventView[]> => {
    const { key, seen } = stream;
    const { events } = await client.call('GET /api/admin/events', { query: { key, after: seen, limit } });
    stream.seen = events.at(-1)?.seq ?? seen ?? 0;
    return events;
  };
  const read = async (): Promise<readonly EventView[]> => {
    const all = await Promise.all(streams.map(readOne));
    return all.flat().sort((a, b) => a.seq - b.seq);
  };
  const first = (await read()).slice(-limit);
  // The name of the one object that was asked for need not stand on every line.
  const withKey = streams.length > 1 || first.length === 0 || first.some((event) => event.key !== streams[0]?.key);
  if (follow !== true && isForPrograms(output)) return await printValue(first, output);
  await print(first, { output, isFirst: true, withKey });
  if (follow !== true) return;
  // The portal keeps events in its store: asking for what is newer misses none, also over a restart of the portal's clients.
  for (;;) {
    await delay(followMs);
    await print(await read(), { output, isFirst: false, withKey });
  }
}

interface PrintOptions {
  readonly output: PortalOptions['output'];
  readonly isFirst: boolean;
  readonly withKey: boolean;
}

/** While following, JSON is one object a line and YAML one document each. */
async function print(events: readonly EventView[], { output, isFirst, withKey }: PrintOptions): Promise<void> {
  if (output === 'json') write(events.map((event) => `${jsonText(event)}\n`).join(''));
  else if (output === 'yaml') {
    for (const event of events) {
      write('---\n');
      await printValue(event, 'yaml');
    }
  } else if (isFirst || events.length > 0) {
    const text = listing(events, eventColumns(Date.now(), withKey), output);
    write(isFirst ? text : text.slice(text.indexOf('\n') + 1));
  }
}

export function eventColumns(nowMs: number, withKey: boolean): Column<EventView>[] {
  const columns: Column<EventView>[] = [
    { title: 'SEQ', isWide: true, of: ({ seq }) => String(seq) },
    { title: 'TIME', of: ({ atMs }) => moment(atMs, nowMs) },
    { title: 'TYPE', isWide: true, of: ({ type }) => type },
    { title: 'OBJECT', of: ({ key }) => key },
    { title: 'REASON', of: ({ reason }) => reason, tone: ({ type }) => (type === 'Warning' ? 'busy' : 'plain') },
    {
      title: 'MESSAGE',
      of: ({ from, to, message }) => (to === null || from === to ? message : `${from ?? '·'} → ${to}  ${message}`),
    },
  ];
  return withKey ? columns : columns.filter(({ title }) => title !== 'OBJECT');
}
