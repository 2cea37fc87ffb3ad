/**
 * `kill -9` of a real portal under writing clients. They come back with their own edits, and then every document holds every edit that
 * anyone had; with the clients gone too, only the commit window is missing. Decision: docs/decisions/0091-commit-window.md
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { tellCount } from '../support/counts.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import type { RawClient } from '../support/room-client.ts';
import { createEntry } from '../support/room-entry.ts';
import { writeDesired } from './world.ts';

const long = process.env['SVC_TEST_LONG'] === '1';
const kills = long ? 100 : 3;
const writers = long ? 200 : 20;
/** A writer writes every so many turns of 20 ms. */
const turns = long ? 10 : 1;
const rooms = 4;
/** Accounts of the writers: one person alone would wait for tickets, since everybody gets so many a second. */
const people = Array.from({ length: 10 }, (_, n) => `autora${n}`);
let dir: string;
let portal: RunningPortal;
const salas: string[] = [];

const entry = createEntry(() => portal);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  portal = await startPortal({ desired: await writeDesired(join(dir, 'desired'), { apps: ['caderno'], people }) });
  const [owner = ''] = people;
  for (let n = 0; n < rooms; n += 1) {
    const id = await until('a room', async () => {
      const made = await entry.asPage(owner, 'POST', '/api/salas?app=caderno', { nome: `Sala ${n}` });
      return made.status === 201 ? (JSON.parse(made.body) as { id: string }).id : null;
    });
    const invited = await entry.asPage(owner, 'PUT', `/api/salas/${id}/grupos/editores?app=caderno`, { papel: 'editar' });
    if (invited.status >= 300) throw new Error(`the group could not be invited: ${invited.status} ${invited.body}`);
    salas.push(id);
  }
});
afterAll(async () => {
  await portal.stop();
  await rm(dir, { recursive: true, force: true });
});

/** Takes a new ticket and comes in; tried again until the portal is there. */
async function come(sala: string, doc: Y.Doc, who = 0): Promise<RawClient> {
  const endMs = performance.now() + 120_000;
  for (;;) {
    try {
      return await entry.come(people[who % people.length]!, sala, doc);
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await sleep(50);
    }
  }
}

interface Editor {
  readonly name: string;
  readonly who: number;
  readonly sala: string;
  readonly doc: Y.Doc;
  client: RawClient;
  /** When each edit was made, by its mark. */
  readonly edits: Map<string, number>;
}

async function newEditor(name: string, n: number): Promise<Editor> {
  const doc = new Y.Doc();
  const sala = salas[n % rooms]!;
  return { name, who: n, sala, doc, client: await come(sala, doc, n), edits: new Map() };
}

/** Everybody writes for a while; the portal is killed in the middle of it. Answers the moment of the kill. */
async function killedWhileWriting(editors: readonly Editor[], forMs: number): Promise<number> {
  let turn = 0;
  const writing = setInterval(() => {
    turn += 1;
    for (const [n, editor] of editors.entries()) {
      // This process is all the clients: each has to read what fifty others write.
      if (n % turns !== turn % turns) continue;
      const mark = `${editor.name}.${editor.edits.size}`;
      editor.doc.getMap('edits').set(mark, true);
      editor.doc.getText('text').insert(0, 'x');
      editor.edits.set(mark, performance.now());
    }
  }, 20);
  await sleep(forMs);
  const killedAtMs = performance.now();
  await portal.kill();
  clearInterval(writing);
  return killedAtMs;
}

const marksIn = (doc: Y.Doc): ReadonlySet<string> => new Set(doc.getMap('edits').keys());

test('after every kill, every document holds every edit that any client had', async () => {
  const editors = await Promise.all(Array.from({ length: writers }, (_, n) => newEditor(`p${n}`, n)));
  for (let kill = 0; kill < kills; kill += 1) {
    await killedWhileWriting(editors, 200 + (kill % 7) * 90);
    await portal.again();
    await Promise.all(
      editors.map(async (editor) => {
        await editor.client.closed;
        editor.client = await come(editor.sala, editor.doc, editor.who);
      }),
    );
    for (const sala of salas) {
      const own = editors.filter((editor) => editor.sala === sala);
      const all = own.flatMap(({ edits }) => [...edits.keys()]);
      await until(
        `all edits of kill ${kill} in all documents`,
        () => own.every(({ doc }) => doc.getMap('edits').size === all.length),
        60_000,
      );
      const reader = await come(sala, new Y.Doc());
      const missing = (): number => {
        const there = marksIn(reader.doc);
        return all.filter((mark) => !there.has(mark)).length;
      };
      await until('a fresh reader has all', () => missing() === 0, 30_000);
      expect(reader.doc.getText('text').length).toBe(all.length);
      reader.end();
    }
  }
  const edits = editors.reduce((sum, one) => sum + one.edits.size, 0);
  tellCount(`rooms: ${kills} kills of the portal under ${writers} writing clients, ${edits} edits, 0 lost`);
  for (const { client } of editors) client.end();
}, 7_200_000);

test('with all clients gone too, only the last moment is missing, and never from the middle', async () => {
  let worstMs = 0;
  let written = 0;
  for (let kill = 0; kill < (long ? 20 : 1); kill += 1) {
    const editors = await Promise.all(Array.from({ length: 12 }, (_, n) => newEditor(`k${kill}p${n}`, n)));
    const killedAtMs = await killedWhileWriting(editors, 700);
    for (const { client } of editors) client.end();
    await portal.again();
    for (const sala of salas) {
      const reader = await come(sala, new Y.Doc());
      const there = marksIn(reader.doc);
      for (const { edits } of editors.filter((editor) => editor.sala === sala)) {
        const made = [...edits];
        written += made.length;
        const kept = made.filter(([mark]) => there.has(mark)).length;
        // Each writer's first edits are there, and the last ones missing: nothing in between.
        expect(made.slice(0, kept).every(([mark]) => there.has(mark))).toBe(true);
        const oldest = made[kept]?.[1];
        if (oldest !== undefined) worstMs = Math.max(worstMs, killedAtMs - oldest);
      }
      reader.end();
    }
  }
  tellCount(`rooms: portal and all clients killed: ${written} edits, the oldest missing one was ${worstMs.toFixed(0)} ms old`);
  // The window is 50 ms; what a busy machine adds before the portal has read an edit is not the portal's.
  expect(worstMs).toBeLessThan(500);
}, 3_600_000);
