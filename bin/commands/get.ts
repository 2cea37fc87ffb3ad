/** `svc get [KIND|KEY|NAME] [NAME] [-w]`: one line per object. */
import { setTimeout as delay } from 'node:timers/promises';
import { SvcError } from '../../schema/errors.ts';
import { readKey } from '../../schema/keys.ts';
import { limits } from '../../api/limits.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { createClient, type Client } from '../client.ts';
import { kindsInPlural, objectKeysOf } from '../keys.ts';
import { type Column, isForPrograms, listing, plain, printValue, span, toneOfState, jsonText, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

interface GetOptions extends PortalOptions {
  readonly watch?: boolean;
}

const watchMs = 1_000;

export async function runGet(what: string | undefined, name: string | undefined, { state, output, watch }: GetOptions): Promise<void> {
  const keys = objectKeysOf(what, name);
  const client = createClient(state);
  const objects = await objectsOf(client, keys);
  const isKind = keys.length === 1 && readKey(keys[0] ?? '').name === '';
  if (objects.length === 0 && !isKind)
    throw new SvcError(
      'NOT_FOUND',
      `no object ${[what, name].filter(Boolean).join(' ')}${await nearestKind(what ?? '')}; svc get lists them`,
    );
  if (watch === true) return await follow(client, keys, objects, output);
  if (isForPrograms(output)) return await printValue(objects, output);
  write(objects.length === 0 ? 'No objects.\n' : listing(objects, columnsOf(objects, Date.now()), output));
}

/** Hint at the kind that is spelled nearly like the word. */
async function nearestKind(word: string): Promise<string> {
  const { didYouMean } = await import('../../schema/shape.ts');
  return didYouMean(word.toLowerCase(), kindsInPlural);
}

/** A key names one object and what is below it, not all whose names begin like it. */
async function objectsOf(client: Client, keys: readonly string[]): Promise<readonly ObjectView[]> {
  const found = await Promise.all(
    keys.map(async (key) => {
      const objects = await allObjects(client, key);
      return objects.filter((object) => key === '' || isBelow(object.key, key));
    }),
  );
  return found.flat();
}

/** Page by page: ten thousand people are more than one answer holds. */
async function allObjects(client: Client, prefix: string): Promise<readonly ObjectView[]> {
  const found: ObjectView[] = [];
  for (;;) {
    const after = found.at(-1)?.key;
    const page = await client.call('GET /api/admin/objects', { query: { prefix, after } });
    found.push(...page);
    if (page.length < limits.objectsPageMax) return found;
  }
}

/** The table of `svc get`; the restarts of backends only where there are backends. */
export function columnsOf(objects: readonly ObjectView[], nowMs: number): Column<ObjectView>[] {
  const columns: Column<ObjectView>[] = [
    { title: 'OBJECT', of: ({ key }) => key },
    { title: 'STATE', of: ({ state }) => state, tone: ({ state }) => toneOfState(state) },
    { title: 'AGE', of: (object) => age(object, nowMs) },
    { title: 'RESTARTS', of: ({ details }) => (typeof details['restarts'] === 'number' ? String(details['restarts']) : '') },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'SERVER', isWide: true, of: ({ details }) => detail(details['server']) },
    { title: 'INSTALLED', isWide: true, of: ({ details }) => versionOf(details['installed']) },
    { title: 'PID', isWide: true, of: ({ details }) => detail(pidOf(details)) },
    { title: 'SEEN', isWide: true, of: ({ seenAtMs }) => `${span(nowMs - seenAtMs)} ago` },
    { title: 'MESSAGE', of: ({ message }) => message },
  ];
  return objects.some(({ kind }) => kind === 'Backend') ? columns : columns.filter(({ title }) => title !== 'RESTARTS');
}

const detail = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
/** Version of a package (a text), or of a backend (as its server found it). */
const versionOf = (installed: unknown): string => detail(installed) || detail(fieldOf(installed, 'version'));
/** Process id of a supervisor (its own), or of the process of a backend. */
const pidOf = (details: ObjectView['details']): unknown => details['pid'] ?? fieldOf(details['process'], 'pid');

/** How long it has been in this state: exact for a backend, by the first condition for other objects. */
function age({ details, conditions }: ObjectView, nowMs: number): string {
  const own = details['sinceMs'];
  const sinceMs = typeof own === 'number' && own > 0 ? own : conditions[0]?.sinceMs;
  return sinceMs === undefined || sinceMs === 0 ? '' : span(nowMs - sinceMs);
}

/** First all, then each line that became another one, until it is ended. JSON is one object a line, YAML one document each. */
/** Also the installations of a package that is written for several servers. */
function isBelow(key: string, start: string): boolean {
  return key === start || key.startsWith(`${start}/`) || key.startsWith(`${start}@`);
}

async function follow(client: Client, keys: readonly string[], first: readonly ObjectView[], output: GetOptions['output']): Promise<void> {
  let shown = new Map<string, string>();
  for (let objects = first, isFirst = true; ; objects = await objectsOf(client, keys), isFirst = false) {
    const now = new Map(objects.map((object) => [object.key, standing(object)]));
    const changed = objects.filter(({ key }) => shown.get(key) !== now.get(key));
    const gone = [...shown.keys()].filter((key) => !now.has(key));
    if (!isForPrograms(output)) {
      // As wide as the whole table, so that the lines stand below each other.
      const [head = '', ...lines] = listing(objects, columnsOf(objects, Date.now()), output).trimEnd().split('\n');
      if (isFirst) write(`${head}\n`);
      objects.forEach((object, at) => changed.includes(object) && write(`${lines[at] ?? ''}\n`));
      for (const key of gone) write(`${plain(key)}  gone\n`);
    } else {
      for (const object of changed) {
        if (output === 'json') write(`${jsonText(object)}\n`);
        else {
          write('---\n');
          await printValue(object, 'yaml');
        }
      }
      if (output === 'json') for (const key of gone) write(`${jsonText({ key, gone: true })}\n`);
    }
    shown = now;
    await delay(watchMs);
  }
}

/** Counts of connections and the like change all the time and are no news. */
function standing({ state, reason, message, details }: ObjectView): string {
  return JSON.stringify([state, reason, message, details['restarts'], details['pid']]);
}
