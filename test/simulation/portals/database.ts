/**
 * The database that portals of the model world share. It knows the questions that store/lease.ts, portals.ts, room-owners.ts, postgres-sql.ts and
 * postgres-room-log.ts ask, by their words, and answers them as PostgreSQL does: one transaction, one clock, rows that are held until the end.
 * fencing-contract.ts holds it and the real one to the same answers; a question it does not know is a violation, never an answer.
 */
import type { SimulatedClock } from '../../../controller/clock/simulated.ts';
import { answerRooms, type RoomTables } from './database-rooms.ts';

export type Row = Readonly<Record<string, unknown>>;
export interface Answer {
  readonly rows: readonly Row[];
  readonly rowCount: number;
}
export interface Question {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** A row that a transaction wrote is there once it is committed. */
export interface Session {
  transaction: Transaction | null;
}
export interface Transaction {
  readonly isSerializable: boolean;
  readonly beganAt: number;
  readonly held: Set<string>;
  readonly writes: (() => void)[];
}

export interface Lease {
  holder: string;
  number: number;
  untilMs: number;
}

export interface Database extends RoomTables {
  readonly clock: SimulatedClock;
  lease: Lease | null;
  /** Id of a portal to when it is over. */
  readonly portals: Map<string, { address: string; untilMs: number }>;
  /** Writes of the model's own store: carried out at the commit. */
  readonly acts: Map<string, (values: readonly unknown[]) => void>;
  /** A number that grows with each change of a row, for what a serializable transaction saw. */
  changes: number;
  readonly changedAt: Map<string, number>;
  readonly holders: Map<string, Set<Session>>;
  readonly waiting: Map<string, (() => void)[]>;
  /** The number of each writer's last committed group. */
  readonly lastWrites: Map<string, number>;
}

export function createDatabase(clock: SimulatedClock): Database {
  return {
    clock,
    lease: null,
    portals: new Map(),
    owners: new Map(),
    deleted: new Set(),
    tails: new Map(),
    acts: new Map(),
    changes: 0,
    changedAt: new Map(),
    holders: new Map(),
    waiting: new Map(),
    lastWrites: new Map(),
    onAppend: () => undefined,
  };
}

export const rowsOf = (...rows: readonly Row[]): Answer => ({ rows, rowCount: rows.length });
export const counted = (rowCount: number): Answer => ({ rows: [], rowCount });

/** As the driver has them: a refusal with its SQLSTATE. */
export const refused = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** The time of the database is its own, whatever the clocks of portals say. */
export const nowOf = ({ clock }: Database): number => clock.monotonicMs();

export function changed(database: Database, row: string): void {
  database.changes += 1;
  database.changedAt.set(row, database.changes);
}

/** Answers once nobody else holds a row that is written. */
export function ask(database: Database, session: Session, question: Question, answer: (answer: Answer | Error) => void): void {
  const row = writtenRows(database, question).find((one) => [...(database.holders.get(one) ?? [])].some((other) => other !== session));
  if (row !== undefined) {
    const waiting = database.waiting.get(row) ?? [];
    database.waiting.set(row, waiting);
    waiting.push(() => ask(database, session, question, answer));
    return;
  }
  try {
    answer(answerTo(database, session, question));
  } catch (error) {
    answer(error as Error);
  }
}

/** Begins a group of writes: its writer, and its number. */
const numberedGroup = /^BEGIN ISOLATION LEVEL SERIALIZABLE; INSERT INTO last_writes VALUES \('([^']+)', (\d+),/;

/** FOR SHARE of a transaction holds up who changes that row. */
function writtenRows({ owners }: Database, { text, values = [] }: Question): readonly string[] {
  if (/^(INSERT INTO|UPDATE) leases/.test(text)) return ['leases'];
  const group = numberedGroup.exec(text);
  if (group !== null) return [`writer ${group[1]}`];
  if (text.startsWith('INSERT INTO last_writes')) return [`writer ${String(values[0])}`];
  if (/^(INSERT INTO|DELETE FROM|UPDATE) room_owners/.test(text) && !text.includes('WHERE portal')) return [`room ${String(values[0])}`];
  if (!text.startsWith('UPDATE room_owners')) return [];
  return [...owners].flatMap(([sala, { portal }]) => (portal === values[0] ? [`room ${sala}`] : []));
}

export function hold(database: Database, session: Session, row: string): void {
  session.transaction?.held.add(row);
  const holders = database.holders.get(row) ?? new Set();
  database.holders.set(row, holders.add(session));
}

