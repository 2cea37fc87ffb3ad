/** Rooms in the database of the model: whose they are (store/room-owners.ts) and what their logs hold (store/postgres-room-log.ts). */
import { counted, hold, nowOf, rowsOf, write, type Answer, type Database, type Question, type Row, type Session } from './database.ts';

interface TailRow {
  readonly seq: number;
  readonly frames: Buffer;
}

export interface RoomTables {
  /** Portal '': it was given back. */
  readonly owners: Map<string, { portal: string; number: number }>;
  readonly deleted: Set<string>;
  /** Rows by `sala canal`. */
  readonly tails: Map<string, TailRow[]>;
  /** For invariants: a row is in the log from now on. */
  onAppend: (session: Session, sala: string) => void;
}

export const lives = (database: Database, portal: string): boolean =>
  (database.portals.get(portal)?.untilMs ?? -Infinity) > nowOf(database);

/** Null: not one of these. */
export function answerRooms(database: Database, session: Session, question: Question): Answer | null {
  const { text, values = [] } = question;
  const { owners, deleted } = database;
  const [first, second, third] = values;
  const sala = String(first);
  const owner = owners.get(sala);
  if (text.startsWith('INSERT INTO room_owners')) return take(database, sala, String(second));
  if (text.startsWith('SELECT EXISTS (SELECT FROM deleted_rooms')) {
    const holder = owner !== undefined && lives(database, owner.portal) ? owner.portal : null;
    const address = holder === null ? null : database.portals.get(holder)?.address;
    return rowsOf({ deleted: deleted.has(sala), member: lives(database, String(second)), portal: holder, address });
  }
  if (text.startsWith('SELECT o.portal, p.address FROM room_owners')) {
    if (owner === undefined || !lives(database, owner.portal)) return rowsOf();
    return rowsOf({ portal: owner.portal, address: database.portals.get(owner.portal)?.address });
  }
  if (text.startsWith(`UPDATE room_owners SET portal = '' WHERE sala`)) {
    if (owner === undefined || owner.portal !== second || owner.number !== third) return counted(0);
    owner.portal = '';
    return counted(1);
  }
  if (text.startsWith(`UPDATE room_owners SET portal = '' WHERE portal`)) {
    const held = [...owners.values()].filter(({ portal }) => portal === first);
    for (const one of held) one.portal = '';
    return counted(held.length);
  }
  if (text.startsWith('SELECT held.sala')) {
    const numbers = second as readonly number[];
    const isOurs = (one: string, n: number): boolean => owners.get(one)?.portal === third && owners.get(one)?.number === numbers[n];
    return rowsOf(...(first as readonly string[]).filter((one, n) => !isOurs(one, n)).map((one) => ({ sala: one })));
  }
  if (text.startsWith('SELECT sala, portal, number FROM room_owners')) {
    const rows: Row[] = [];
    for (const one of first as readonly string[]) {
      hold(database, session, `room ${one}`);
      const found = owners.get(one);
      if (found !== undefined) rows.push({ sala: one, ...found });
    }
    return rowsOf(...rows);
  }
  if (text.startsWith('SELECT room FROM deleted_rooms'))
    return rowsOf(...(first as readonly string[]).filter((one) => deleted.has(one)).map((room) => ({ room })));
  return answerLog(database, session, question);
}

function take(database: Database, sala: string, portal: string): Answer {
  const { owners, deleted } = database;
  const owner = owners.get(sala);
  if (owner === undefined) {
    if (!lives(database, portal) || deleted.has(sala)) return rowsOf();
    owners.set(sala, { portal, number: 1 });
    return rowsOf({ number: 1 });
  }
  if (!lives(database, portal) || deleted.has(sala)) return rowsOf();
  if (owner.portal !== portal && lives(database, owner.portal)) return rowsOf();
  if (owner.portal !== portal) owner.number += 1;
  owner.portal = portal;
  return rowsOf({ number: owner.number });
}

function answerLog(database: Database, session: Session, { text, values = [] }: Question): Answer | null {
  if (text.startsWith('SELECT seq, vector, deletes, octet_length(base)')) return rowsOf();
  if (text.startsWith('SELECT seq, frames, at_ms')) {
    const tail = database.tails.get(`${String(values[0])} ${String(values[1])}`) ?? [];
    return rowsOf(...tail.toSorted((a, b) => a.seq - b.seq).map(({ seq, frames }) => ({ seq, frames, atMs: 0, who: '' })));
  }
  if (text.startsWith('INSERT INTO room_tails')) {
    const rows = givenRows(values);
    const isThere = ({ key, seq }: GivenRow): boolean => database.tails.get(key)?.some((row) => row.seq === seq) === true;
    const missing = rows.filter((row) => !isThere(row));
    write(session, () => {
      for (const { key, sala, seq, frames } of missing) {
        const tail = database.tails.get(key) ?? [];
        database.tails.set(key, tail);
        tail.push({ seq, frames });
        database.onAppend(session, sala);
      }
    });
    return counted(missing.length);
  }
  if (text.startsWith('SELECT given.sala, given.seq')) {
    const other = givenRows(values).find(({ key, seq, frames }) =>
      database.tails.get(key)?.some((row) => row.seq === seq && !row.frames.equals(frames)),
    );
    return other === undefined ? rowsOf() : rowsOf({ sala: other.sala, seq: other.seq });
  }
  return null;
}

interface GivenRow extends TailRow {
  readonly key: string;
  readonly sala: string;
}

function givenRows([salas, canais, seqs, lengths, bytes, without]: readonly unknown[]): readonly GivenRow[] {
  let at = 0;
  const rows = (salas as readonly string[]).map((sala, n) => {
    const length = (lengths as readonly number[])[n] ?? 0;
    at += length;
    const frames = Buffer.from((bytes as Buffer).subarray(at - length, at));
    return { key: `${sala} ${(canais as readonly string[])[n]}`, sala, seq: (seqs as readonly number[])[n] ?? 0, frames };
  });
  return rows.filter(({ sala }) => !(without as readonly string[]).includes(sala));
}
