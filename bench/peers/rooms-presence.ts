/** Presence: who comes while others move, and 50 people whose cursors move five times a second. */
import { roleProblems, endProblems, textProblems } from './rooms-checks.ts';
import { createCompany, firstOf } from './rooms-company.ts';
import { cameTrue, paced, steady, type LoadResult, type ScenarioInput } from './rooms-measure.ts';
import { openMember, leaveAll, type Door, type Member } from './rooms-member.ts';
import { frameOf } from './rooms-socket.ts';
import { textOf } from './rooms-trace.ts';
import { inSlices, sliceSeconds } from './rooms-turns.ts';
import { readPresences, syncMessage, syncUpdate, typedUpdates } from './rooms-wire.ts';
import { clientBase, drainMsMax, seenBy, type Seen } from './rooms-writers.ts';

/** How people come into the room, and how often those who are there move meanwhile. */
const arrivalsPerSecond = 50;
const movesPerArrival = 20;

/** Loads a room of 50, each moving the cursor five times a second; whoever is in moves already while the others come. */
export async function presence({ access, dialect, work, slices, turn }: ScenarioInput): Promise<LoadResult> {
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
  const sentAtMs: Float64Array[] = [];
  /** How often each had moved when the frames were made; null: before. */
  let movedBefore: Int32Array | null = null;
  const doors = await Promise.all(all.map((index) => access.door(room, index)));
  const come = (door: Door, index: number): Member => {
    const visit = (client: number, clock: number): void => {
      const writer = company.personOf(client);
      if (writer >= people || writer === index || clock <= seen.clocks[index * people + writer]!) return;
      seen.clocks[index * people + writer] = clock;
      if (movedBefore !== null) latencies.push(performance.now() - sentAtMs[writer]![clock - movedBefore[writer]!]!);
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
  const before = Int32Array.from(sent);
  const framesEach = Math.ceil(5 * (sliceSeconds * slices + 2)) + slices;
  const frames = all.map((index) => Array.from({ length: framesEach }, (_, n) => company.frame(index, sent[index]! + n + 1)));
  for (const own of frames) sentAtMs.push(new Float64Array(own.length + 1));
  movedBefore = before;
  for (const update of written) members[0]!.socket.write(frameOf(syncMessage(members[0]!.prefix, syncUpdate, update)));
  kept[0]!.push(...written);
  let nth = 0;
  const move = (): void => {
    const index = nth++ % people;
    const count = sent[index]! - before[index]!;
    members[index]!.socket.write(frames[index]![count]!);
    sent[index]! += 1;
    sentAtMs[index]![count + 1] = performance.now();
  };
  const allSeen = (): boolean => frames.every((_, w) => members.every((_none, r) => r === w || seen.clocks[r * people + w] === sent[w]));
  company.keep(false);
  await paced(perSecond, 2, move);
  await cameTrue(allSeen, drainMsMax);
  const measure = (): Promise<Record<string, number>> => steady({ work, perSecond, seconds: sliceSeconds, act: move, latencies, allSeen });
  const figures = await inSlices(turn, slices, [{ name: 'moving', measure }]);
  await turn('checks');
  if (!allSeen()) problems.push(lastLacking(seen, sent));
  company.keep(true);
  for (const [index, count] of sent.entries()) company.moved(index, count);
  const text = textOf(written);
  problems.push(...textProblems(kept, text, 'in the end'));
  problems.push(...(await endProblems({ access, dialect, room, company, members: new Map(members.entries()), text })));
  await leaveAll(members);
  return { figures, problems };
}

/** Names the receivers that lack a last presence, and its writers. */
function lastLacking({ clocks, width }: Seen, sent: Int32Array): string {
  const lacking = [...sent.keys()].flatMap((receiver) => {
    const of = [...sent.keys()].filter((writer) => writer !== receiver && clocks[receiver * width + writer] !== sent[writer]);
    return of.length > 0 ? [`client ${receiver} lacks the last presence of clients ${firstOf(of, 5)}`] : [];
  });
  return firstOf(lacking, 3);
}
