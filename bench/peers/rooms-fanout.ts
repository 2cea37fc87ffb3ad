/**
 * Fan-out, many rooms and presence: everybody writes at a steady pace, or one writes bursts in a closed loop; every receiver counts what
 * every writer has sent, so that a lost or doubled update is seen.
 */
import type { Access } from './rooms-access.ts';
import { cameTrue, openWindow, paced, percentile, type LoadResult } from './rooms-measure.ts';
import { leaveAll, openMember, type Member } from './rooms-member.ts';
import { frameOf, packFrames, runOf, type PackedFrames } from './rooms-socket.ts';
import { textOf } from './rooms-trace.ts';
import {
  awarenessMessage,
  dialects,
  readInsertions,
  readPresences,
  syncMessage,
  syncUpdate,
  typedUpdates,
  type DialectName,
} from './rooms-wire.ts';

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
  const doors = await Promise.all(writers.map((_, index) => access.door(room, index)));
  for (let index = 0; index < people; index += 1) {
    const visit = (client: number, clock: number, length: number): void => {
      const writer = client - clientBase;
      if (writer === index) return;
      const fresh = take(seen, index, writer, clock, length);
      deliveries += fresh;
      if (latencyOn) latencies.push(performance.now() - writers[writer]!.sentAtMs[clock]!);
      else if (onDelivered !== null && writer === 0) onDelivered(index);
    };
    const onUpdate = (buffer: Buffer, from: number): void => {
      if (index === 1) kept.push(new Uint8Array(buffer.subarray(from, from + lengthBefore(buffer, from))));
      readInsertions(buffer, from, visit);
    };
    members.push(openMember({ dialect, room, door: doors[index]!, onUpdate }));
  }
  await Promise.all(members.map((member) => member.synced));
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
  const problems: string[] = [];
  if (!drained || !(await cameTrue(allSeen, drainMsMax)) || seen.gaps > 0)
    problems.push(`updates were lost in fan-out (${seen.gaps} gaps)`);
  if (writers[0]!.sent === writers[0]!.updates.length) problems.push('the burst writer ran out of prepared updates');
  const sent = writers.map(({ updates, sent: count }) => updates.slice(0, count));
  const expected = textOf(sent.flat());
  if (textOf([...kept, ...sent[1]!]) !== expected) problems.push('a receiver’s document differs from what was sent');
  if (dialects[dialect].syncs && textOf(await members[2]!.ask(new Uint8Array([0]))) !== expected) {
    problems.push('the server’s document differs from what was sent');
  }
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

/** Length of the content that begins at `from`, read from the one-, two- or three-byte number before it. */
function lengthBefore(buffer: Buffer, from: number): number {
  let at = from - 1;
  while (at > 0 && buffer[at - 1]! >= 128 && from - at < 4) at -= 1;
  let length = 0;
  for (let n = from - 1; n >= at; n -= 1) length = length * 128 + (buffer[n]! & 127);
  return length;
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
    members.push(openMember({ dialect, room, door: await access.door(room, index), onUpdate }));
    await members[index]!.synced;
  }
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
  const problems: string[] = [];
  if (!drained || gaps > 0) problems.push(`updates were lost in many rooms (${gaps} gaps)`);
  for (let index = 0; dialects[dialect].syncs && index < people; index += 50) {
    const expected = textOf([writers[index]!, writers[index + 1]!].flatMap(({ updates, sent }) => updates.slice(0, sent)));
    if (textOf(await members[index]!.ask(new Uint8Array([0]))) !== expected) problems.push(`room ${index >> 1} differs from what was sent`);
  }
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

/** One room of 50, each moving the cursor five times a second. */
export async function presence({ access, dialect, pid, seconds }: ScenarioInput): Promise<LoadResult> {
  const people = 50;
  const perSecond = 5 * people;
  const room = access.room(0);
  const prefix = dialects[dialect].prefix(room);
  const frames = Array.from({ length: people }, (_, index) =>
    Array.from({ length: 5 * (seconds + 2) }, (_none, n) => {
      const state = { user: { name: `Person ${index}`, color: '#30bced' }, cursor: { anchor: 17 * n, head: 17 * n + 3 } };
      return frameOf(awarenessMessage(prefix, clientBase + index, n + 1, state));
    }),
  );
  const sent = new Int32Array(people);
  const sentAtMs = frames.map((own) => new Float64Array(own.length + 1));
  const seen = seenBy(people);
  const latencies: number[] = [];
  let measuring = false;
  const doors = await Promise.all(frames.map((_, index) => access.door(room, index)));
  const members = doors.map((door, index) => {
    const visit = (client: number, clock: number): void => {
      const writer = client - clientBase;
      if (writer === index || clock <= seen.clocks[index * people + writer]!) return;
      seen.clocks[index * people + writer] = clock;
      if (measuring) latencies.push(performance.now() - sentAtMs[writer]![clock]!);
    };
    return openMember({ dialect, room, door, onPresence: (buffer, from) => readPresences(buffer, from, visit) });
  });
  await Promise.all(members.map((member) => member.synced));
  const turn = (n: number): void => {
    const index = n % people;
    members[index]!.socket.write(frames[index]![sent[index]!]!);
    sent[index]! += 1;
    sentAtMs[index]![sent[index]!] = performance.now();
  };
  const allSeen = (): boolean => frames.every((_, w) => members.every((_none, r) => r === w || seen.clocks[r * people + w] === sent[w]));
  await paced(perSecond, 2, turn);
  await cameTrue(allSeen, drainMsMax);
  measuring = true;
  const window = openWindow(pid);
  await paced(perSecond, seconds, turn);
  const { serverCpuSeconds, loadCpu } = window();
  const problems = (await cameTrue(allSeen, drainMsMax)) ? [] : ['somebody’s last presence did not reach everybody'];
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
