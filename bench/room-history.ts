/**
 * History of a room that 20 people wrote 100,000 edits in, over ten hours: what it takes on the disk beside a log that forgets, beside whole copies of the
 * document (as Nextcloud keeps versions of a text) and beside every update as it came (as y-leveldb does); and how long people wait for the list, a
 * version and its return. Each version is compared with the document of that time, and what came back with the version.
 * `node bench/room-history.ts [--short]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import * as Y from 'yjs';
import { portalEnv, portalFlags } from '../bin/up/portal-process.ts';
import { writeUpdateFrame, updateFrameBytes } from '../schema/room-frames.ts';
import type { LogRow, RoomLog } from '../store/room-log.ts';
import { openSqliteRoomLog } from '../store/sqlite-room-log.ts';
import { createRandom } from '../test/simulation/random.ts';
import { median, percentile, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const key = { sala: 's000000000000000000001', canal: 'documento' } as const;
const hoursMs = 10 * 60 * 60_000;
const editsOfRow = 4;
/** As the relay compacts. */
const rowsOfCompaction = 200;

interface Edit {
  readonly update: Uint8Array;
  readonly who: string;
}

/** People who take turns typing words, and taking a quarter of them back. */
function written(edits: number): { readonly all: readonly Edit[]; readonly textAfter: (edits: number) => string } {
  const { next } = createRandom(7);
  const below = (max: number): number => Math.floor(next() * max);
  const word = (): string => String.fromCharCode(...Array.from({ length: 2 + below(8) }, () => 97 + below(26)));
  const words = Array.from({ length: 4_000 }, word);
  const doc = new Y.Doc();
  const text = doc.getText('texto');
  const people = Array.from({ length: 20 }, (_, n) => ({ name: `pessoa${n}`, client: 1_000_000 + below(2 ** 30) }));
  const all: Edit[] = [];
  let who = '';
  doc.on('update', (update: Uint8Array) => all.push({ update, who }));
  while (all.length < edits) {
    const person = people[below(people.length)]!;
    [who, doc.clientID] = [person.name, person.client];
    let at = below(text.length + 1);
    if (next() < 0.25 && text.length > 200) {
      for (let n = below(12); n >= 0; n -= 1) text.delete(Math.min(Math.max(0, at - 1 - n), text.length - 1), 1);
      continue;
    }
    // Common words come more often.
    const typed = Array.from({ length: 1 + below(6) }, () => words[below(1 + below(words.length))]!).join(' ');
    for (const letter of `${typed} `) text.insert(at++, letter);
  }
  const kept = all.slice(0, edits);
  return { all: kept, textAfter: (count) => textOf(kept.slice(0, count).map(({ update }) => update)) };
}

function textOf(updates: readonly Uint8Array[]): string {
  const doc = new Y.Doc();
  doc.transact(() => {
    for (const update of updates) Y.applyUpdate(doc, update);
  });
  return JSON.stringify(doc.getText('texto'));
}

function rowsOf(edits: readonly Edit[], beginMs: number): readonly LogRow[] {
  const rows: LogRow[] = [];
  for (let at = 0; at < edits.length; at += editsOfRow) {
    const part = edits.slice(at, at + editsOfRow);
    const frames = new Uint8Array(part.reduce((sum, { update }) => sum + updateFrameBytes(update.length), 0));
    part.reduce((to, { update }) => writeUpdateFrame(frames, to, update), 0);
    const atMs = Math.round(beginMs + (hoursMs * at) / edits.length);
    rows.push({ ...key, seq: rows.length + 1, frames, atMs, who: [...new Set(part.map(({ who }) => who))] });
  }
  return rows;
}

/** Answers what the compactions took. */
async function fill(log: RoomLog, rows: readonly LogRow[], days: number): Promise<number> {
  let tookMs = 0;
  for (let at = 0; at < rows.length; at += rowsOfCompaction) {
    const part = rows.slice(at, at + rowsOfCompaction);
    await log.append(part);
    const from = performance.now();
    await log.compact(key, { days, nowMs: part.at(-1)!.atMs! });
    tookMs += performance.now() - from;
  }
  return tookMs;
}

async function timed(rounds: number, act: () => Promise<unknown>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const from = performance.now();
    await act();
    all.push(performance.now() - from);
  }
  return all;
}

interface Seen {
  readonly lists: readonly number[];
  readonly views: readonly number[];
  readonly returns: readonly number[];
  readonly copiesBytes: number;
  readonly versions: number;
}

