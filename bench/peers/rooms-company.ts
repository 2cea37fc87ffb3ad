/**
 * The people of one room of the benchmark: the presence that each sends, and the presence that each received of the others. Received
 * messages are only copied while a scenario measures, and the same bytes once; they are read in the end. Source: rules 2.4, 6 (everybody
 * sees everybody).
 */
import { isDeepStrictEqual } from 'node:util';
import * as decoding from 'lib0/decoding';
import { cameTrue } from './rooms-measure.ts';
import type { MemberOptions } from './rooms-member.ts';
import { frameOf } from './rooms-socket.ts';
import { awarenessMessage, dialects, type DialectName } from './rooms-wire.ts';

/** Ids of the order that Yjs draws: five bytes on the wire. */
const idBase = 3_100_000_000;
const seenMsMax = 15_000;

export interface Company {
  /** For `openMember`: sends its presence as soon as it is in, and keeps the presence that it receives. */
  joining(person: number): Pick<MemberOptions, 'presence' | 'onPresence'>;
  /** For `openMember`: only keeps the presence that it receives. */
  hearing(person: number): Pick<MemberOptions, 'onPresence'>;
  /** The next frame that the person sends: its cursor has moved. */
  move(person: number): Buffer;
  /** As `move`, but what is expected of the others changes only with `moved`: for frames that are made long before they are sent. */
  frame(person: number, clock: number): Buffer;
  moved(person: number, clock: number): void;
  /** False: received presence is not kept until it is true again. */
  keep(on: boolean): void;
  /** Waits until these see what each of these says of itself, and nobody else; answers with who lacks whom. Empty where no server knows. */
  unseen(present: readonly number[], when: string): Promise<readonly string[]>;
  /** The person of that client id. */
  personOf(id: number): number;
  /** They are gone, and nobody reads any more the presence that they received. */
  forget(people: readonly number[]): void;
}

interface Told {
  readonly clock: number;
  readonly state: Record<string, unknown>;
}

export interface CompanyOf {
  readonly dialect: DialectName;
  readonly room: string;
  /** The person's name by the server; null: by their own presence. */
  readonly usuarioOf: (person: number) => string | null;
}

const stateOf = (person: number, clock: number) => ({
  user: { name: `Person ${person}`, color: '#30bced' },
  cursor: { anchor: 17 * clock, head: 17 * clock + 3 },
});

export function createCompany({ dialect, room, usuarioOf }: CompanyOf): Company {
  const { prefix, knowsWhoIsThere } = dialects[dialect];
  const before = prefix(room);
  const clocks = new Map<number, number>();
  const hearings = new Map<number, Hearing>();
  const pool = createPool();
  const idOf = (person: number): number => idBase + person;
  let keeping = true;
  const frame = (person: number, clock: number): Buffer => frameOf(awarenessMessage(before, idOf(person), clock, stateOf(person, clock)));
  const move = (person: number): Buffer => {
    const clock = (clocks.get(person) ?? 0) + 1;
    clocks.set(person, clock);
    return frame(person, clock);
  };
  const hearing = (person: number): Pick<MemberOptions, 'onPresence'> => {
    const own: Hearing = { unread: [], states: new Map(), clocks: new Map() };
    hearings.set(person, own);
    return { onPresence: (buffer, from, to) => void (keeping && own.unread.push(pool.copyOf(buffer, from, to))) };
  };
  const isSeen = (person: number, told: Told | undefined): boolean => {
    if (told?.clock !== clocks.get(person)) return false;
    const { user, cursor } = stateOf(person, told!.clock);
    const usuario = usuarioOf(person);
    const { user: as, cursor: at } = told!.state as Partial<{ user: Record<string, unknown>; cursor: unknown }>;
    return isDeepStrictEqual(at, cursor) && (usuario === null ? isDeepStrictEqual(as, user) : as?.['usuario'] === usuario);
  };
  return {
    joining: (person) => ({ presence: move(person), ...hearing(person) }),
    hearing,
    move,
    frame,
    moved: (person, clock) => void clocks.set(person, clock),
    keep: (on) => (keeping = on),
    personOf: (id) => id - idBase,
    forget: (people) => people.forEach((person) => hearings.delete(person)),
    unseen: async (present, when) => {
      if (!knowsWhoIsThere) return [];
      const lackOf = (person: number): Lack => {
        const { states } = readAll(hearings.get(person)!, pool);
        const others = present.filter((other) => other !== person);
        const ids = new Set(present.map(idOf));
        return {
          person,
          lacks: others.filter((other) => !isSeen(other, states.get(idOf(other)))),
          of: others.length,
          ghosts: [...states.keys()].filter((id) => !ids.has(id)).map((id) => id - idBase),
        };
      };
      let lacks: readonly Lack[] = [];
      // Whoever saw all stays out of it: 500 wait for 500.
      let waiting = present;
      await cameTrue(() => {
        lacks = waiting.map(lackOf).filter((lack) => lack.lacks.length + lack.ghosts.length > 0);
        waiting = lacks.map(({ person }) => person);
        return waiting.length === 0;
      }, seenMsMax);
      return toldOf(lacks, present.length, when);
    },
  };
}

