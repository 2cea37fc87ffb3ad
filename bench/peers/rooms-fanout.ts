/**
 * Fan-out, many rooms and presence: everybody writes at a steady pace, or one writes bursts in a closed loop; every receiver counts what
 * every writer has sent, so that a lost or doubled update is seen.
 */
import type { Access } from './rooms-access.ts';
import { roleProblems, askAll, endProblems, textProblems } from './rooms-checks.ts';
import { createCompany, firstOf, type Company } from './rooms-company.ts';
import { after, cameTrue, openWindow, paced, percentile, type LoadResult } from './rooms-measure.ts';
import { leaveAll, openMember, type Door, type Member } from './rooms-member.ts';
import { frameOf, packFrames, runOf, type PackedFrames } from './rooms-socket.ts';
import { textOf } from './rooms-trace.ts';
import { dialects, readInsertions, readPresences, syncMessage, syncUpdate, typedUpdates, type DialectName } from './rooms-wire.ts';

export interface ScenarioInput {
  readonly access: Access;
  readonly dialect: DialectName;
  /** Of the server. */
  readonly pid: number;
  readonly seconds: number;
}

/** Ids of the order that Yjs draws: five bytes on the wire. */
const clientBase = 3_000_000_000;
const burstWindow = 128;
const burstPerSecondMax = 240_000;
const drainMsMax = 15_000;
/** How people come into the room of the presence scenario, and how often those who are there move meanwhile. */
const arrivalsPerSecond = 50;
const movesPerArrival = 20;

interface Writer {
  readonly updates: readonly Uint8Array[];
  readonly frames: PackedFrames;
  sent: number;
  readonly sentAtMs: Float64Array;
}

function writerOf(index: number, count: number, prefix: Uint8Array): Writer {
  const updates = typedUpdates(clientBase + index, 0, count);
  return {
    updates,
    frames: packFrames(updates.map((update) => syncMessage(prefix, syncUpdate, update))),
    sent: 0,
    sentAtMs: new Float64Array(count),
  };
}

/** Who has seen how much of whom: `clocks[receiver * width + writer]`. */
interface Seen {
  readonly clocks: Int32Array;
  readonly width: number;
  gaps: number;
}

const seenBy = (width: number): Seen => ({ clocks: new Int32Array(width * width), width, gaps: 0 });

/** How many letters of that run are new to the receiver. */
function take(seen: Seen, receiver: number, writer: number, clock: number, length: number): number {
  const at = receiver * seen.width + writer;
  const before = seen.clocks[at]!;
  if (clock > before) seen.gaps += 1;
  const now = Math.max(before, clock + length);
  seen.clocks[at] = now;
  return now - before;
}

/** Which clients lack what of whom, of so many letters of each writer. */
function lettersLacking(seen: Seen, writers: readonly Writer[]): readonly string[] {
  const lacking = writers.flatMap((_, receiver) => {
    const of = writers.flatMap(({ sent }, writer) => {
      const lacks = receiver === writer ? 0 : sent - seen.clocks[receiver * seen.width + writer]!;
      return lacks > 0 ? [`${lacks} letters of client ${writer}`] : [];
    });
    return of.length > 0 ? [`client ${receiver} lacks ${firstOf(of, 3)}`] : [];
  });
  const gaps = seen.gaps > 0 ? [`${seen.gaps} letters came before one that they follow`] : [];
  return [...gaps, ...(lacking.length > 0 ? [firstOf(lacking, 3)] : [])];
}

function send(member: Member, writer: Writer, count: number): void {
  const atMs = performance.now();
  writer.sentAtMs.fill(atMs, writer.sent, writer.sent + count);
  member.socket.write(runOf(writer.frames, writer.sent, writer.sent + count));
  writer.sent += count;
}

