/** Rooms and roles. People and groups are two tables of one shape. Contract: rooms.ts. */
import { papeisConcedidos } from '../../schema/rooms.ts';
import { melhorPapel, type Papel, type PapelConcedido } from '../../schema/rooms.ts';
import { limits } from '../limits.ts';
import type { RoleChange, RoleWish, RoomStore, Standing, StoredNotice, StoredRoom, Who } from '../rooms.ts';
import { done, type Act, type Sql } from '../sql.ts';

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
type StandingRow = (RoomRow | { readonly id: null }) & { readonly by_name: string | null; readonly by_groups: string | null };
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

/** Not of a role that is lower than before, nor of one that a Grant takes back after somebody changed it by hand. */
function isInvited(before: RoleRow, papel: PapelConcedido, document: string | null): boolean {
  const isBack = document !== null && before.declared_by === document && before.given === before.role;
  return !isBack && papeisConcedidos.indexOf(papel) > papeisConcedidos.indexOf(before.role as PapelConcedido);
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
  | 'binRoom'
  | 'binnedRooms'
  | 'unbinRoom'
  | 'binnedBefore'
  | 'setOwner'
  | 'handOver'
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

type Count = { readonly n: number };
type Id = { readonly id: string };
type RoomName = { readonly room: string };

export function openRooms(sql: Sql): Rooms {
  const one = sql.prepare('SELECT * FROM rooms WHERE id = ?');
  const any = sql.prepare("SELECT 1 FROM rooms WHERE id >= '' LIMIT 1");
  const declared = sql.prepare('SELECT * FROM rooms WHERE app = ? AND declared_name = ?');
  const owned = sql.prepare('SELECT count(*) AS n FROM rooms WHERE owner = ?');
  const mine = sql.prepare('SELECT id FROM rooms WHERE owner = ?');
  const insert = sql.prepare(
    'INSERT INTO rooms (id, app, name, owner, created_at_ms, changed_at_ms, declared_name) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const rename = sql.prepare('UPDATE rooms SET name = ?, changed_at_ms = ? WHERE id = ?');
  const people = sql.prepare('SELECT * FROM room_people WHERE room = ? ORDER BY name');
  const groups = sql.prepare('SELECT * FROM room_groups WHERE room = ? ORDER BY name');
  const standing = openStanding(sql);
  function* found(asked: Act<RoomRow | undefined>): Act<StoredRoom | null> {
    const row = yield* asked;
    return row ? roomOf(row) : null;
  }
  return {
    createRoom: (made) =>
      sql.write(function* () {
        if (made.declaredName !== null && (yield* declared.get(made.app, made.declaredName))) return 'taken' as const;
        if (((yield* owned.get<Count>(made.dona))?.n ?? 0) >= limits.roomsOwnedMax) return 'full' as const;
        yield* insert.run(made.id, made.app, made.nome, made.dona, made.createdAtMs, made.changedAtMs, made.declaredName);
        return 'created' as const;
      }),
    room: (id) => sql.read(() => found(one.get<RoomRow>(id))),
    hasRooms: () =>
      sql.read(function* () {
        return (yield* any.get()) !== undefined;
      }),
    declaredRoom: (app, name) => sql.read(() => found(declared.get<RoomRow>(app, name))),
    standing: (id, who) => sql.read(() => standing.one(id, who)),
    roomsOf: (app, who) => sql.read(() => standing.all(app, who)),
    ownedRooms: (dona) =>
      sql.read(function* () {
        return (yield* mine.all<Id>(dona)).map(({ id }) => id);
      }),
    members: (id) =>
      sql.read(function* () {
        const byName = yield* people.all<RoleRow>(id);
        const byGroup = yield* groups.all<RoleRow>(id);
        return {
          people: byName.map((row) => Object.assign(roleOf(row), { usuario: row.name })),
          groups: byGroup.map((row) => Object.assign(roleOf(row), { grupo: row.name })),
        };
      }),
    renameRoom: (id, nome, atMs) =>
      sql.write(function* () {
        return (yield* rename.run(nome, atMs, id)) === 1;
      }),
    ...openDeletions(sql),
    ...openBin(sql),
    ...openOwners(sql),
    forgetPerson: forgetPerson(sql),
  };
}

function openOwners(sql: Sql): Pick<RoomStore, 'setOwner' | 'handOver'> {
  const owner = sql.prepare('SELECT owner FROM rooms WHERE id = ?');
  const owned = sql.prepare('SELECT count(*) AS n FROM rooms WHERE owner = ?');
  const own = sql.prepare('UPDATE rooms SET owner = ?, changed_at_ms = ? WHERE id = ?');
  const dropRole = sql.prepare('DELETE FROM room_people WHERE room = ? AND name = ?');
  const keepRole = sql.prepare(
    `INSERT INTO room_people VALUES (?, ?, 'editar', 'editar', NULL) ON CONFLICT (room, name) DO UPDATE SET role = excluded.role, given = excluded.given`,
  );
  return {
    setOwner: (id, dona, atMs) =>
      sql.write(function* () {
        yield* dropRole.run(id, dona);
        return (yield* own.run(dona, atMs, id)) === 1;
      }),
    handOver: (id, from, to, atMs) =>
      sql.write(function* () {
        if ((yield* owner.get<{ readonly owner: string }>(id))?.owner !== from) return 'gone' as const;
        if (((yield* owned.get<Count>(to))?.n ?? 0) >= limits.roomsOwnedMax) return 'full' as const;
        yield* dropRole.run(id, to);
        yield* own.run(to, atMs, id);
        yield* keepRole.run(id, from);
        return 'done' as const;
      }),
  };
}

/** A deleted room is not the same as an unknown one: its leftovers on the disk may be removed. */
function openDeletions(sql: Sql): Pick<RoomStore, 'deleteRoom' | 'wasDeleted' | 'deletedRooms' | 'forgetDeleted'> {
  const remove = sql.prepare('DELETE FROM rooms WHERE id = ?');
  const remember = sql.prepare('INSERT INTO deleted_rooms VALUES (?) ON CONFLICT DO NOTHING');
  const one = sql.prepare('SELECT 1 FROM deleted_rooms WHERE room = ?');
  const all = sql.prepare("SELECT room FROM deleted_rooms WHERE room >= '' ORDER BY room");
  const forget = sql.prepare('DELETE FROM deleted_rooms WHERE room = ?');
  return {
    deleteRoom: (id) =>
      sql.write(function* () {
        if ((yield* remove.run(id)) !== 1) return false;
        yield* remember.run(id);
        return true;
      }),
    wasDeleted: (id) =>
      sql.read(function* () {
        return (yield* one.get(id)) !== undefined;
      }),
    deletedRooms: () =>
      sql.read(function* () {
        return (yield* all.all<RoomName>()).map(({ room }) => room);
      }),
    forgetDeleted: (id) => sql.write(() => done(forget.run(id))),
  };
}

/** A room in the bin is a room that nobody is in. A Grant that named it makes another one. */
function openBin(sql: Sql): Pick<RoomStore, 'binRoom' | 'binnedRooms' | 'unbinRoom' | 'binnedBefore'> {
  const bin = sql.prepare('UPDATE rooms SET binned_ms = ?, declared_name = NULL WHERE id = ? AND binned_ms IS NULL');
  const mine = sql.prepare('SELECT * FROM rooms WHERE owner = ? AND binned_ms IS NOT NULL ORDER BY binned_ms DESC, id');
  const back = sql.prepare('UPDATE rooms SET binned_ms = NULL, changed_at_ms = ? WHERE id = ? AND owner = ? AND binned_ms IS NOT NULL');
  const old = sql.prepare('SELECT id FROM rooms WHERE binned_ms < ? ORDER BY binned_ms LIMIT ?');
  return {
    binRoom: (id, atMs) =>
      sql.write(function* () {
        return (yield* bin.run(atMs, id)) === 1;
      }),
    binnedRooms: (dona) =>
      sql.read(function* () {
        const rows = yield* mine.all<RoomRow & { readonly binned_ms: number }>(dona);
        return rows.map((row) => ({ room: roomOf(row), binnedAtMs: row.binned_ms }));
      }),
    unbinRoom: (id, dona, atMs) =>
      sql.write(function* () {
        return (yield* back.run(atMs, id, dona)) === 1;
      }),
    binnedBefore: (atMs) =>
      sql.read(function* () {
        return (yield* old.all<Id>(atMs, limits.roomsExpiredAtOnce)).map(({ id }) => id);
      }),
  };
}

/** Membership of rooms: the owner, by name, by group. */
function openStanding(sql: Sql) {
  // The roles are looked for in any case: whether there is such a room must not show in the time.
  const one = sql.prepare(`
    SELECT rooms.*,
      (SELECT role FROM room_people WHERE room = ?1 AND name = ?2) AS by_name,
      (SELECT string_agg(role, ',') FROM room_groups WHERE room = ?1 AND name IN (SELECT value FROM json_each(?3))) AS by_groups
    FROM (SELECT 1) AS always LEFT JOIN rooms ON rooms.id = ?1 AND rooms.binned_ms IS NULL`);
  // Each arm goes by an index; the outer query joins at most what one person is in.
  const all = sql.prepare(`
    SELECT rooms.*, mine.role FROM (
      SELECT id AS room, 'dona' AS role FROM rooms WHERE owner = ?1
      UNION ALL SELECT room, role FROM room_people WHERE name = ?1
      UNION ALL SELECT room_groups.room, role FROM json_each(?2) AS mine JOIN room_groups ON room_groups.name = mine.value
    ) AS mine CROSS JOIN rooms WHERE rooms.id = mine.room AND rooms.binned_ms IS NULL AND (CAST(?3 AS TEXT) IS NULL OR rooms.app = ?3)`);
  const best = (...roles: readonly (string | null)[]): Papel | null =>
    roles.flatMap((role) => role?.split(',') ?? []).reduce<Papel | null>((found, role) => melhorPapel(found, role as Papel), null);
  return {
    *one(id: string, { usuario, grupos }: Who): Act<Standing | null> {
      const row = yield* one.get<StandingRow>(id, usuario, JSON.stringify(grupos));
      if (row === undefined || row.id === null) return null;
      return { room: roomOf(row), papel: row.owner === usuario && usuario !== '' ? 'dona' : best(row.by_name, row.by_groups) };
    },
    *all(app: string | null, { usuario, grupos }: Who): Act<readonly Standing[]> {
      const rows = yield* all.all<RoomRow & { readonly role: string }>(usuario, JSON.stringify(grupos), app);
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

function forgetPerson(sql: Sql): RoomStore['forgetPerson'] {
  const rooms = sql.prepare('SELECT id FROM rooms WHERE owner = ?1 UNION SELECT room FROM room_people WHERE name = ?1');
  const disown = sql.prepare("UPDATE rooms SET owner = '', changed_at_ms = ? WHERE owner = ?");
  const drops = [
    sql.prepare('DELETE FROM room_people WHERE name = ?'),
    sql.prepare('DELETE FROM notices WHERE person = ?'),
    sql.prepare('DELETE FROM notice_anchors WHERE person = ?'),
    sql.prepare('DELETE FROM portal_tokens WHERE person = ?'),
  ];
  return (usuario, atMs) =>
    sql.write(function* () {
      const found = (yield* rooms.all<Id>(usuario)).map(({ id }) => id);
      yield* disown.run(atMs, usuario);
      for (const drop of drops) yield* drop.run(usuario);
      return found;
    });
}

type AddNotices = (notices: readonly StoredNotice[]) => Act<unknown>;

/** `addNotices` runs inside the transaction of the role. */
export function openRoles(sql: Sql, addNotices: AddNotices): Roles {
  const people = openRoleTable(sql, { table: 'room_people', countMax: limits.roomPeopleMax, addNotices });
  const groups = openRoleTable(sql, { table: 'room_groups', countMax: limits.roomGroupsMax, addNotices });
  const ofDocument = sql.prepare(
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
    declaredBy: (document) =>
      sql.read(function* () {
        return (yield* ofDocument.all<RoomName>(document)).map(({ room }) => room);
      }),
  };
}

interface RoleTable {
  readonly table: 'room_people' | 'room_groups';
  readonly countMax: number;
  readonly addNotices: AddNotices;
}

function openRoleTable(sql: Sql, { table, countMax, addNotices }: RoleTable) {
  const room = sql.prepare('SELECT owner FROM rooms WHERE id = ?');
  const touch = sql.prepare('UPDATE rooms SET changed_at_ms = ? WHERE id = ?');
  const one = sql.prepare(`SELECT * FROM ${table} WHERE room = ? AND name = ?`);
  const count = sql.prepare(`SELECT count(*) AS n FROM ${table} WHERE room = ?`);
  const upsert = sql.prepare(
    `INSERT INTO ${table} VALUES (?, ?, ?, ?, ?) ON CONFLICT (room, name) DO UPDATE SET
       role = excluded.role, given = excluded.given, declared_by = excluded.declared_by`,
  );
  const remove = sql.prepare(`DELETE FROM ${table} WHERE room = ? AND name = ?`);

  function* put(id: string, name: string, document: string | null, { papel, atMs, invitations }: RoleWish): Act<RoleChange> {
    const owner = (yield* room.get<{ readonly owner: string }>(id))?.owner;
    // The owner has only the role of the owner.
    if (owner === undefined || (table === 'room_people' && owner === name)) return 'gone';
    const before = yield* one.get<RoleRow>(id, name);
    if (!before && ((yield* count.get<Count>(id))?.n ?? 0) >= countMax) return 'full';
    const given = document === null ? papel : (before?.given ?? null);
    const by = document ?? before?.declared_by ?? null;
    if (before?.role === papel && before.given === given && before.declared_by === by) return 'same';
    yield* upsert.run(id, name, papel, given, by);
    yield* touch.run(atMs, id);
    if (before?.role === papel) return 'same';
    if (!before || isInvited(before, papel, document)) yield* addNotices(invitations);
    return before ? 'changed' : 'new';
  }
  return {
    put: (id: string, name: string, document: string | null, wish: RoleWish) => sql.write(() => put(id, name, document, wish)),
    take: (id: string, name: string, atMs: number) =>
      sql.write(function* () {
        if ((yield* remove.run(id, name)) === 0) return false;
        yield* touch.run(atMs, id);
        return true;
      }),
    withdraw: (id: string, name: string, document: string, atMs: number) =>
      sql.write(function* () {
        const before = yield* one.get<RoleRow>(id, name);
        if (before?.declared_by !== document) return false;
        if (before.given === null) yield* remove.run(id, name);
        else yield* upsert.run(id, name, before.given, before.given, null);
        yield* touch.run(atMs, id);
        return true;
      }),
  };
}
