/** Whole documents: 250 open rooms of 100 KB, 100,000 edits and who joins then, 500 people who come at once. */
import * as Y from 'yjs';
import type { Access } from './rooms-access.ts';
import { answered, askAll, endProblems, roleProblems, textProblems } from './rooms-checks.ts';
import { createCompany, type Company } from './rooms-company.ts';
import { after, openWindow, percentile, untilQuiet, type LoadResult, type ScenarioInput } from './rooms-measure.ts';
import { leaveAll, openMember, type Door, type Member, type MemberOptions } from './rooms-member.ts';
import { packFrames } from './rooms-socket.ts';
import { typeTrace } from './rooms-trace.ts';
import { syncMessage, syncUpdate, type DialectName } from './rooms-wire.ts';

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
 * Opens 250 rooms with one person in each and a document of 100 KB, says so in a line, and waits for a line before everybody leaves:
 * whoever started this reads the memory in between.
 */
export async function memory({ access, dialect, seconds, turn }: ScenarioInput): Promise<LoadResult> {
  const rooms = seconds < 3 ? 100 : 250;
  const trace = hundredKb();
  const own = ownCopy(trace.state);
  const problems: string[] = [];
  // The first rooms only warm the code up; they are small, so that they leave no memory behind that the others would use again.
  const small = ownCopy(typeTrace({ editsMax: 500 }).state);
  for (let n = 0; n < 20; n += 1) await leaveAll([await bring(access, dialect, access.room(rooms + n), small)]);
  await turn('warm');
  const members: Member[] = [];
  const companies = Array.from({ length: rooms }, (_, n) => createCompany({ dialect, room: access.room(n), usuarioOf: access.usuarioOf }));
  for (const [n, company] of companies.entries()) members.push(await bring(access, dialect, access.room(n), own, company.hearing(0)));
  await turn('loaded');
  problems.push(...textProblems(await askAll(members), trace.text, 'who brought the document, by room'));
  problems.push(...(await visitAll({ access, dialect, companies, members, text: trace.text })));
  await leaveAll(members);
  return { figures: { rooms }, problems };
}

interface Visits {
  readonly access: Access;
  readonly dialect: DialectName;
  readonly companies: readonly Company[];
  readonly members: readonly Member[];
  readonly text: string;
}

/** A second person comes into every room while the first is there: it gets the text, and both see each other. In the first room a viewer too. */
async function visitAll({ access, dialect, companies, members, text }: Visits): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [n, company] of companies.entries()) {
    const room = access.room(n);
    members[n]!.socket.write(company.move(0));
    const door = await access.door(room, 1);
    const state = Promise.withResolvers<readonly Uint8Array[]>();
    const visitor = openMember({ dialect, room, door, onState: state.resolve, ...company.joining(1) });
    await visitor.synced;
    const inRoom = new Map([members[n]!, visitor].entries());
    const lacks = [...textProblems([await state.promise], text, `a visitor of room ${n}`), ...roleProblems([door])];
    problems.push(...lacks, ...(await company.unseen([0, 1], `room ${n} with a visitor`)));
    if (n === 0) problems.push(...(await endProblems({ access, dialect, room, company, members: inRoom, text })));
    await leaveAll([visitor]);
    problems.push(...(await company.unseen([0], `room ${n} after the visitor`)));
    if (problems.length > 2) return problems;
  }
  return problems;
}

/** Opens a room with the document in hand; resolves when the server has it. */
async function bring(
  access: Access,
  dialect: DialectName,
  room: string,
  own: ReturnType<typeof ownCopy>,
  more: Pick<MemberOptions, 'onPresence'> = {},
): Promise<Member> {
  const member = openMember({
    dialect,
    room,
    door: await access.door(room, 0),
    own: { vector: own.vector, answer: own.state },
    ...more,
  });
  await member.synced;
  await member.ask(own.vector);
  return member;
}

/** Measures one person's 100,000 edits as fast as the server reads, its CPU until it rests, then 15 that join one after the other. */
export async function edits({ access, dialect, pid, work, seconds, turn }: ScenarioInput): Promise<LoadResult> {
  const trace = typeTrace({ editsMax: seconds < 3 ? 20_000 : 100_000 });
  const room = access.room(0);
  const company = createCompany({ dialect, room, usuarioOf: access.usuarioOf });
  const doors = [await access.door(room, 0)];
  const writer = openMember({ dialect, room, door: doors[0]!, ...company.hearing(0) });
  await writer.synced;
  const frames = packFrames(trace.updates.map((update) => syncMessage(writer.prefix, syncUpdate, update)));
  const { vector } = ownCopy(trace.state);
  await turn('edits');
  const startMs = performance.now();
  const window = openWindow(work);
  writer.socket.write(frames.bytes);
  await writer.ask(vector);
  const takenInMs = performance.now() - startMs;
  const { loadCpu } = window();
  await untilQuiet(pid, 15_000);
  const { serverCpuSeconds } = window();
  const problems: string[] = [];
  const joins: number[] = [];
  const states: (readonly Uint8Array[])[] = [];
  await turn('joins');
  writer.socket.write(company.move(0));
  for (let n = 0; n < 15; n += 1) {
    const door = await access.door(room, n + 1);
    doors.push(door);
    let state: readonly Uint8Array[] = [];
    const joinMs = performance.now();
    const member = openMember({ dialect, room, door, onState: (updates) => (state = updates), ...company.hearing(n + 1) });
    await member.synced;
    joins.push(performance.now() - joinMs);
    states.push(state);
    member.socket.write(company.move(n + 1));
    problems.push(...(await company.unseen([0, n + 1], `join ${n}`)));
    await leaveAll([member]);
  }
  problems.push(...roleProblems(doors), ...textProblems(states, trace.text, 'on joining'));
  problems.push(...(await endProblems({ access, dialect, room, company, members: new Map([[0, writer]]), text: trace.text })));
  await leaveAll([writer]);
  return {
    figures: {
      takenInMs,
      cpuSeconds: serverCpuSeconds,
      joinMedianMs: percentile(joins, 0.5),
      joinSlowestMs: percentile(joins, 1),
      joinBytes: states.at(-1)!.reduce((sum, { length }) => sum + length, 0),
      load: loadCpu,
    },
    problems,
  };
}

