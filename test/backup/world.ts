/** A portal whose people write all the time, the record of each confirmed edit, and the edits that a restored portal has. */
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as Y from 'yjs';
import type { Made } from '../../bin/backup/make.ts';
import { writeDesired } from '../integration/world.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import type { RawClient } from '../support/room-client.ts';
import { createEntry, type RoomEntry } from '../support/room-entry.ts';

const run = promisify(execFile);

/** The real command, as an administrator types it. */
export async function svc(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(join(repository, 'bin/svc'), args, { maxBuffer: 64 * 1_024 * 1_024 });
  return stdout;
}

export async function backUp(world: Pick<World, 'portal' | 'dest'>, ...more: readonly string[]): Promise<Made> {
  const text = await svc('backup', world.dest, '--state', world.portal.state, '-o', 'json', ...more);
  return (JSON.parse(text) as { readonly backup: Made }).backup;
}

export interface World {
  readonly dir: string;
  readonly dest: string;
  readonly portal: RunningPortal;
  readonly entry: RoomEntry;
  readonly people: readonly string[];
  end(): Promise<void>;
}

export async function startWorld(name: string, count: number): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), `svc-${name}-`));
  const people = Array.from({ length: count }, (_, n) => `autora${n}`);
  const portal = await startPortal({ desired: await writeDesired(join(dir, 'desired'), { apps: ['caderno'], people }) });
  const entry = createEntry(() => portal);
  for (const person of people) await until('a first room', () => createRoom(entry, person, 'primeira').catch(() => null));
  return {
    dir,
    dest: join(dir, 'dest'),
    portal,
    entry,
    people,
    end: async () => {
      await portal.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Attached {
  readonly sala: string;
  readonly person: string;
  readonly sha: string;
  readonly toldAtMs: number;
}

export interface Writer {
  readonly person: string;
  readonly sala: string;
  readonly doc: Y.Doc;
  /** When each edit was made. */
  readonly edits: Map<string, number>;
}

export interface Writing {
  readonly writers: readonly Writer[];
  readonly rooms: readonly { readonly id: string; readonly person: string; readonly toldAtMs: number }[];
  readonly attached: readonly Attached[];
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

export async function createRoom(entry: RoomEntry, person: string, nome: string): Promise<string> {
  const made = await entry.asPage(person, 'POST', '/api/salas?app=caderno', { nome });
  if (made.status !== 201) throw new Error(`no room for ${person}: ${made.status} ${made.body}`);
  return (JSON.parse(made.body) as { readonly id: string }).id;
}

/** Each person writes into a room of their own each 40 ms, and one after the other attaches something and makes a room, a few times a second. */
export async function startWriting({ entry, people }: World): Promise<Writing> {
  const rooms: { id: string; person: string; toldAtMs: number }[] = [];
  const attached: Attached[] = [];
  const failures: string[] = [];
  const clients: RawClient[] = [];
  const writers: Writer[] = [];
  for (const person of people) {
    const sala = await createRoom(entry, person, `de ${person}`);
    rooms.push({ id: sala, person, toldAtMs: Date.now() });
    const doc = new Y.Doc();
    clients.push(await entry.come(person, sala, doc));
    writers.push({ person, sala, doc, edits: new Map() });
  }
  const typing = setInterval(() => {
    for (const { doc, edits } of writers) {
      const mark = `m${edits.size}`;
      doc.getMap('edits').set(mark, true);
      edits.set(mark, Date.now());
    }
  }, 40);
  const ended = new AbortController();
  const attaching = (async () => {
    for (let n = 0; !ended.signal.aborted; n += 1) {
      const { person, sala } = writers[n % writers.length]!;
      const text = JSON.stringify({ n, filler: 'x'.repeat((n % 50) * 1_000) });
      const put = await entry.asPage(person, 'PUT', `/api/salas/${sala}/anexos?app=caderno`, JSON.parse(text)).catch(String);
      if (typeof put === 'string' || put.status >= 300) failures.push(`attach: ${JSON.stringify(put)}`);
      else attached.push({ sala, person, sha: createHash('sha256').update(text).digest('hex'), toldAtMs: Date.now() });
      if (n % 5 === 0) {
        const id = await createRoom(entry, person, `sala ${n}`).catch((error: unknown) => void failures.push(String(error)));
        if (id !== undefined) rooms.push({ id, person, toldAtMs: Date.now() });
      }
      await sleep(60);
    }
  })();
  return {
    writers,
    rooms,
    attached,
    failures,
    stop: async () => {
      clearInterval(typing);
      ended.abort();
      await attaching;
      for (const client of clients) client.end();
    },
  };
}

/**
 * The relay's commit delay, and the time that a busy machine adds before the portal has read an edit. As
 * test/integration/room-kill.real.test.ts.
 */
export const commitMsMax = 500;

export interface Found {
  readonly missing: readonly string[];
  readonly edits: number;
  readonly rooms: number;
  readonly attached: number;
  /** Age of the oldest missing edit at the moment of the backup. */
  readonly oldestMissingMs: number;
}

/** Looks for edits that were confirmed before the moment and are missing in the restored portal. */
export async function lookFor({ writers, rooms, attached }: Writing, atMs: number, restored: RunningPortal): Promise<Found> {
  const entry = createEntry(() => restored);
  const missing: string[] = [];
  const before = <Each extends { readonly toldAtMs: number }>(all: readonly Each[]) => all.filter(({ toldAtMs }) => toldAtMs < atMs);
  for (const { id, person } of before(rooms))
    if ((await entry.asPage(person, 'GET', `/api/salas/${id}?app=caderno`)).status !== 200) missing.push(`room ${id}`);
  for (const { sala, person, sha } of before(attached)) {
    const got = await entry.asPage(person, 'GET', `/api/salas/${sala}/anexos/${sha}?app=caderno`);
    if (got.status !== 200 || createHash('sha256').update(got.body).digest('hex') !== sha) missing.push(`attachment ${sala}/${sha}`);
  }
  let [edits, oldestMissingMs] = [0, 0];
  for (const { person, sala, edits: made } of writers) {
    const doc = new Y.Doc();
    const client = await entry.come(person, sala, doc);
    const there = new Set(doc.getMap('edits').keys());
    client.end();
    const due = [...made].filter(([, madeAtMs]) => madeAtMs < atMs);
    edits += due.length;
    const kept = due.filter(([mark]) => there.has(mark)).length;
    // The first ones are there, the last ones may be missing: nothing in between.
    if (!due.slice(0, kept).every(([mark]) => there.has(mark))) missing.push(`an edit in the middle of ${sala}`);
    oldestMissingMs = Math.max(oldestMissingMs, atMs - (due[kept]?.[1] ?? atMs));
  }
  if (oldestMissingMs > commitMsMax) missing.push(`an edit of ${oldestMissingMs} ms before the moment`);
  return { missing, edits, rooms: before(rooms).length, attached: before(attached).length, oldestMissingMs };
}