/** One room of 50: 50 updates a second from all in turn, then 500, then one writer's bursts. */
export async function fanOut({ access, dialect, pid, seconds }: ScenarioInput): Promise<LoadResult> {
  const people = 50;
  const room = access.room(0);
  const prefix = dialects[dialect].prefix(room);
  const pacedEach = Math.ceil((550 * seconds + 1_000) / people);
  const writers = Array.from({ length: people }, (_, index) =>
    writerOf(index, index === 0 ? pacedEach + burstPerSecondMax * (seconds + 1) : pacedEach, prefix),
  );
  const seen = seenBy(people);
  const latencies: number[] = [];
  const kept: Uint8Array[] = [];
  let latencyOn = false;
  let deliveries = 0;
  let onDelivered: ((receiver: number) => void) | null = null;
  const members: Member[] = [];
  const company = createCompany({ dialect, room, usuarioOf: access.usuarioOf });
  const doors = await Promise.all(writers.map((_, index) => access.door(room, index)));
  const problems: string[] = [...roleProblems(doors)];
  for (let index = 0; index < people; index += 1) {
    const visit = (client: number, clock: number, length: number): void => {
      const writer = client - clientBase;
      if (writer === index) return;
      const fresh = take(seen, index, writer, clock, length);
      deliveries += fresh;
      if (latencyOn) latencies.push(performance.now() - writers[writer]!.sentAtMs[clock]!);
      else if (onDelivered !== null && writer === 0) onDelivered(index);
    };
    const onUpdate = (buffer: Buffer, from: number, to: number): void => {
      if (index === 1) kept.push(new Uint8Array(buffer.subarray(from, to)));
      readInsertions(buffer, from, visit);
    };
    members.push(openMember({ dialect, room, door: doors[index]!, onUpdate, ...company.joining(index) }));
  }
  await Promise.all(members.map((member) => member.synced));
  problems.push(...(await company.unseen([...members.keys()], 'after 50 came at once')));
  const turn = (n: number): void => send(members[n % people]!, writers[n % people]!, 1);
  const allSeen = (): boolean =>
    writers.every((writer, w) => members.every((_, r) => r === w || seen.clocks[r * people + w] === writer.sent));

  await paced(500, 2, turn);
  await cameTrue(allSeen, drainMsMax);
  latencyOn = true;
  const slow = openWindow(pid);
  await paced(50, seconds, turn);
  await cameTrue(allSeen, drainMsMax);
  const at50 = slow();
  const p50Ms = percentile(latencies, 0.5);
  const p99Ms = percentile(latencies, 0.99);
  const fast = openWindow(pid);
  await paced(500, seconds, turn);
  const at500 = fast();
  const drained = await cameTrue(allSeen, drainMsMax);
  latencyOn = false;

  const burst = burstOf(members[0]!, writers[0]!, seen);
  onDelivered = burst.delivered;
  burst.start();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const deliveriesBefore = deliveries;
  const bursting = openWindow(pid);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const inBurst = bursting();
  const burstDeliveries = deliveries - deliveriesBefore;
  burst.stop();
  if (!drained) problems.push('the updates at 500 a second did not all come in time');
  await cameTrue(allSeen, drainMsMax);
  problems.push(...lettersLacking(seen, writers));
  if (writers[0]!.sent === writers[0]!.updates.length) problems.push('the burst writer ran out of prepared updates');
  const sent = writers.map(({ updates, sent: count }) => updates.slice(0, count));
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
  return {
    figures: {
      p50Ms,
      p99Ms,
      cpuAt50: at50.serverCpuSeconds / at50.seconds,
      cpuAt500: at500.serverCpuSeconds / at500.seconds,
      burstPerSecond: burstDeliveries / inBurst.seconds,
      burstCpu: inBurst.serverCpuSeconds / inBurst.seconds,
      loadAt50: at50.loadCpu,
      loadAt500: at500.loadCpu,
      loadBurst: inBurst.loadCpu,
    },
    problems,
  };
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
    const count = Math.min(burstWindow - (writer.sent - seen.clocks[witness * seen.width]!), writer.updates.length - writer.sent);
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
export async function manyRooms({ access, dialect, pid, seconds }: ScenarioInput): Promise<LoadResult> {
  const people = 1_000;
  const perSecond = 2 * people;
  const each = 2 * (seconds + 3);
  const rooms = Array.from({ length: people / 2 }, (_, n) => access.room(n));
  const writers = Array.from({ length: people }, (_, index) => writerOf(index, each, dialects[dialect].prefix(rooms[index >> 1]!)));
  const clocks = new Int32Array(people);
  const latencies: number[] = [];
  let measuring = false;
  let gaps = 0;
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
      if (measuring) latencies.push(performance.now() - writers[partner]!.sentAtMs[clock]!);
    };
    const onUpdate = (buffer: Buffer, from: number): void => readInsertions(buffer, from, visit);
    doors.push(await access.door(room, index));
    members.push(openMember({ dialect, room, door: doors[index]!, onUpdate, ...companies[index >> 1]!.joining(index) }));
    await members[index]!.synced;
  }
  const problems: string[] = [...roleProblems(doors), ...(await pairsUnseen(companies, 'after they came'))];
  const turn = (n: number): void => send(members[n % people]!, writers[n % people]!, 1);
  const allSeen = (): boolean => writers.every((writer, index) => clocks[index ^ 1] === writer.sent);
  await paced(perSecond, 3, turn);
  await cameTrue(allSeen, drainMsMax);
  measuring = true;
  const window = openWindow(pid);
  await paced(perSecond, seconds, turn);
  const { serverCpuSeconds, loadCpu } = window();
  const drained = await cameTrue(allSeen, drainMsMax);
  measuring = false;
  const lacking = writers.flatMap(({ sent }, writer) =>
    clocks[writer ^ 1] === sent ? [] : [`client ${writer ^ 1} lacks ${sent - clocks[writer ^ 1]!} letters of client ${writer}`],
  );
  if (!drained || gaps > 0) problems.push(`${gaps} letters came before one that they follow; ${firstOf(lacking, 3)}`);
  problems.push(...(await pairsInTheEnd({ access, dialect, rooms, companies, members, writers })));
  await leaveAll(members);
  return {
    figures: {
      cpuSecondsPer100k: (serverCpuSeconds * 1e5) / (perSecond * seconds),
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      load: loadCpu,
    },
    problems,
  };
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
    const text = textOf(two.flatMap((index) => writers[index]!.updates.slice(0, writers[index]!.sent)));
    problems.push(...textProblems(await askAll(two.map((index) => members[index]!)), text, `room ${n}`));
    if (n % 100 > 0) continue;
    const inRoom = new Map(two.map((index) => [index, members[index]!]));
    problems.push(...(await endProblems({ access, dialect, room, company: companies[n]!, members: inRoom, text })));
  }
  return problems;
}

