/** Whole documents: 500 open rooms of 100 KB, 100,000 edits and who joins then, 500 people who come at once. */
import { once } from 'node:events';
import * as Y from 'yjs';
import type { Access } from './rooms-access.ts';
import type { ScenarioInput } from './rooms-fanout.ts';
import { after, openWindow, percentile, untilQuiet, type LoadResult } from './rooms-measure.ts';
import { leaveAll, openMember, type Door, type Member } from './rooms-member.ts';
import { frameOf, packFrames } from './rooms-socket.ts';
import { textOf, typeTrace } from './rooms-trace.ts';
import { awarenessMessage, dialects, syncMessage, syncUpdate, type DialectName } from './rooms-wire.ts';

const fresh = new Uint8Array([0]);

/** A document as a client holds it that has it on its own disk. */
function ownCopy(state: Uint8Array): { vector: Uint8Array; state: Uint8Array; nothingNew: Uint8Array } {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const vector = Y.encodeStateVector(doc);
  const nothingNew = Y.encodeStateAsUpdate(doc, vector);
  doc.destroy();
  return { vector, state, nothingNew };
}

const hundredKb = (): ReturnType<typeof typeTrace> => typeTrace({ editsMax: 200_000, bytesMin: 102_400 });

/**
 * Opens 500 rooms with one person in each and a document of 100 KB, says so in a line, and waits for a line before everybody leaves:
 * whoever started this reads the memory in between.
 */
export async function memory({ access, dialect, seconds }: ScenarioInput): Promise<LoadResult> {
  const rooms = seconds < 3 ? 100 : 500;
  const trace = hundredKb();
  const own = ownCopy(trace.state);
  const problems: string[] = [];
  // The first rooms only warm the code up; they are small, so that they leave no memory behind that the others would use again.
  const small = ownCopy(typeTrace({ editsMax: 500 }).state);
  for (let n = 0; n < 20; n += 1) await leaveAll([await bring(access, dialect, access.room(500 + n), small)]);
  console.log('warm');
  await once(process.stdin, 'data');
  const members: Member[] = [];
  for (let n = 0; n < rooms; n += 1) members.push(await bring(access, dialect, access.room(n), own));
  console.log('loaded');
  await once(process.stdin, 'data');
  for (let n = 0; n < rooms; n += 100) {
    if (textOf(await members[n]!.ask(fresh)) !== trace.text) problems.push(`room ${n} does not hold the document`);
  }
  await leaveAll(members);
  process.stdin.destroy();
  return { figures: { rooms }, problems };
}

/** Opens a room with the document in hand; resolves when the server has it. */
async function bring(access: Access, dialect: DialectName, room: string, own: ReturnType<typeof ownCopy>): Promise<Member> {
  const member = openMember({
    dialect,
    room,
    door: await access.door(room, 0),
    own: { vector: own.vector, answer: own.state },
  });
  await member.synced;
  await member.ask(own.vector);
  return member;
}

/** One person's 100,000 edits as fast as the server reads, its CPU until it rests, then 15 that join one after the other. */
export async function edits({ access, dialect, pid, seconds }: ScenarioInput): Promise<LoadResult> {
  const trace = typeTrace({ editsMax: seconds < 3 ? 20_000 : 100_000 });
  const room = access.room(0);
  const writer = openMember({ dialect, room, door: await access.door(room, 0) });
  await writer.synced;
  const frames = packFrames(trace.updates.map((update) => syncMessage(writer.prefix, syncUpdate, update)));
  const { vector } = ownCopy(trace.state);
  const startMs = performance.now();
  const window = openWindow(pid);
  writer.socket.write(frames.bytes);
  await writer.ask(vector);
  const takenInMs = performance.now() - startMs;
  const { loadCpu } = window();
  await untilQuiet(pid, 15_000);
  const { serverCpuSeconds } = window();
  const problems: string[] = [];
  const joins: number[] = [];
  let checked: readonly Uint8Array[] = [];
  for (let n = 0; n < 15; n += 1) {
    const door = await access.door(room, n + 1);
    let state: readonly Uint8Array[] = [];
    const joinMs = performance.now();
    const member = openMember({ dialect, room, door, onState: (updates) => (state = updates) });
    await member.synced;
    joins.push(performance.now() - joinMs);
    if (!sameBytes(state, checked)) {
      if (textOf(state) !== trace.text) problems.push(`join ${n} got another document than was typed`);
      checked = state;
    }
    await leaveAll([member]);
  }
  await leaveAll([writer]);
  return {
    figures: {
      takenInMs,
      cpuSeconds: serverCpuSeconds,
      joinMedianMs: percentile(joins, 0.5),
      joinSlowestMs: percentile(joins, 1),
      joinBytes: checked.reduce((sum, { length }) => sum + length, 0),
      load: loadCpu,
    },
    problems,
  };
}

