/**
 * Fan-out and many rooms: everybody writes at a steady pace, or one writes bursts in a closed loop; every receiver counts what every writer has
 * sent, so that a lost or doubled update is seen.
 */
import type { Access } from './rooms-access.ts';
import { roleProblems, askAll, endProblems, textProblems } from './rooms-checks.ts';
import { createCompany, firstOf, type Company } from './rooms-company.ts';
import { after, cameTrue, openWindow, paced, percentile, steady, type LoadResult, type ScenarioInput } from './rooms-measure.ts';
import { leaveAll, openMember, type Door, type Member } from './rooms-member.ts';
import { textOf } from './rooms-trace.ts';
import { inSlices, sliceSeconds } from './rooms-turns.ts';
import { dialects, readInsertions, type DialectName } from './rooms-wire.ts';
import {
  clientBase,
  drainMsMax,
  lettersLacking,
  seenBy,
  send,
  sentUpdates,
  take,
  writerOf,
  type Seen,
  type Writer,
} from './rooms-writers.ts';

const burstWindow = 128;
/** Prepared for a burst: half more than the fastest machine took. */
const burstPerSecondMax = 150_000;
const burstWarmSeconds = 0.2;
const burstSeconds = 0.8;

/** Loads a room of 50: 50 updates a second from all in turn, then 500, then one writer's bursts, in slices. */
export async function fanOut({ access, dialect, work, slices, turn }: ScenarioInput): Promise<LoadResult> {
  const people = 50;
  const room = access.room(0);
  const prefix = dialects[dialect].prefix(room);
  const pacedEach = Math.ceil((550 * sliceSeconds * slices + 1_000) / people) + slices;
  const burstEach = burstPerSecondMax * (burstSeconds + burstWarmSeconds) * slices;
  const writers = Array.from({ length: people }, (_, index) =>
    writerOf(index, index === 0 ? Math.ceil(pacedEach + burstEach) : pacedEach, prefix),
  );
  const seen = seenBy(people);
  const latencies: number[] = [];
  const kept: Uint8Array[] = [];
  const witness = people >> 1;
  /** During a burst, only the witness' latencies are kept: there are millions. */
  let bursting = false;
  let deliveries = 0;
  let onDelivered: ((receiver: number) => void) | null = null;
  const members: Member[] = [];
  const company = createCompany({ dialect, room, usuarioOf: access.usuarioOf });
  const doors = await Promise.all(writers.map((_, index) => access.door(room, index)));
  const problems: string[] = [...roleProblems(doors)];
  const leaveToMembers = await access.takeFirst(0, dialect);
  for (let index = 0; index < people; index += 1) {
    const visit = (client: number, clock: number, length: number): void => {
      const writer = client - clientBase;
      if (writer === index) return;
      const fresh = take(seen, index, writer, clock, length);
      deliveries += fresh;
      if (!bursting || index === witness) latencies.push(performance.now() - writers[writer]!.sentAtMs[clock]!);
      if (writer === 0) onDelivered?.(index);
    };
    const onUpdate = (buffer: Buffer, from: number, to: number): void => {
      if (index === 1) kept.push(new Uint8Array(buffer.subarray(from, to)));
      readInsertions(buffer, from, visit);
    };
    members.push(openMember({ dialect, room, door: doors[index]!, onUpdate, ...company.joining(index) }));
  }
  await Promise.all(members.map((member) => member.synced));
  await leaveToMembers();
  problems.push(...(await company.unseen([...members.keys()], 'after 50 came at once')));
  let nth = 0;
  const type = (): void => {
    const index = nth++ % people;
    send(members[index]!, writers[index]!, 1);
  };
  const allSeen = (): boolean =>
    writers.every((writer, w) => members.every((_, r) => r === w || seen.clocks[r * people + w] === writer.sent));
  await paced(500, 2, type);
  await cameTrue(allSeen, drainMsMax);

  const typed = (perSecond: number) => async (): Promise<Record<string, number>> => {
    const { cpu, storeCpu, p50Ms, p99Ms, load } = await steady({ work, perSecond, seconds: sliceSeconds, act: type, latencies, allSeen });
    return {
      [`cpuAt${perSecond}`]: cpu,
      [`storeAt${perSecond}`]: storeCpu,
      [`p50At${perSecond}`]: p50Ms,
      [`p99At${perSecond}`]: p99Ms,
      [`loadAt${perSecond}`]: load,
    };
  };
  const burst = async (): Promise<Record<string, number>> => {
    const one = burstOf(members[0]!, writers[0]!, seen);
    bursting = true;
    onDelivered = one.delivered;
    one.start();
    await after(burstWarmSeconds * 1_000);
    latencies.length = 0;
    const before = deliveries;
    const window = openWindow(work);
    await after(burstSeconds * 1_000);
    const { seconds, serverCpuSeconds, loadCpu } = window();
    const figures = { burstPerSecond: (deliveries - before) / seconds, burstCpu: serverCpuSeconds / seconds, loadBurst: loadCpu };
    const [p50Burst, p99Burst] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    one.stop();
    await cameTrue(allSeen, drainMsMax);
    onDelivered = null;
    bursting = false;
    return { ...figures, p50Burst, p99Burst };
  };
  const figures = await inSlices(turn, slices, [
    { name: '50 a second', measure: typed(50) },
    { name: '500 a second', measure: typed(500) },
    { name: 'burst', measure: burst },
  ]);

  await turn('checks');
  problems.push(...lettersLacking(seen, writers));
  if (writers[0]!.sent === writers[0]!.sentAtMs.length) problems.push('the burst writer ran out of prepared updates');
  const sent = writers.map(sentUpdates);
  const expected = textOf(sent.flat());
  // Building a text of a long burst takes seconds; in between the load answers the pings that came, or the server would take its clients for gone.
  await after(50);
  if (textOf([...kept, ...sent[1]!]) !== expected) problems.push('the document of client 1 differs from what was sent');
  await after(50);
  if (dialects[dialect].syncs && textOf(await members[2]!.ask(new Uint8Array([0]))) !== expected) {
    problems.push('the server’s document differs from what was sent');
  }
  problems.push(...(await endProblems({ access, dialect, room, company, members: new Map(members.entries()), text: expected })));
  await leaveAll(members);
  return { figures, problems };
}