/** One room of 50, each moving the cursor five times a second; whoever is in moves already while the others come. */
export async function presence({ access, dialect, pid, seconds }: ScenarioInput): Promise<LoadResult> {
  const people = 50;
  const perSecond = 5 * people;
  const room = access.room(0);
  const company = createCompany({ dialect, room, usuarioOf: access.usuarioOf });
  const written = typedUpdates(clientBase, 0, 20);
  const all = Array.from({ length: people }, (_, index) => index);
  const kept: Uint8Array[][] = all.map(() => []);
  /** The first is said on coming. */
  const sent = new Int32Array(people).fill(1);
  const seen = seenBy(people);
  const latencies: number[] = [];
  let measuring = false;
  const doors = await Promise.all(all.map((index) => access.door(room, index)));
  const come = (door: Door, index: number): Member => {
    const visit = (client: number, clock: number): void => {
      const writer = company.personOf(client);
      if (writer >= people || writer === index || clock <= seen.clocks[index * people + writer]!) return;
      seen.clocks[index * people + writer] = clock;
      if (measuring) latencies.push(performance.now() - sentAtMs[writer]![clock - movedBefore[writer]!]!);
    };
    const { presence: first, onPresence } = company.joining(index);
    return openMember({
      dialect,
      room,
      door,
      presence: first!,
      onPresence: (buffer, from, to) => {
        readPresences(buffer, from, visit);
        onPresence!(buffer, from, to);
      },
      onUpdate: (buffer, from, to) => kept[index]!.push(new Uint8Array(buffer.subarray(from, to))),
    });
  };
  const members: Member[] = [];
  const inside: number[] = [];
  const moveOnce = (n: number): void => {
    const index = inside[n % inside.length];
    if (index === undefined) return;
    members[index]!.socket.write(company.move(index));
    sent[index]! += 1;
  };
  // A server that gathers presence by how many are there has some on its way at each number.
  await paced(arrivalsPerSecond * movesPerArrival, people / arrivalsPerSecond, (n) => {
    if (n % movesPerArrival > 0) return moveOnce(n);
    const index = members.length;
    const member = come(doors[index]!, index);
    members.push(member);
    void member.synced.then(() => inside.push(index));
  });
  await Promise.all(members.map((member) => member.synced));
  const problems: string[] = [...roleProblems(doors), ...(await company.unseen(all, 'after 50 came while others moved'))];
  const movedBefore = Int32Array.from(sent);
  const frames = all.map((index) => Array.from({ length: 5 * (seconds + 2) }, (_, n) => company.frame(index, sent[index]! + n + 1)));
  const sentAtMs = frames.map((own) => new Float64Array(own.length + 1));
  for (const update of written) members[0]!.socket.write(frameOf(syncMessage(members[0]!.prefix, syncUpdate, update)));
  kept[0]!.push(...written);
  const turn = (n: number): void => {
    const index = n % people;
    const nth = sent[index]! - movedBefore[index]!;
    members[index]!.socket.write(frames[index]![nth]!);
    sent[index]! += 1;
    sentAtMs[index]![nth + 1] = performance.now();
  };
  const allSeen = (): boolean => frames.every((_, w) => members.every((_none, r) => r === w || seen.clocks[r * people + w] === sent[w]));
  await paced(perSecond, 2, turn);
  await cameTrue(allSeen, drainMsMax);
  measuring = true;
  company.keep(false);
  const window = openWindow(pid);
  await paced(perSecond, seconds, turn);
  const { serverCpuSeconds, loadCpu } = window();
  if (!(await cameTrue(allSeen, drainMsMax))) problems.push(lastLacking(seen, sent));
  measuring = false;
  company.keep(true);
  for (const [index, count] of sent.entries()) company.moved(index, count);
  const text = textOf(written);
  problems.push(...textProblems(kept, text, 'in the end'));
  problems.push(...(await endProblems({ access, dialect, room, company, members: new Map(members.entries()), text })));
  await leaveAll(members);
  return {
    figures: {
      cpuSecondsPer100k: (serverCpuSeconds * 1e5) / (perSecond * seconds),
      p99Ms: percentile(latencies, 0.99),
      load: loadCpu,
    },
    problems,
  };
}

/** Who did not get whose last presence. */
function lastLacking({ clocks, width }: Seen, sent: Int32Array): string {
  const lacking = [...sent.keys()].flatMap((receiver) => {
    const of = [...sent.keys()].filter((writer) => writer !== receiver && clocks[receiver * width + writer] !== sent[writer]);
    return of.length > 0 ? [`client ${receiver} lacks the last presence of clients ${firstOf(of, 5)}`] : [];
  });
  return firstOf(lacking, 3);
}