async function look(log: RoomLog, textAfter: (edits: number) => string): Promise<Seen> {
  const lists = await timed(11, () => log.versions(key));
  const versions = await log.versions(key);
  // A person reads the list, which began the thread that builds versions.
  await sleep(500);
  const [views, returns]: [number[], number[]] = [[], []];
  let copiesBytes = 0;
  for (const { seq } of versions) {
    let said = new Uint8Array();
    views.push(...(await timed(1, async () => (said = new Uint8Array((await log.version(key, seq, 'yjs'))!)))));
    copiesBytes += deflateRawSync(said).length;
    const then = textAfter(seq * editsOfRow);
    if (textOf([said]) !== then) throw new Error(`version ${seq} is not what was written by then`);
    let back = new Uint8Array();
    returns.push(...(await timed(1, async () => (back = new Uint8Array((await log.revert(key, seq))!)))));
    const { base } = await log.load(key);
    if (textOf([base!, back]) !== then) throw new Error(`what came back is not version ${seq}`);
  }
  return { lists, views, returns, copiesBytes, versions: versions.length };
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const kb = (value: number): string => `${Math.round(value / 1_024).toLocaleString('en')} KB`;

async function measure(short: boolean): Promise<readonly Row[]> {
  const edits = short ? 10_000 : 100_000;
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-bench-history-'));
  const logs = await Promise.all(['kept', 'forgotten'].map((name) => openSqliteRoomLog(path.join(dir, name))));
  const [log, bare] = logs as [RoomLog, RoomLog];
  try {
    const { all, textAfter } = written(edits);
    const rows = rowsOf(all, Date.now() - hoursMs);
    sayStep(`room-history: ${edits} edits`);
    const [keptMs, bareMs] = [await fill(log, rows, 365), await fill(bare, rows, 0)];
    const [keptBytes, bareBytes] = [await log.sizeOf(key.sala), await bare.sizeOf(key.sala)];
    const rawBytes = rows.reduce((sum, { frames }) => sum + frames.length, 0);
    sayStep('room-history: each version');
    const { lists, views, returns, copiesBytes, versions } = await look(log, textAfter);
    const what = `${edits.toLocaleString('en')} edits of 20 people, ${versions} versions`;
    const historyBytes = keptBytes - bareBytes;
    const beside = (name: string, peer: number, peerName: string, most: number, ours = historyBytes): Row => ({
      name: `${name}, against ${peerName}`,
      ours: kb(ours),
      peer: kb(peer),
      ratio: `${(ours / peer).toFixed(2)}×`,
      target: `≤ ${most}×`,
      held: ours <= most * peer,
    });
    const within = (name: string, values: readonly number[], mostMs: number): Row => ({
      name,
      ours: percentilesOf(values, ms),
      peer: '–',
      ratio: '–',
      target: `slowest ≤ ${mostMs} ms`,
      held: percentile(values, 100) <= mostMs,
    });
    return [
      beside(`${what}: room with its history`, bareBytes, 'one that forgets', 1.3, keptBytes),
      beside('its history alone', copiesBytes, 'whole copies of the versions', 0.5),
      beside('its history alone', rawBytes, 'every update as it came', 0.5),
      {
        name: 'all compactions',
        ours: ms(keptMs),
        peer: `one that forgets ${ms(bareMs)}`,
        ratio: `${(keptMs / bareMs).toFixed(2)}×`,
        target: '≤ 1.5×',
        held: median([keptMs]) <= 1.5 * bareMs,
      },
      within('the list of versions', lists, 100),
      within('any version', views, 200),
      within('the edit that brings one back', returns, 400),
    ];
  } finally {
    await Promise.all(logs.map((one) => one.close()));
    await rm(dir, { recursive: true, force: true });
  }
}

/** The store alone is measured, in a process that is started as the portal's. */
export const roomHistoryArea: Area = async ({ short }) => {
  const child = fork(import.meta.filename, short ? ['--short'] : [], { execArgv: [...portalFlags], env: { ...process.env, ...portalEnv } });
  const [rows] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  if (!Array.isArray(rows)) throw new Error(`room-history: its process ended with ${String(rows)}`);
  return rows as Row[];
};

if (import.meta.main) {
  const short = process.argv.includes('--short');
  if (process.send) process.send(await measure(short), () => process.disconnect());
  else console.table(await roomHistoryArea({ short }));
}