/**
 * Keeps at most 128 updates on their way to the receiver in the middle of the room, and refills once a turn: the server has work while the
 * load still reads what the others got. (Waiting for the last one would make server and load take turns, and measure that.)
 */
function burstOf(member: Member, writer: Writer, seen: Seen): { start(): void; stop(): void; delivered(receiver: number): void } {
  const witness = seen.width >> 1;
  let running = true;
  let scheduled = false;
  const refill = (): void => {
    scheduled = false;
    const count = Math.min(burstWindow - (writer.sent - seen.clocks[witness * seen.width]!), writer.sentAtMs.length - writer.sent);
    if (running && count > 0) send(member, writer, count);
  };
  return {
    start: refill,
    stop: () => (running = false),
    delivered: (receiver) => {
      if (receiver !== witness || scheduled) return;
      scheduled = true;
      setImmediate(refill);
    },
  };
}

/** 500 rooms of two, each writing twice a second. */
export async function manyRooms({ access, dialect, work, slices, turn }: ScenarioInput): Promise<LoadResult> {
  const people = 1_000;
  const perSecond = 2 * people;
  const each = Math.ceil(2 * (sliceSeconds * slices + 3)) + slices;
  const rooms = Array.from({ length: people / 2 }, (_, n) => access.room(n));
  const writers = Array.from({ length: people }, (_, index) => writerOf(index, each, dialects[dialect].prefix(rooms[index >> 1]!)));
  const clocks = new Int32Array(people);
  const latencies: number[] = [];
  let gaps = 0;
  let leaveToPair = async (): Promise<void> => {};
  const members: Member[] = [];
  const doors: Door[] = [];
  const companies = rooms.map((room) => createCompany({ dialect, room, usuarioOf: access.usuarioOf }));
  for (let index = 0; index < people; index += 1) {
    const room = rooms[index >> 1]!;
    const partner = index ^ 1;
    const visit = (client: number, clock: number, length: number): void => {
      if (client - clientBase !== partner) return;
      if (clock > clocks[index]!) gaps += 1;
      clocks[index] = Math.max(clocks[index]!, clock + length);
      latencies.push(performance.now() - writers[partner]!.sentAtMs[clock]!);
    };
    const onUpdate = (buffer: Buffer, from: number): void => readInsertions(buffer, from, visit);
    if (index % 2 === 0) leaveToPair = await access.takeFirst(index >> 1, dialect);
    doors.push(await access.door(room, index));
    members.push(openMember({ dialect, room, door: doors[index]!, onUpdate, ...companies[index >> 1]!.joining(index) }));
    await members[index]!.synced;
    if (index % 2 === 1) await leaveToPair();
  }
  const problems: string[] = [...roleProblems(doors), ...(await pairsUnseen(companies, 'after they came'))];
  let nth = 0;
  const type = (): void => {
    const index = nth++ % people;
    send(members[index]!, writers[index]!, 1);
  };
  const allSeen = (): boolean => writers.every((writer, index) => clocks[index ^ 1] === writer.sent);
  await paced(perSecond, 2, type);
  await cameTrue(allSeen, drainMsMax);
  const measure = (): Promise<Record<string, number>> => steady({ work, perSecond, seconds: sliceSeconds, act: type, latencies, allSeen });
  const figures = await inSlices(turn, slices, [{ name: 'typing', measure }]);
  await turn('checks');
  const lacking = writers.flatMap(({ sent }, writer) =>
    clocks[writer ^ 1] === sent ? [] : [`client ${writer ^ 1} lacks ${sent - clocks[writer ^ 1]!} letters of client ${writer}`],
  );
  if (lacking.length > 0 || gaps > 0) problems.push(`${gaps} letters came before one that they follow; ${firstOf(lacking, 3)}`);
  problems.push(...(await pairsInTheEnd({ access, dialect, rooms, companies, members, writers })));
  await leaveAll(members);
  return { figures, problems };
}

