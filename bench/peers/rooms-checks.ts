/** Checks of a client's final state beside the presence: its role, the text, and no edit of somebody without the right to write. */
import { podeEscrever } from '../../schema/rooms.ts';
import { viewerClient, type Access } from './rooms-access.ts';
import { firstOf, type Company } from './rooms-company.ts';
import { after } from './rooms-measure.ts';
import { leaveAll, openMember, type Door, type Member } from './rooms-member.ts';
import { frameOf } from './rooms-socket.ts';
import { documentOf } from './rooms-trace.ts';
import { dialects, syncMessage, syncUpdate, typedUpdates, type DialectName } from './rooms-wire.ts';

const answerMsMax = 30_000;
/** Client id whose edits may never be in a document. */
const intruder = 4_000_000_001;
const nothing = new Uint8Array([0]);

/** Reports clients whose role may not write. Servers without roles give none. */
export function roleProblems(doors: readonly Door[]): readonly string[] {
  const mute = doors.flatMap(({ papel }, client) => (papel !== null && !podeEscrever(papel, 'documento') ? [`${client} (${papel})`] : []));
  return mute.length === 0 ? [] : [`${mute.length} clients may not write: ${firstOf(mute, 5)}`];
}

const sameBytes = (some: readonly Uint8Array[], others: readonly Uint8Array[]): boolean =>
  some.length === others.length && some.every((bytes, n) => Buffer.compare(bytes, others[n]!) === 0);

/** Which clients hold another text; `states` by client, with what each had before. The same bytes are read once. */
export function textProblems(states: readonly (readonly Uint8Array[] | undefined)[], text: string, when: string): readonly string[] {
  let good: readonly Uint8Array[] | null = null;
  const wrong: string[] = [];
  for (const [client, state] of states.entries()) {
    if (state !== undefined && good !== null && sameBytes(state, good)) continue;
    const held = state === undefined ? null : documentOf(state).text;
    if (held === text) good = state!;
    else wrong.push(held === null ? `${client} (nothing)` : `${client} (${held.length} letters)`);
  }
  return wrong.length === 0 ? [] : [`${when}: ${wrong.length} clients lack the text of ${text.length} letters: ${firstOf(wrong, 5)}`];
}

/** The answer to a client, or null when nothing comes. */
export const answered = (member: Member, vector: Uint8Array): Promise<readonly Uint8Array[] | null> =>
  Promise.race([member.ask(vector), after(answerMsMax).then(() => null)]);

/** Asks each of these members as a client without content. */
export async function askAll(members: readonly Member[]): Promise<readonly (readonly Uint8Array[] | undefined)[]> {
  const states: (readonly Uint8Array[] | undefined)[] = [];
  for (const member of members) states.push((await answered(member, nothing)) ?? undefined);
  return states;
}

export interface RoomInTheEnd {
  readonly access: Access;
  readonly dialect: DialectName;
  readonly room: string;
  readonly company: Company;
  /** Members of the room, by number, all of whose presence the company receives. */
  readonly members: ReadonlyMap<number, Member>;
  /** Expected text of the document. */
  readonly text: string;
  /** People who move once more; else everybody. */
  readonly movers?: readonly number[];
}

/** Everybody moves once more and is seen; then, where there are roles, a viewer comes: it reads all, is seen, and writes nothing. */
export async function endProblems(end: RoomInTheEnd): Promise<readonly string[]> {
  const { company, members, movers } = end;
  for (const person of movers ?? members.keys()) members.get(person)!.socket.write(company.move(person));
  const present = [...members.keys()];
  return [...(await company.unseen(present, 'in the end')), ...(await viewerProblems(end))];
}

async function viewerProblems({ access, dialect, room, company, members, text }: RoomInTheEnd): Promise<readonly string[]> {
  if (access.viewerDoor === null) return [];
  const door = await access.viewerDoor(room);
  const problems: string[] = [];
  if (door.papel === null || podeEscrever(door.papel, 'documento')) problems.push(`the viewer was let in as ${door.papel}`);
  const present = [...members.keys()];
  const state = Promise.withResolvers<readonly Uint8Array[]>();
  const member = openMember({ dialect, room, door, onState: state.resolve, ...company.joining(viewerClient) });
  await member.synced;
  const held = documentOf(await state.promise);
  if (held.text !== text) problems.push(`the viewer lacks the text: ${held.text.length} of ${text.length} letters`);
  problems.push(...(await company.unseen([...present, viewerClient], 'with a viewer')));

  const before = new Map([...members].map(([person, { updates }]) => [person, updates()]));
  const [write] = typedUpdates(intruder, 0, 1);
  member.socket.write(frameOf(syncMessage(dialects[dialect].prefix(room), syncUpdate, write!)));
  const answer = await answered(member, nothing);
  const after = answer === null ? null : documentOf(answer).text;
  if (after !== held.text) problems.push(after === null ? 'the viewer was not answered' : 'what the viewer wrote was taken');
  // Whatever went out before these answers has come with them.
  await Promise.all([...members.values()].map((other) => answered(other, held.vector)));
  const got = [...members].filter(([person, { updates }]) => updates() !== before.get(person)).map(([person]) => person);
  if (got.length > 0) problems.push(`what the viewer wrote came to ${got.length} clients: ${firstOf(got, 5)}`);
  await leaveAll([member]);
  return [...problems, ...(await company.unseen(present, 'after the viewer'))];
}