/** Everybody's number in the company: some persons stand behind them, in turn. */
const holderNumber = 50_000;
const stormNumbers = 1_000;

interface StormInput extends ScenarioInput {
  readonly room: string;
  /** Company of all storms: one person stays from the first to the last. */
  readonly company: Company;
  readonly holder: Member;
  /** Number of this storm: client ids are drawn once. */
  readonly nth: number;
  readonly people: number;
  readonly own: ReturnType<typeof ownCopy>;
  readonly text: string;
  readonly resumed: boolean;
  readonly ticketsInside: boolean;
  readonly problems: string[];
}

/** Everybody at once; ms until the last one is synced, and the load's share of a CPU in that time. */
async function storm(input: StormInput): Promise<{ ms: number; load: number; cpu: number }> {
  const { access, dialect, pid, work, room, people, own, resumed, company, holder } = input;
  const numbers = Array.from({ length: people }, (_, index) => input.nth * stormNumbers + index);
  const clients = numbers.map((number) => company.joining(number));
  await input.turn('storm');
  const doors: Door[] = [];
  for (let index = 0; index < people && !input.ticketsInside; index += 1) doors.push(await access.door(room, index));
  const states = Array.from<readonly Uint8Array[] | undefined>({ length: people });
  // The peers forget who says nothing for half a minute.
  holder.socket.write(company.move(holderNumber));
  await answered(holder, own.vector);
  const startMs = performance.now();
  const window = openWindow(work);
  const members = await Promise.all(
    clients.map(async (joining, index) => {
      doors[index] ??= await access.door(room, index);
      const member = openMember({
        dialect,
        room,
        door: doors[index],
        onState: (updates) => (states[index] = updates),
        ...joining,
        ...(resumed ? { own: { vector: own.vector, answer: own.nothingNew } } : {}),
      });
      await member.synced;
      return member;
    }),
  );
  const ms = performance.now() - startMs;
  const { loadCpu, serverCpuSeconds } = window();
  input.problems.push(...(await stormProblems(input, numbers, members, states)), ...roleProblems(doors));
  await untilQuiet(pid, 10_000);
  await leaveAll(members);
  await untilQuiet(pid, 10_000);
  input.problems.push(...(await company.unseen([holderNumber], 'when the storm had left')));
  company.forget(numbers);
  return { ms, load: loadCpu, cpu: serverCpuSeconds };
}

/** Everybody sees everybody after the storm, and sees a tenth of them move; everybody has the text, and nobody what a viewer writes. */
async function stormProblems(
  { access, dialect, room, company, holder, own, resumed, text, people }: StormInput,
  numbers: readonly number[],
  members: readonly Member[],
  states: readonly (readonly Uint8Array[] | undefined)[],
): Promise<readonly string[]> {
  const when = `${people} at once ${resumed ? 'with the document' : 'with nothing'}`;
  const seen = await company.unseen([holderNumber, ...numbers], when);
  const held = resumed ? states.map((state) => state && [own.state, ...state]) : states;
  const inRoom = new Map([[holderNumber, holder], ...numbers.map((number, n) => [number, members[n]!] as const)]);
  const movers = numbers.filter((_, n) => n % 10 === 0);
  const ended = seen.length > 0 ? [] : await endProblems({ access, dialect, room, company, members: inRoom, text, movers });
  return [...seen, ...textProblems(held, text, when), ...ended];
}

/** 500 people come into one room at once: with nothing, then with the document in hand; ours also with the tickets taken inside the time. */
export async function storms(input: ScenarioInput): Promise<LoadResult> {
  const { access, dialect } = input;
  const trace = hundredKb();
  const own = ownCopy(trace.state);
  const room = access.room(0);
  const company = createCompany({ dialect, room, usuarioOf: access.usuarioOf });
  const holder = await bring(access, dialect, room, own, company.hearing(holderNumber));
  await after(500);
  const problems: string[] = [];
  const people = input.seconds < 3 ? 100 : 500;
  let nth = 0;
  const one = (resumed: boolean, ticketsInside: boolean, count = people): ReturnType<typeof storm> =>
    storm({ ...input, room, company, holder, nth: (nth += 1), people: count, own, text: trace.text, resumed, ticketsInside, problems });
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
