/**
 * The effect of readers that don't read and of a flood of presence on the others in a room. The same work twice, in two rooms of one
 * server: people who type, and one who pastes 64 KiB 16 times a second; the second time with the hostile guests.
 */
import * as encoding from 'lib0/encoding';
import { endProblems, roleProblems } from './rooms-checks.ts';
import { createCompany, firstOf } from './rooms-company.ts';
import { after, cameTrue, paced, percentile, rssKb, type LoadResult, type ScenarioInput } from './rooms-measure.ts';
import { leaveAll, openMember, type Door, type Member } from './rooms-member.ts';
import { frameOf } from './rooms-socket.ts';
import { textOf } from './rooms-trace.ts';
import { awarenessMessage, dialects, readInsertions, syncMessage, syncUpdate, typedUpdates } from './rooms-wire.ts';

const people = 50;
const typists = 10;
const typedPerSecond = 50;
const pasteBytes = 65_536;
const pastesPerSecond = 16;
const unread = 20;
const floods = 10_000;
/** Bytes that the kernel takes for a reader that doesn't read, and then the relay's budget for it. */
const droppedBytesMin = 12_000_000;

const typistBase = 3_000_000_000;
const paster = typistBase + typists;
const flooder = paster + 1;

interface Working {
  readonly p99Ms: number;
  readonly peakRssKb: number;
  readonly problems: readonly string[];
}

export async function unwantedGuests(input: ScenarioInput): Promise<LoadResult> {
  const room = (n: number): string => input.access.room(n);
  // The first times a server does anything it takes memory that it keeps: that is nobody's fault.
  for (const warm of [2, 3]) {
    await work({ ...input, seconds: input.seconds / 2 }, room(warm), async () => []);
    await after(2_000);
  }
  const alone = await work(input, room(0), async () => []);
  await after(2_000);
  const beside = await work(input, room(1), (pastedBytes) => guests(input, room(1), pastedBytes));
  return {
    figures: { p99Alone: alone.p99Ms, p99Beside: beside.p99Ms, rssAlone: alone.peakRssKb * 1_024, rssBeside: beside.peakRssKb * 1_024 },
    problems: [...alone.problems, ...beside.problems],
  };
}

/** `meanwhile` gets how many bytes will be pasted, and answers with what was wrong. */
async function work(
  { access, dialect, pid, seconds }: ScenarioInput,
  room: string,
  meanwhile: (pastedBytes: number) => Promise<readonly string[]>,
): Promise<Working> {
  const prefix = dialects[dialect].prefix(room);
  const each = Math.ceil((typedPerSecond * seconds) / typists);
  const typed = Array.from({ length: typists }, (_, n) => typedUpdates(typistBase + n, 0, each));
  const frames = typed.map((updates) => updates.map((update) => frameOf(syncMessage(prefix, syncUpdate, update))));
  const pastes = pastesPerSecond * seconds;
  const sentAtMs = Array.from({ length: typists }, () => new Float64Array(each));
  const latencies: number[] = [];
  /** Letters that each got, of each who types and, last, of the one who pastes. */
  const got = Array.from({ length: people }, () => new Int32Array(typists + 1));
  const company = createCompany({ dialect, room, usuarioOf: access.usuarioOf });
  const members: Member[] = [];
  const doors: Door[] = [];
  for (let index = 0; index < people; index += 1) {
    const visit = (client: number, clock: number, length: number): void => {
      got[index]![client - typistBase]! += length;
      if (client < paster) latencies.push(performance.now() - sentAtMs[client - typistBase]![clock]!);
    };
    const onUpdate = (buffer: Buffer, from: number): void => readInsertions(buffer, from, visit);
    doors.push(await access.door(room, index));
    members.push(openMember({ dialect, room, door: doors[index]!, onUpdate, ...company.joining(index) }));
  }
  await Promise.all(members.map((member) => member.synced));
  const unseen = await company.unseen([...members.keys()], 'after 50 came at once');
  let peakRssKb = rssKb(pid);
  const looking = setInterval(() => (peakRssKb = Math.max(peakRssKb, rssKb(pid))), 250);
  const type = (n: number): void => {
    const typist = n % typists;
    const count = Math.floor(n / typists);
    sentAtMs[typist]![count] = performance.now();
    members[typist]!.socket.write(frames[typist]![count]!);
  };
  const paste = (n: number): void => members[typists]!.socket.write(frameOf(syncMessage(prefix, syncUpdate, pasteOf(n))));
  const [problems] = await Promise.all([
    meanwhile(pastes * pasteBytes),
    paced(typedPerSecond, seconds, type),
    paced(pastesPerSecond, seconds, paste),
  ]);
  const lettersOf = (writer: number): number => (writer < typists ? each : pastes * pasteBytes);
  const lacking = (): readonly string[] =>
    got.flatMap((letters, index) =>
      [...letters].flatMap((count, writer) =>
        writer === index || count === lettersOf(writer)
          ? []
          : [`client ${index} has ${count} of ${lettersOf(writer)} letters of ${writer}`],
      ),
    );
  await cameTrue(() => lacking().length === 0, 15_000);
  clearInterval(looking);
  const text = textOf([...typed.flat(), ...Array.from({ length: pastes }, (_, n) => pasteOf(n))]);
  const ended = await endProblems({ access, dialect, room, company, members: new Map(members.entries()), text });
  await leaveAll(members);
  return {
    p99Ms: percentile(latencies, 0.99),
    peakRssKb,
    problems: [...roleProblems(doors), ...unseen, ...problems, ...(lacking().length > 0 ? [firstOf(lacking(), 3)] : []), ...ended],
  };
}

async function guests({ access, dialect, seconds }: ScenarioInput, room: string, pastedBytes: number): Promise<readonly string[]> {
  const prefix = dialects[dialect].prefix(room);
  let dropped = 0;
  const readers = await Promise.all(
    Array.from({ length: unread }, async (_, n) =>
      openMember({ dialect, room, door: await access.door(room, people + n), onClosed: () => (dropped += 1) }),
    ),
  );
  await Promise.all(readers.map((member) => member.synced));
  for (const { socket } of readers) socket.pause();
  const moving = openMember({ dialect, room, door: await access.door(room, people + unread) });
  await moving.synced;
  const move = (n: number): void => {
    const state = { user: { name: 'x' }, cursor: { anchor: n, head: n + 3 } };
    moving.socket.write(frameOf(awarenessMessage(prefix, flooder, n + 1, state)));
  };
  await paced(floods / seconds, seconds, move);
  for (const { socket } of readers) socket.resume();
  const expected = pastedBytes < droppedBytesMin ? 0 : unread;
  const asExpected = await cameTrue(() => dropped === expected, 5_000);
  const left = readers.map((member) => member.left);
  for (const { socket } of [...readers, moving]) socket.close();
  await Promise.all([...left, moving.left]);
  return asExpected ? [] : [`${dropped} of ${unread} readers that don't read were dropped`];
}

/** 64 KiB more of one long text. */
function pasteOf(n: number): Uint8Array {
  return encoding.encode((to) => {
    for (const value of [1, 1, paster, n * pasteBytes]) encoding.writeVarUint(to, value);
    encoding.writeUint8(to, n === 0 ? 4 : 132);
    if (n === 0) {
      encoding.writeVarUint(to, 1);
      encoding.writeVarString(to, 't');
    } else {
      encoding.writeVarUint(to, paster);
      encoding.writeVarUint(to, n * pasteBytes - 1);
    }
    encoding.writeVarString(to, 'x'.repeat(pasteBytes));
    encoding.writeVarUint(to, 0);
  });
}
