/** Rooms and roles of the embedded store. People and groups are two tables of one shape. Contract: rooms.ts. */
import type { DatabaseSync } from 'node:sqlite';
import { limits } from './limits.ts';
import { melhorPapel, type Papel, type PapelConcedido } from '../schema/rooms.ts';
import type { RoleChange, RoleWish, RoomStore, Standing, StoredNotice, StoredRoom, Who } from './rooms.ts';
import type { TurnWriter } from './turn-writer.ts';

type RoomRow = {
  id: string;
  app: string;
  name: string;
  owner: string;
  created_at_ms: number;
  changed_at_ms: number;
  declared_name: string | null;
};
/** Without a room every column of it is null. */
type StandingRow = (RoomRow | { readonly id: null }) & { readonly byName: string | null; readonly byGroups: string | null };
type RoleRow = { room: string; name: string; role: string; given: string | null; declared_by: string | null };

function roomOf(row: RoomRow): StoredRoom {
  const { id, app, name, owner } = row;
  return {
    id,
    app,
    nome: name,
    dona: owner,
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    declaredName: row.declared_name,
  };
}

function roleOf({ role, given, declared_by }: RoleRow) {
  return { papel: role as PapelConcedido, given: given as PapelConcedido | null, declaredBy: declared_by };
}

type Rooms = Pick<
  RoomStore,
  | 'createRoom'
  | 'room'
  | 'hasRooms'
  | 'declaredRoom'
  | 'standing'
  | 'roomsOf'
  | 'ownedRooms'
  | 'members'
  | 'renameRoom'
  | 'deleteRoom'
  | 'wasDeleted'
  | 'deletedRooms'
  | 'forgetDeleted'
  | 'setOwner'
  | 'forgetPerson'
>;
type Roles = Pick<
  RoomStore,
  | 'givePerson'
  | 'giveGroup'
  | 'takePerson'
  | 'takeGroup'
  | 'declarePerson'
  | 'declareGroup'
  | 'withdrawPerson'
  | 'withdrawGroup'
  | 'declaredBy'
>;

export function openRooms(database: DatabaseSync, writer: TurnWriter): Rooms {
  const one = database.prepare('SELECT * FROM rooms WHERE id = ?');
  const any = database.prepare("SELECT 1 FROM rooms WHERE id >= '' LIMIT 1");
  const declared = database.prepare('SELECT * FROM rooms WHERE app = ? AND declared_name = ?');
  const owned = database.prepare('SELECT count(*) AS n FROM rooms WHERE owner = ?');
  const mine = database.prepare('SELECT id FROM rooms WHERE owner = ?');
  const insert = database.prepare('INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?)');
  const rename = database.prepare('UPDATE rooms SET name = ?, changed_at_ms = ? WHERE id = ?');
  const own = database.prepare('UPDATE rooms SET owner = ?, changed_at_ms = ? WHERE id = ?');
  const dropRole = database.prepare('DELETE FROM room_people WHERE room = ? AND name = ?');
  const people = database.prepare('SELECT * FROM room_people WHERE room = ? ORDER BY name');
  const groups = database.prepare('SELECT * FROM room_groups WHERE room = ? ORDER BY name');
  const standing = openStanding(database);
  const room = (id: string): StoredRoom | null => {
    writer.flush();
    const row = one.get(id) as RoomRow | undefined;
    return row ? roomOf(row) : null;
  };
  return {
    createRoom: (made) =>
      writer.write(() => {
        if (made.declaredName !== null && declared.get(made.app, made.declaredName)) return 'taken';
        if ((owned.get(made.dona) as { n: number }).n >= limits.roomsOwnedMax) return 'full';
        insert.run(made.id, made.app, made.nome, made.dona, made.createdAtMs, made.changedAtMs, made.declaredName);
        return 'created';
      }),
    room: async (id) => room(id),
    hasRooms: async () => {
      writer.flush();
      return any.get() !== undefined;
    },
    declaredRoom: async (app, name) => {
      writer.flush();
      const row = declared.get(app, name) as RoomRow | undefined;
      return row ? roomOf(row) : null;
    },
    standing: async (id, who) => {
      writer.flush();
      return standing.one(id, who);
    },
    roomsOf: async (app, who) => {
      writer.flush();
      return standing.all(app, who);
    },
    ownedRooms: async (dona) => {
      writer.flush();
      return (mine.all(dona) as { id: string }[]).map(({ id }) => id);
    },
    members: async (id) => {
      writer.flush();
      return {
        people: (people.all(id) as RoleRow[]).map((row) => Object.assign(roleOf(row), { usuario: row.name })),
        groups: (groups.all(id) as RoleRow[]).map((row) => Object.assign(roleOf(row), { grupo: row.name })),
      };
    },
    renameRoom: (id, nome, atMs) => writer.write(() => rename.run(nome, atMs, id).changes === 1),
    ...openDeletions(database, writer),
    setOwner: (id, dona, atMs) =>
      writer.write(() => {
        dropRole.run(id, dona);
        return own.run(dona, atMs, id).changes === 1;
      }),
    forgetPerson: forgetPerson(database, writer),
  };
}

