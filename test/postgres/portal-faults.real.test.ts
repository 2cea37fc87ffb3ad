/**
 * Three portals behind nginx on one real PostgreSQL, under people who write and apps in use: round after round one portal is killed, stands still or is
 * cut off from the database, or the database itself is started anew. Nothing that anybody wrote is missing, no app is started twice, nobody is
 * signed out. `npm run test:long` has the full counts (issue 17).
 */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { randomOf } from '../../schema/crdt/testing/random-edits.ts';
import type { PostgresPlace } from '../../store/postgres.ts';
import { backendPids, view, writeDesired } from '../integration/world.ts';
import { amount } from '../support/amount.ts';
import { tellCount } from '../support/counts.ts';
import { openCutLine, type CutLine } from '../support/cut-line.ts';
import { beginPortalsNginx } from '../support/nginx-portals.ts';
import { emptyServer, freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { RawClient } from '../support/room-client.ts';
import { createEntry } from '../support/room-entry.ts';
import { shareSeed } from '../support/share.ts';

const rounds = amount(4, 100);
const writers = amount(16, 200);
const roomCount = amount(4, 50);
const appUsers = amount(3, 20);
const faultMs = amount(5_000, 10_000);
const people = Array.from({ length: Math.max(appUsers, 10) }, (_, n) => `autora${n}`);

let folder: string;
let database: TestPostgres;
let place: PostgresPlace;
let lines: CutLine[];
let portals: RunningPortal[];
let endNginx: () => Promise<void>;
let front: { readonly port: number };
const salas: string[] = [];
/** `FC_SEED` repeats the choices. */
const random = randomOf(shareSeed);

const entry = createEntry(() => ({ port: front.port, admin: async (...asked) => await anyOf((portal) => portal.admin(...asked)) }));

/** Of the portals that answer. */
async function anyOf<Result>(ask: (portal: RunningPortal) => Promise<Result>): Promise<Result> {
  const failed: unknown[] = [];
  for (const portal of portals) {
    try {
      return await Promise.race([ask(portal), sleep(3_000).then(() => Promise.reject(new Error('no answer')))]);
    } catch (error) {
      failed.push(error);
    }
  }
  throw failed[0];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcf-'));
  database = await startPostgres();
  place = await database.database();
  front = { port: await freePort() };
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'portal-key'), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const common = await writeDesired(join(folder, 'desired'), { apps: ['caderno', 'notas'], people });
  lines = await Promise.all([0, 1, 2].map(() => openCutLine(Number(place.port))));
  portals = [];
  for (const [which, line] of lines.entries())
    portals.push(
      await startPortal({ desired: await desiredOf(common, which, line.port), args: ['--join', `127.0.0.1:${await freePort()}`] }),
    );
  endNginx = await beginPortalsNginx(
    join(folder, 'nginx'),
    front.port,
    portals.map(({ port }) => port),
  );
  for (let n = 0; n < roomCount; n += 1) salas.push(await newRoom(n));
  for (const person of people.slice(0, appUsers)) {
    await until(
      `notas of ${person}`,
      async () => (await anyOf((portal) => portal.admin('POST', `/api/admin/backends/${person}/notas/start`))).status < 300,
    );
    await until(
      `${person}/notas to run`,
      async () => (await anyOf((portal) => view(portal, `Backend/${person}/notas`)))?.state === 'running',
      60_000,
    );
  }
}, 300_000);
afterAll(async () => {
  await endNginx?.();
  for (const portal of portals ?? []) await portal.stop();
  for (const line of lines ?? []) await line.close();
  await database?.remove();
  if (folder !== undefined) {
    await emptyServer(folder);
    await rm(folder, { recursive: true, force: true });
  }
});

/** The same documents, but for the line to the database, which is this portal's alone. */
async function desiredOf(common: string, which: number, port: number): Promise<string> {
  const own = join(folder, `desired${which}`);
  await cp(common, own, { recursive: true });
  const text = await readFile(join(own, 'casa.yaml'), 'utf8');
  const store = `postgres://svc@127.0.0.1:${port}/${String(place.database)}`;
  const spec = JSON.stringify({
    url: `http://svc.localhost:${front.port}`,
    store,
    storePassword: { file: join(folder, 'password') },
    portalKey: { file: join(folder, 'portal-key') },
  });
  await writeFile(
    join(own, 'casa.yaml'),
    text
      .replace(/spec: \{ repository:/, `spec: { ${spec.slice(1, -1)}, repository:`)
      .replace('prefix: "."', `prefix: ${JSON.stringify(join(folder, 'casa'))}`),
  );
  return own;
}

async function newRoom(n: number): Promise<string> {
  const [owner = ''] = people;
  const id = await until('a room', async () => {
    const made = await entry.asPage(owner, 'POST', '/api/salas?app=caderno', { nome: `Sala ${n}` }).catch(() => null);
    return made?.status === 201 ? (JSON.parse(made.body) as { id: string }).id : null;
  });
  const invited = await entry.asPage(owner, 'PUT', `/api/salas/${id}/grupos/editores?app=caderno`, { papel: 'editar' });
  if (invited.status >= 300) throw new Error(`the group could not be invited: ${invited.status} ${invited.body}`);
  return id;
}

interface Editor {
  readonly name: string;
  readonly who: string;
  readonly sala: string;
  readonly doc: Y.Doc;
  readonly edits: Set<string>;
  client: RawClient | null;
}

/** Comes again whenever it was sent away, as the machine of a page does. */
async function live(editor: Editor, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const client = await entry.come(editor.who, editor.sala, editor.doc).catch(() => null);
    editor.client = client;
    if (client === null) await sleep(100);
    else await Promise.race([client.closed, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))]);
  }
  editor.client?.end();
}

