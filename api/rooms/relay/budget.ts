/**
 * The budget of rooms in the portal: memory while they are open, and disk, per owner and in total. A room counts for its owner, for any writer.
 * Decisions: docs/decisions/0142-budget-of-rooms.md, docs/decisions/0165-shares-of-the-room-budget.md
 */
import { limits } from '../limits.ts';
import { type Account, newAccount } from './room.ts';
import { bytesOf, type Room } from './room.ts';
import { whoGivesWay } from './shares.ts';

/** The exceeded limit, as a text for developers of clients. */
export type Shortage = keyof typeof shortages;

export interface Budget {
  accountOf(dona: string): Account;
  /** A room of an account is being opened; `forget` ends that. */
  enter(room: Room): void;
  /** So many bytes more of memory: null, or why not. Rooms of who holds more are closed for it. */
  hold(room: Room, bytes: number): Shortage | null;
  /** So many bytes more of memory and disk. */
  grow(room: Room, bytes: number): Shortage | null;
  /** The room holds another amount than before, and so much more of it goes to the disk. */
  count(room: Room, diskBytes: number): void;
  forget(room: Room): void;
}

export interface BudgetDeps {
  readonly nowMs: () => number;
  /** Bytes that an owner's rooms hold on the disk. */
  readonly diskOf: (dona: string) => Promise<number>;
  /** Closes the room and `forget`s it here, at once. */
  readonly close: (room: Room) => void;
  /** Memory for open documents; that of limits.ts by default. */
  readonly memory?: RoomMemory | undefined;
}

/** Bounds on the memory of open documents. */
export interface RoomMemory {
  readonly ofOwnerBytesMax: number;
  readonly ofAllBytesMax: number;
}

const shipped: RoomMemory = { ofOwnerBytesMax: limits.roomMemoryPerPersonBytesMax, ofAllBytesMax: limits.roomMemoryBytesMax };
const ceilingsOf = ({ ofOwnerBytesMax: owner, ofAllBytesMax: all }: RoomMemory) => {
  const share = limits.roomMemoryShareOfApp;
  return { owner, ownerApp: owner * share, app: all * share, all };
};

const told = ceilingsOf(shipped);
/** At most 123 bytes each: a close frame takes no more. */
export const shortages = {
  owner: `the open rooms of one owner hold at most ${told.owner} bytes: close some`,
  ownerApp: `the open rooms of one owner in one app hold at most ${told.ownerApp} bytes: close some`,
  app: `the open rooms of one app hold at most ${told.app} bytes, and no other owner holds more of them`,
  all: `all open rooms hold at most ${told.all} bytes, and no other owner holds more of them`,
  disk: `the rooms of one owner hold at most ${limits.roomDiskPerPersonBytesMax} bytes of disk, and no more than it has left`,
} as const;

export function createBudget({ nowMs, diskOf, close, memory = shipped }: BudgetDeps): Budget {
  const ceilings = ceilingsOf(memory);
  const accounts = new Map<string, Account>();
  const apps = new Map<string, number>();
  let used = 0;
  const measureDisk = ({ account }: Room): void => {
    if (nowMs() - account.diskAtMs < limits.roomDiskPollMs) return;
    account.diskAtMs = nowMs();
    diskOf(account.dona).then(
      (bytes) => (account.diskBytes = bytes),
      // An unreadable size stays unknown: the rows that are written then fail by themselves.
      () => (account.diskBytes = null),
    );
  };
  const set = (room: Room, bytes: number): void => {
    const more = bytes - room.countedBytes;
    room.countedBytes = bytes;
    room.account.memoryBytes += more;
    add(room.account.memoryOf, room.app, more);
    add(apps, room.app, more);
    used += more;
  };
  const hold: Budget['hold'] = (room, bytes) => {
    const { account, app } = room;
    if (account.memoryBytes + bytes > ceilings.owner) return 'owner';
    if ((account.memoryOf.get(app) ?? 0) + bytes > ceilings.ownerApp) return 'ownerApp';
    const closing: Room[] = [];
    for (const [scope, missing] of [
      ['app', (apps.get(app) ?? 0) + bytes - ceilings.app],
      ['all', used + bytes - ceilings.all],
    ] as const) {
      const stillMissing = missing - closing.reduce((sum, { countedBytes }) => sum + countedBytes, 0);
      if (stillMissing <= 0) continue;
      const more = whoElse(accounts.values(), room, { app: scope === 'app' ? app : null, bytes, missing: stillMissing, closing });
      if (more === null) return scope;
      closing.push(...more);
    }
    for (const one of closing) close(one);
    return null;
  };
  return {
    accountOf: (dona) => {
      const account = accounts.get(dona) ?? newAccount(dona);
      accounts.set(dona, account);
      return account;
    },
    enter: (room) => void room.account.rooms.add(room),
    hold,
    grow: (room, bytes) => {
      measureDisk(room);
      return (room.account.diskBytes ?? 0) + bytes > limits.roomDiskPerPersonBytesMax ? 'disk' : hold(room, bytes);
    },
    count: (room, diskBytes) => {
      // A closed room counts no more.
      if (!room.account.rooms.has(room)) return;
      set(room, limits.roomMemoryOverheadBytes + bytesOf(room) + room.heldBytes);
      if (room.account.diskBytes !== null) room.account.diskBytes += diskBytes;
    },
    forget: (room) => {
      set(room, 0);
      const { account } = room;
      account.rooms.delete(room);
      if (account.rooms.size === 0 && accounts.get(account.dona) === account) accounts.delete(account.dona);
    },
  };
}

interface Wish {
  /** Null: of all. */
  readonly app: string | null;
  readonly bytes: number;
  readonly missing: number;
  /** They close anyway. */
  readonly closing: readonly Room[];
}

/** Rooms of other owners that have to close, too; null when that is not enough. */
function whoElse(accounts: Iterable<Account>, room: Room, { app, bytes, missing, closing }: Wish): readonly Room[] | null {
  const given = new Map<Account, number>();
  for (const { account, countedBytes } of closing) given.set(account, (given.get(account) ?? 0) + countedBytes);
  const heldBy = (account: Account): number =>
    (app === null ? account.memoryBytes : (account.memoryOf.get(app) ?? 0)) - (given.get(account) ?? 0);
  const others = [...accounts].filter((account) => account !== room.account && heldBy(account) > 0);
  const holders = others.map((account) => ({ bytes: heldBy(account), rooms: closable(account, app, closing) }));
  return whoGivesWay(missing, heldBy(room.account) + bytes, holders)?.map((one) => one.room) ?? null;
}

/** A room that is still being read holds nothing yet. */
function* closable({ rooms }: Account, app: string | null, closing: readonly Room[]) {
  for (const room of rooms) {
    const isMeant = (app === null || room.app === app) && room.countedBytes > 0 && !closing.includes(room);
    if (isMeant) yield { room, bytes: room.countedBytes, changedAtMs: room.changedAtMs };
  }
}

function add(sums: Map<string, number>, name: string, bytes: number): void {
  const sum = (sums.get(name) ?? 0) + bytes;
  if (sum === 0) sums.delete(name);
  else sums.set(name, sum);
}