/** A deleted room is not the same as an unknown one: its leftovers on the disk may be removed. */
function openDeletions(
  database: DatabaseSync,
  writer: TurnWriter,
): Pick<RoomStore, 'deleteRoom' | 'wasDeleted' | 'deletedRooms' | 'forgetDeleted'> {
  const remove = database.prepare('DELETE FROM rooms WHERE id = ?');
  const remember = database.prepare('INSERT OR IGNORE INTO deleted_rooms VALUES (?)');
  const one = database.prepare('SELECT 1 FROM deleted_rooms WHERE room = ?');
  const all = database.prepare("SELECT room FROM deleted_rooms WHERE room >= '' ORDER BY room");
  const forget = database.prepare('DELETE FROM deleted_rooms WHERE room = ?');
  return {
    deleteRoom: (id) =>
      writer.write(() => {
        if (remove.run(id).changes !== 1) return false;
        remember.run(id);
        return true;
      }),
    wasDeleted: async (id) => {
      writer.flush();
      return one.get(id) !== undefined;
    },
    deletedRooms: async () => {
      writer.flush();
      return (all.all() as { room: string }[]).map(({ room }) => room);
    },
    forgetDeleted: (id) =>
      writer.write(() => {
        forget.run(id);
      }),
  };
}

/** Who is in which room: the owner, by name, by group. */
function openStanding(database: DatabaseSync) {
  // The roles are looked for in any case: whether there is such a room must not show in the time.
  const one = database.prepare(`
    SELECT rooms.*,
      (SELECT role FROM room_people WHERE room = ?1 AND name = ?2) AS byName,
      (SELECT group_concat(role) FROM room_groups WHERE room = ?1 AND name IN (SELECT value FROM json_each(?3))) AS byGroups
    FROM (SELECT 1) LEFT JOIN rooms ON rooms.id = ?1`);
  // Each arm goes by an index; the outer query joins at most what one person is in.
  const all = database.prepare(`
    SELECT rooms.*, mine.role FROM (
      SELECT id AS room, 'dona' AS role FROM rooms WHERE owner = ?1
      UNION ALL SELECT room, role FROM room_people WHERE name = ?1
      UNION ALL SELECT room_groups.room, role FROM json_each(?2) AS mine JOIN room_groups ON room_groups.name = mine.value
    ) AS mine CROSS JOIN rooms ON rooms.id = mine.room WHERE ?3 IS NULL OR rooms.app = ?3`);
  const best = (...roles: readonly (string | null)[]): Papel | null =>
    roles.flatMap((role) => role?.split(',') ?? []).reduce<Papel | null>((found, role) => melhorPapel(found, role as Papel), null);
  return {
    one: (id: string, { usuario, grupos }: Who): Standing | null => {
      const row = one.get(id, usuario, JSON.stringify(grupos)) as unknown as StandingRow;
      if (row.id === null) return null;
      return { room: roomOf(row), papel: row.owner === usuario && usuario !== '' ? 'dona' : best(row.byName, row.byGroups) };
    },
    all: (app: string | null, { usuario, grupos }: Who): readonly Standing[] => {
      const rows = all.all(usuario, JSON.stringify(grupos), app) as (RoomRow & { role: string })[];
      const found = new Map<string, { room: StoredRoom; papel: Papel | null }>();
      for (const row of rows) {
        const known = found.get(row.id);
        if (known) known.papel = melhorPapel(known.papel, row.role as Papel);
        else found.set(row.id, { room: roomOf(row), papel: row.role as Papel });
      }
      const newestFirst = [...found.values()].sort((a, b) => b.room.createdAtMs - a.room.createdAtMs || (a.room.id < b.room.id ? 1 : -1));
      return newestFirst.slice(0, limits.roomsListedMax);
    },
  };
}