/** Commit, rollback, or a connection that ended. */
export function endTransaction(database: Database, session: Session, isCommit: boolean): void {
  const { transaction } = session;
  if (transaction === null) return;
  session.transaction = null;
  if (isCommit) for (const write of transaction.writes) write();
  for (const row of transaction.held) {
    database.holders.get(row)?.delete(session);
    const waiting = database.waiting.get(row) ?? [];
    database.waiting.delete(row);
    for (const go of waiting) go();
  }
}

function begin(database: Database, session: Session, isSerializable: boolean): Transaction {
  session.transaction = { isSerializable, beganAt: database.changes, held: new Set(), writes: [] };
  return session.transaction;
}

function answerTo(database: Database, session: Session, question: Question): Answer {
  const { text, values = [] } = question;
  const [, writer, group] = numberedGroup.exec(text) ?? [];
  if (writer !== undefined) {
    const transaction = begin(database, session, true);
    hold(database, session, `writer ${writer}`);
    transaction.writes.push(() => database.lastWrites.set(writer, Number(group)));
  } else if (text.startsWith('BEGIN')) begin(database, session, false);
  else if (text === 'COMMIT' || text === 'ROLLBACK') endTransaction(database, session, text === 'COMMIT');
  else if (text.startsWith('INSERT INTO last_writes')) return rowsOf({ n: database.lastWrites.get(String(values[0])) ?? 0 });
  else {
    const act = database.acts.get(text);
    if (act === undefined) return answerLeases(database, session, question);
    write(session, () => act(values));
    return counted(1);
  }
  return counted(0);
}

/** At the commit, or at once outside of a transaction. */
export function write(session: Session, act: () => void): void {
  if (session.transaction === null) act();
  else session.transaction.writes.push(act);
}

/** The interval in the statement itself, so that a changed limit of the product is a changed one here. */
function msIn(text: string): number {
  const ms = /interval '(\d+) milliseconds'/.exec(text)?.[1];
  if (ms === undefined) throw new Error(`no interval in ${text}`);
  return Number(ms);
}

function answerLeases(database: Database, session: Session, question: Question): Answer {
  const { text, values = [] } = question;
  const { lease } = database;
  const nowMs = nowOf(database);
  if (text.startsWith('SELECT until < clock_timestamp() AS free, number FROM leases'))
    return lease === null ? rowsOf() : rowsOf({ free: lease.untilMs < nowMs, number: lease.number });
  if (text.startsWith('INSERT INTO leases')) {
    if (lease !== null && lease.untilMs >= nowMs) return rowsOf();
    const number = Math.max((lease?.number ?? 0) + 1, database.clock.nowMs(), Number(values[1]) + 1);
    database.lease = { holder: String(values[0]), number, untilMs: nowMs + msIn(text) };
    changed(database, 'leases');
    return rowsOf({ number });
  }
  if (text.startsWith('UPDATE leases SET holder = $2, number = $1, until =')) {
    const [number, holder] = values as readonly [number, string];
    if (lease === null || lease.number > number || (lease.number === number && lease.holder !== holder)) return counted(0);
    database.lease = { holder, number, untilMs: nowMs + msIn(text) };
    changed(database, 'leases');
    return counted(1);
  }
  if (text.startsWith(`UPDATE leases SET until = '-infinity'`)) {
    if (lease === null || lease.number !== values[0]) return counted(0);
    lease.untilMs = -Infinity;
    changed(database, 'leases');
    return counted(1);
  }
  if (text === `SELECT number, holder FROM leases WHERE name = 'leader' FOR SHARE`) {
    const { transaction } = session;
    // A serializable transaction may not lock a row that changed after it began.
    if (transaction?.isSerializable === true && (database.changedAt.get('leases') ?? 0) > transaction.beganAt)
      throw refused('40001', 'could not serialize access due to concurrent update');
    hold(database, session, 'leases');
    return lease === null ? rowsOf() : rowsOf({ number: lease.number, holder: lease.holder });
  }
  return answerPortals(database, session, question);
}

function answerPortals(database: Database, session: Session, question: Question): Answer {
  const { text, values = [] } = question;
  const nowMs = nowOf(database);
  if (text.startsWith('DELETE FROM portals WHERE until')) return counted(0);
  if (text.startsWith('INSERT INTO portals')) {
    const [id, , address] = values.map(String) as [string, string, string];
    const before = database.portals.get(id);
    database.portals.set(id, { address, untilMs: nowMs + msIn(text) });
    return rowsOf({ lived: before === undefined ? null : before.untilMs > nowMs });
  }
  if (text.startsWith('DELETE FROM portals WHERE id')) return counted(database.portals.delete(String(values[0])) ? 1 : 0);
  const answered = answerRooms(database, session, question);
  if (answered === null) throw new Error(`the database of the model does not know: ${text}`);
  return answered;
}