function write(editor: Editor): void {
  const mark = `${editor.name}.${editor.edits.size}`;
  editor.doc.getMap('edits').set(mark, true);
  editor.edits.add(mark);
}

type Fault = (which: number) => Promise<void>;
const faults: Readonly<Record<string, Fault>> = {
  killed: async (which) => {
    await portals[which]!.kill();
    await portals[which]!.again();
  },
  paused: async (which) => {
    portals[which]!.child.kill('SIGSTOP');
    await sleep(faultMs);
    portals[which]!.child.kill('SIGCONT');
  },
  'cut off': async (which) => {
    lines[which]!.silence(true);
    await sleep(faultMs);
    lines[which]!.silence(false);
  },
  'database restarted': async () => {
    await database.stop('immediate');
    await database.start();
  },
};

test('whatever falls, nothing that was written is missing, no app is started twice and nobody is signed out', async () => {
  const stop = new AbortController();
  const editors: Editor[] = Array.from({ length: writers }, (_, n) => ({
    name: `e${n}`,
    who: people[n % people.length]!,
    sala: salas[n % roomCount]!,
    doc: new Y.Doc(),
    edits: new Set(),
    client: null,
  }));
  const living = editors.map((editor) => live(editor, stop.signal));
  const pids = backendPids(folder, 'notas').toSorted((a, b) => a - b);
  expect(pids).toHaveLength(appUsers);
  const takeovers: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const name = Object.keys(faults)[round % Object.keys(faults).length]!;
    const which = random(3);
    const watch = await watchLeases();
    const writing = setInterval(() => editors.forEach(write), 100);
    await sleep(300);
    watch.from();
    await faults[name]!(which);
    await sleep(300);
    clearInterval(writing);
    takeovers.push(...(await watch.end()));
    for (const sala of salas) {
      const own = editors.filter((editor) => editor.sala === sala);
      const all = own.flatMap(({ edits }) => Array.from(edits));
      await until(
        `all edits of round ${round} (${name} ${which}) in all documents`,
        () => own.every(({ doc }) => doc.getMap('edits').size === all.length),
        90_000,
      );
    }
    expect(backendPids(folder, 'notas').toSorted((a, b) => a - b)).toEqual(pids);
    for (const person of people)
      expect([round, name, (await entry.asPage(person, 'GET', '/api/sessao')).status]).toEqual([round, name, 200]);
  }
  stop.abort();
  await Promise.all(living);
  const readers = await Promise.all(salas.map((sala) => entry.come(people[0]!, sala, new Y.Doc())));
  for (const [n, reader] of readers.entries()) {
    const all = editors.filter(({ sala }) => sala === salas[n]).flatMap(({ edits }) => Array.from(edits));
    await until('a fresh reader to have all', () => reader.doc.getMap('edits').size === all.length, 30_000);
    reader.end();
  }
  const edits = editors.reduce((sum, one) => sum + one.edits.size, 0);
  const sorted = takeovers.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  tellCount(
    `portals (seed ${shareSeed}): ${rounds} rounds of faults under ${writers} writing clients in ${roomCount} rooms, ${edits} edits, 0 lost; ${appUsers} apps, 0 started twice; ` +
      `${sorted.length} takeovers, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  );
}, 7_200_000);

/** How long nobody led: from the fault to another number of the lease. */
async function watchLeases(): Promise<{ from(): void; end(): Promise<readonly number[]> }> {
  const seen: number[] = [];
  let fromMs = 0;
  let number: number | null = null;
  const over = new AbortController();
  const { name: _, ...connection } = place;
  const look = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const client = new Client(connection);
      client.on('error', () => undefined);
      try {
        await client.connect();
        while (!over.signal.aborted) {
          const { rows } = await client.query<{ readonly number: string }>(`SELECT number FROM leases WHERE name = 'leader'`);
          const now = Number(rows[0]?.number ?? 0);
          if (number !== null && now !== number && fromMs > 0) seen.push(Math.round(performance.now() - fromMs));
          number = now;
          await sleep(20);
        }
      } catch {
        await sleep(50);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };
  const looking = look();
  await until('the lease to be seen', () => number !== null);
  return {
    from: () => {
      fromMs = performance.now();
    },
    end: async () => {
      over.abort();
      await looking;
      return seen;
    },
  };
}
