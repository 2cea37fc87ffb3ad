/** A client of a room as the load sees it: opens, says hello, answers the server's step 1, hands on the messages that a scenario measures. */
import type { Papel } from '../../schema/rooms.ts';
import { frameOf, openLoadSocket, type LoadSocket } from './rooms-socket.ts';
import {
  copyContent,
  contentOf,
  dialects,
  messageAwareness,
  messageSync,
  messageSyncReply,
  syncMessage,
  syncStep1,
  syncStep2,
  syncUpdate,
  type DialectName,
} from './rooms-wire.ts';

/** Where a client connects: for ours with a ticket in the path. */
export interface Door {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  /** Role of the holder by the ticket; null where there are no roles. */
  readonly papel: Papel | null;
}

const stillHereMs = 20_000;

/** State vector and update of an empty document. */
const nothing = new Uint8Array([0]);
const emptyUpdate = new Uint8Array([0, 0]);

export interface MemberOptions {
  readonly dialect: DialectName;
  readonly room: string;
  readonly door: Door;
  /** Content that this client has already; absent: none. */
  readonly own?: {
    readonly vector: Uint8Array;
    /** The update that it sends when the server asks. */
    readonly answer: Uint8Array;
  };
  /** Written as soon as the socket is open, after step 1: a frame with the presence. */
  readonly presence?: Uint8Array;
  /** The content of an update, or of a presence message, lies in buffer[from, to); the buffer is gone when the call returns. */
  readonly onUpdate?: (buffer: Buffer, from: number, to: number) => void;
  readonly onPresence?: (buffer: Buffer, from: number, to: number) => void;
  /** Copies of the updates that answered the first question, the step 2 last: ours sends what it has as updates and ends with an empty one. */
  readonly onState?: (updates: readonly Uint8Array[]) => void;
  readonly onClosed?: (code: number) => void;
}

export interface Member {
  readonly socket: LoadSocket;
  readonly prefix: Uint8Array;
  /** Resolves with the first step 2, or once the socket is open where nothing syncs; rejects when it closes before. */
  readonly synced: Promise<void>;
  readonly left: Promise<void>;
  /** How many updates it was sent that answered no question. */
  updates(): number;
  /** Returns the updates that answer this state vector, as `onState` gets them. */
  ask(vector: Uint8Array): Promise<readonly Uint8Array[]>;
}

export function openMember(options: MemberOptions): Member {
  const dialect = dialects[options.dialect];
  const prefix = dialect.prefix(options.room);
  const synced = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  synced.promise.catch(() => {});
  /** Receiver of the answer, and the updates of it so far. */
  let asked = options.onState ?? null;
  let updates: Uint8Array[] = [];
  let unasked = 0;
  const step1 = (vector: Uint8Array): Uint8Array => frameOf(syncMessage(prefix, syncStep1, vector));
  const answer = (): Uint8Array => frameOf(syncMessage(prefix, syncStep2, options.own?.answer ?? emptyUpdate));

  const update = (buffer: Buffer, from: number, to: number): void => {
    if (asked === null) unasked += 1;
    else updates.push(copyContent(buffer, from));
    options.onUpdate?.(buffer, contentOf(buffer, from), to);
  };
  const step2 = (buffer: Buffer, from: number): void => {
    if (asked !== null) {
      asked([...updates, copyContent(buffer, from)]);
      asked = null;
      updates = [];
    }
    synced.resolve();
  };
  const stillHere = dialect.stillHere(options.room);
  const saying = stillHere && setInterval(() => socket.write(frameOf(stillHere)), stillHereMs);
  const socket = openLoadSocket(options.door, {
    open: () => {
      for (const payload of dialect.hello(options.room)) socket.write(frameOf(payload));
      if (dialect.syncs) socket.write(step1(options.own?.vector ?? nothing));
      else synced.resolve();
      if (options.presence !== undefined) socket.write(options.presence);
    },
    frame: (buffer, start, end) => {
      const from = start + prefix.length;
      const type = buffer[from]!;
      if (type === messageSync || type === messageSyncReply) {
        const kind = buffer[from + 1]!;
        if (kind === syncUpdate) update(buffer, from + 2, end);
        else if (kind === syncStep2) step2(buffer, from + 2);
        else if (kind === syncStep1 && dialect.syncs) socket.write(answer());
      } else if (type === messageAwareness) options.onPresence?.(buffer, contentOf(buffer, from + 1), end);
    },
    closed: (code) => {
      if (saying) clearInterval(saying);
      synced.reject(new Error(`the server closed a socket of ${options.room} with ${code} before it was synced`));
      options.onClosed?.(code);
      left.resolve();
    },
  });
  return {
    socket,
    prefix,
    synced: synced.promise,
    left: left.promise,
    updates: () => unasked,
    ask: (vector) =>
      new Promise((resolve) => {
        asked = resolve;
        socket.write(step1(vector));
      }),
  };
}

/** Everybody leaves and the server has closed every socket. */
export async function leaveAll(members: readonly Member[]): Promise<void> {
  for (const member of members) member.socket.close();
  await Promise.all(members.map((member) => member.left));
}