function forgetPerson(database: DatabaseSync, writer: TurnWriter): RoomStore['forgetPerson'] {
  const rooms = database.prepare('SELECT id FROM rooms WHERE owner = ?1 UNION SELECT room FROM room_people WHERE name = ?1');
  const disown = database.prepare("UPDATE rooms SET owner = '', changed_at_ms = ? WHERE owner = ?");
  const drops = [
    database.prepare('DELETE FROM room_people WHERE name = ?'),
    database.prepare('DELETE FROM notices WHERE person = ?'),
    database.prepare('DELETE FROM notice_anchors WHERE person = ?'),
    database.prepare('DELETE FROM portal_tokens WHERE person = ?'),
  ];
  return (usuario, atMs) =>
    writer.write(() => {
      const found = (rooms.all(usuario) as { id: string }[]).map(({ id }) => id);
      disown.run(atMs, usuario);
      for (const drop of drops) drop.run(usuario);
      return found;
    });
}

/** `notices` runs inside the transaction of the role. */
export function openRoles(database: DatabaseSync, writer: TurnWriter, addNotices: (notices: readonly StoredNotice[]) => unknown): Roles {
  const people = openRoleTable(database, writer, { table: 'room_people', countMax: limits.roomPeopleMax, addNotices });
  const groups = openRoleTable(database, writer, { table: 'room_groups', countMax: limits.roomGroupsMax, addNotices });
  const ofDocument = database.prepare(
    'SELECT room FROM room_people WHERE declared_by = ?1 UNION SELECT room FROM room_groups WHERE declared_by = ?1',
  );
  return {
    givePerson: (id, usuario, wish) => people.put(id, usuario, null, wish),
    giveGroup: (id, grupo, wish) => groups.put(id, grupo, null, wish),
    declarePerson: people.put,
    declareGroup: groups.put,
    takePerson: people.take,
    takeGroup: groups.take,
    withdrawPerson: people.withdraw,
    withdrawGroup: groups.withdraw,
    declaredBy: async (document) => {
      writer.flush();
      return (ofDocument.all(document) as { room: string }[]).map(({ room }) => room);
    },
  };
}

interface RoleTable {
  readonly table: 'room_people' | 'room_groups';
  readonly countMax: number;
  readonly addNotices: (notices: readonly StoredNotice[]) => unknown;
}

function openRoleTable(database: DatabaseSync, writer: TurnWriter, { table, countMax, addNotices }: RoleTable) {
  const room = database.prepare('SELECT owner FROM rooms WHERE id = ?');
  const touch = database.prepare('UPDATE rooms SET changed_at_ms = ? WHERE id = ?');
  const one = database.prepare(`SELECT * FROM ${table} WHERE room = ? AND name = ?`);
  const count = database.prepare(`SELECT count(*) AS n FROM ${table} WHERE room = ?`);
  const upsert = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?)`);
  const remove = database.prepare(`DELETE FROM ${table} WHERE room = ? AND name = ?`);

  const put = (id: string, name: string, document: string | null, { papel, atMs, invitations }: RoleWish): RoleChange => {
    const owner = (room.get(id) as { owner: string } | undefined)?.owner;
    // The owner has only the role of the owner.
    if (owner === undefined || (table === 'room_people' && owner === name)) return 'gone';
    const before = one.get(id, name) as RoleRow | undefined;
    if (!before && (count.get(id) as { n: number }).n >= countMax) return 'full';
    const given = document === null ? papel : (before?.given ?? null);
    const by = document ?? before?.declared_by ?? null;
    if (before?.role === papel && before.given === given && before.declared_by === by) return 'same';
    upsert.run(id, name, papel, given, by);
    touch.run(atMs, id);
    if (before?.role === papel) return 'same';
    addNotices(invitations);
    return before ? 'changed' : 'new';
  };
  return {
    put: (id: string, name: string, document: string | null, wish: RoleWish) => writer.write(() => put(id, name, document, wish)),
    take: (id: string, name: string, atMs: number) =>
      writer.write(() => {
        if (remove.run(id, name).changes === 0) return false;
        touch.run(atMs, id);
        return true;
      }),
    withdraw: (id: string, name: string, document: string, atMs: number) =>
      writer.write(() => {
        const before = one.get(id, name) as RoleRow | undefined;
        if (before?.declared_by !== document) return false;
        if (before.given === null) remove.run(id, name);
        else upsert.run(id, name, before.given, before.given, null);
        touch.run(atMs, id);
        return true;
      }),
  };
}
