/**
 * Three people who write in one room all the while, as pages do: each keeps what it holds, comes back with a new ticket when its line is
 * cut, signs in again when the session ended. Every edit has a mark, so that none can go unseen.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as Y from 'yjs';
import { until } from '../support/portal.ts';
import type { RawClient } from '../support/room-client.ts';
import { createEntry } from '../support/room-entry.ts';
import type { ChaosWorld } from './world.ts';

const everyMs = 200;
const names = ['p0', 'p1', 'p2'] as const;

export interface Writers {
  /** Edits made so far. */
  edits(): number;
  /** Cuts every line; they come back by themselves. */
  cut(): void;
  /** Marks that some document, or what the portal tells a newcomer, does not hold; [] when nothing is missing. Writing rests meanwhile. */
  missing(msMax: number): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startWriters(world: ChaosWorld): Promise<Writers> {
  const entry = createEntry(() => world.portal);
  const sala = await until('a room', async () => {
    const made = await entry.asPage('p0', 'POST', '/api/salas?app=caderno', { nome: 'Caos' });
    return made.status === 201 ? (JSON.parse(made.body) as { id: string }).id : null;
  });
  const invited = await entry.asPage('p0', 'PUT', `/api/salas/${sala}/grupos/todas?app=caderno`, { papel: 'editar' });
  if (invited.status >= 300) throw new Error(`the group could not be invited: ${invited.status} ${invited.body}`);
  const marks: string[] = [];
  const life = { resting: false, ended: false };
  const editors = names.map((name) => ({ name, doc: new Y.Doc(), client: null as RawClient | null, synced: false }));
  const comes = async (editor: (typeof editors)[number]): Promise<void> => {
    while (!life.ended) {
      editor.client = await entry.come(editor.name, sala, editor.doc).catch(() => null);
      editor.synced = editor.client !== null;
      await editor.client?.closed;
      editor.synced = false;
      if (!life.ended) await sleep(250);
    }
  };
  const lives = editors.map(comes);
  const timer = setInterval(() => {
    if (life.resting) return;
    for (const { name, doc } of editors) {
      const mark = `${name}.${marks.length}`;
      doc.getMap('edits').set(mark, true);
      marks.push(mark);
    }
  }, everyMs);
  const lacking = (doc: Y.Doc): readonly string[] => marks.filter((mark) => !doc.getMap('edits').has(mark));
  return {
    edits: () => marks.length,
    cut: () => {
      for (const { client } of editors) client?.end();
    },
    missing: async (msMax) => {
      life.resting = true;
      let found: readonly string[] = ['nobody looked'];
      await until(
        'every document to hold every edit',
        async () => {
          const newcomer = await entry.come('p0', sala, new Y.Doc()).catch(() => null);
          found = [...editors.map(({ doc }) => doc), newcomer?.doc ?? new Y.Doc()].flatMap(lacking);
          newcomer?.end();
          return editors.every(({ synced }) => synced) && found.length === 0;
        },
        msMax,
      ).catch(() => undefined);
      life.resting = false;
      return found.length === 0 && editors.some(({ synced }) => !synced) ? ['an editor could not come in'] : found;
    },
    stop: async () => {
      life.ended = true;
      clearInterval(timer);
      for (const { client } of editors) client?.end();
      await Promise.all(lives);
    },
  };
}