/** Two in each room, client 2n and 2n + 1. */
async function pairsUnseen(companies: readonly Company[], when: string): Promise<readonly string[]> {
  const unseen = await Promise.all(companies.map((company, n) => company.unseen([2 * n, 2 * n + 1], `${when}, room ${n}`)));
  const told = unseen.flat();
  return told.length > 3 ? [...told.slice(0, 3), `${when}: ${told.length} clients lack somebody's presence`] : told;
}

interface Pairs {
  readonly access: Access;
  readonly dialect: DialectName;
  readonly rooms: readonly string[];
  readonly companies: readonly Company[];
  readonly members: readonly Member[];
  readonly writers: readonly Writer[];
}

/** The text and the presence of every room; a viewer comes into every hundredth. */
async function pairsInTheEnd({ access, dialect, rooms, companies, members, writers }: Pairs): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [index, member] of members.entries()) member.socket.write(companies[index >> 1]!.move(index));
  problems.push(...(await pairsUnseen(companies, 'in the end')));
  for (const [n, room] of rooms.entries()) {
    const two = [2 * n, 2 * n + 1];
    const text = textOf(two.flatMap((index) => sentUpdates(writers[index]!)));
    problems.push(...textProblems(await askAll(two.map((index) => members[index]!)), text, `room ${n}`));
    if (n % 100 > 0) continue;
    const inRoom = new Map(two.map((index) => [index, members[index]!]));
    problems.push(...(await endProblems({ access, dialect, room, company: companies[n]!, members: inRoom, text })));
  }
  return problems;
}