const sameBytes = (some: readonly Uint8Array[], others: readonly Uint8Array[]): boolean =>
  some.length === others.length && some.every((bytes, n) => Buffer.compare(bytes, others[n]!) === 0);

interface StormInput extends ScenarioInput {
  readonly room: string;
  readonly people: number;
  readonly own: ReturnType<typeof ownCopy>;
  readonly text: string;
  readonly resumed: boolean;
  readonly ticketsInside: boolean;
  readonly problems: string[];
}

/** Everybody at once; ms until the last one is synced, and the load's share of a CPU in that time. */
async function storm(input: StormInput): Promise<{ ms: number; load: number; cpu: number }> {
  const { access, dialect, pid, room, people, own, resumed } = input;
  const prefix = dialects[dialect].prefix(room);
  const clients = Array.from({ length: people }, (_, index) =>
    frameOf(
      awarenessMessage(prefix, 3_100_000_000 + index + (resumed ? 10_000 : 0), 1, { user: { name: `Person ${index}`, color: '#30bced' } }),
    ),
  );
  const doors: (Door | null)[] = [];
  for (let index = 0; index < people; index += 1) doors.push(input.ticketsInside ? null : await access.door(room, index));
  const states: (readonly Uint8Array[])[] = [];
  const startMs = performance.now();
  const window = openWindow(pid);
  const members = await Promise.all(
    clients.map(async (frame, index) => {
      const member = openMember({
        dialect,
        room,
        door: doors[index] ?? (await access.door(room, index)),
        presence: frame,
        onState: (updates) => states.push(updates),
        ...(resumed ? { own: { vector: own.vector, answer: own.nothingNew } } : {}),
      });
      await member.synced;
      return member;
    }),
  );
  const ms = performance.now() - startMs;
  const { loadCpu, serverCpuSeconds } = window();
  const different = states.filter((state, n) => n === 0 || !sameBytes(state, states[0]!));
  for (const state of different.slice(0, 20)) {
    if (textOf(resumed ? [own.state, ...state] : state) !== input.text) input.problems.push('somebody in the storm got another document');
  }
  await untilQuiet(pid, 10_000);
  await leaveAll(members);
  await untilQuiet(pid, 10_000);
  return { ms, load: loadCpu, cpu: serverCpuSeconds };
}

/** 500 people come into one room at once: with nothing, then with the document in hand; ours also with the tickets taken inside the time. */
export async function storms(input: ScenarioInput): Promise<LoadResult> {
  const { access, dialect } = input;
  const trace = hundredKb();
  const own = ownCopy(trace.state);
  const room = access.room(0);
  const holder = await bring(access, dialect, room, own);
  await after(500);
  const problems: string[] = [];
  const people = input.seconds < 3 ? 100 : 500;
  const one = (resumed: boolean, ticketsInside: boolean, count = people): ReturnType<typeof storm> =>
    storm({ ...input, room, people: count, own, text: trace.text, resumed, ticketsInside, problems });
  await one(false, false, 20);
  await one(true, false, 20);
  const freshly = await one(false, false);
  const resumed = await one(true, false);
  const figures = {
    freshMs: freshly.ms,
    freshCpuSeconds: freshly.cpu,
    resumedMs: resumed.ms,
    resumedCpuSeconds: resumed.cpu,
    loadFresh: freshly.load,
    loadResumed: resumed.load,
  };
  const more = access.tickets
    ? { freshWithTicketsMs: (await one(false, true)).ms, resumedWithTicketsMs: (await one(true, true)).ms }
    : { freshWithTicketsMs: freshly.ms, resumedWithTicketsMs: resumed.ms };
  await leaveAll([holder]);
  return { figures: { ...figures, ...more }, problems };
}