interface Lack {
  readonly person: number;
  readonly lacks: readonly number[];
  readonly of: number;
  /** People who left, and are still seen. */
  readonly ghosts: readonly number[];
}

/** The first of a list by name, and how many more. */
export function firstOf(all: readonly (string | number)[], most: number): string {
  const rest = all.length - most;
  return all.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Three by name, the others by number: 500 sentences say no more. */
function toldOf(lacks: readonly Lack[], people: number, when: string): readonly string[] {
  const sentences = lacks.slice(0, 3).map(({ person, lacks: whom, of, ghosts }) => {
    const missing = whom.length > 0 ? [`lacks the presence of ${whom.length} of ${of} (clients ${firstOf(whom, 5)})`] : [];
    const left = ghosts.length > 0 ? [`still sees ${ghosts.length} who left (clients ${firstOf(ghosts, 5)})`] : [];
    return `${when}: client ${person} ${[...missing, ...left].join(' and ')}`;
  });
  return lacks.length > 3 ? [...sentences, `${when}: ${lacks.length} of ${people} clients lack somebody's presence`] : sentences;
}

/** The presence that one client received: unread messages, and the people who are there by the read ones. */
interface Hearing {
  unread: Uint8Array[];
  readonly states: Map<number, Told>;
  /** Clocks of all people, those who left included. */
  readonly clocks: Map<number, number>;
}

/** The rules of y-protocols' `applyAwarenessUpdate`. */
function readAll(hearing: Hearing, pool: Pool): Hearing {
  const { unread, states, clocks } = hearing;
  hearing.unread = [];
  for (const message of unread) {
    for (const { id, clock, state } of pool.read(message)) {
      const known = clocks.get(id) ?? 0;
      if (clock < known || (clock === known && !(state === null && states.has(id)))) continue;
      clocks.set(id, clock);
      if (state === null) states.delete(id);
      else states.set(id, { clock, state });
    }
  }
  return hearing;
}

interface Entry {
  readonly id: number;
  readonly clock: number;
  readonly state: Record<string, unknown> | null;
}

/** A server sends most messages to everybody: each is copied once and read once. */
interface Pool {
  copyOf(buffer: Buffer, from: number, to: number): Uint8Array;
  read(message: Uint8Array): readonly Entry[];
}

function createPool(): Pool {
  /** The newest message of that length and beginning (the first id lies in it). */
  const newest = new Map<number, Uint8Array>();
  const entries = new WeakMap<Uint8Array, readonly Entry[]>();
  return {
    copyOf: (buffer, from, to) => {
      const key = (to - from) * 65_536 + (buffer[from + 1] ?? 0) * 256 + (buffer[from + 2] ?? 0);
      const known = newest.get(key);
      if (known !== undefined && known.length === to - from && buffer.compare(known, 0, known.length, from, to) === 0) return known;
      const copy = new Uint8Array(buffer.subarray(from, to));
      newest.set(key, copy);
      return copy;
    },
    read: (message) => {
      const known = entries.get(message);
      if (known !== undefined) return known;
      const decoder = decoding.createDecoder(message);
      const read: Entry[] = [];
      for (let count = decoding.readVarUint(decoder); count > 0; count -= 1) {
        const id = decoding.readVarUint(decoder);
        const clock = decoding.readVarUint(decoder);
        read.push({ id, clock, state: JSON.parse(decoding.readVarString(decoder)) as Entry['state'] });
      }
      entries.set(message, read);
      return read;
    },
  };
}
