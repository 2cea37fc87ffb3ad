/**
 * The way of one portal to the database of the model: the pool of the driver as store/ uses it, over a line that is slow, breaks, drops
 * everything or finds the database away. Answers reach only a process that runs.
 */
import type { Pool } from 'pg';
import { limits } from '../../../store/limits.ts';
import type { Random } from '../random.ts';
import { ask, endTransaction, refused, type Answer, type Database, type Question, type Session } from './database.ts';
import type { ProcessClock } from './process.ts';

/** Faults of statements on the way. */
export interface Weather {
  /** The server is stopped: a caller gets an error at once. */
  isAway: boolean;
  /** Portals whose packets are dropped. */
  readonly cut: Set<object>;
  /** Since when they are not any more. */
  readonly mended: Map<object, number>;
  /** Every way takes up to so long. */
  slowMs: number;
  /** So many commits are carried out and not answered. */
  lostCommits: number;
}

export interface LineOptions {
  readonly database: Database;
  readonly weather: Weather;
  readonly clock: ProcessClock;
  readonly random: Random;
  /** The portal, as in `Weather.cut`. */
  readonly owner: object;
  /** Leaves out a protection on purpose: changes the question, or the answer. */
  readonly bends?: (question: Question, answer: Answer) => Answer;
  readonly onUnknown: (error: Error) => void;
}

export interface Line {
  readonly pool: Pool;
  readonly sessions: Set<Session>;
  /** As the kernel does for a process that ended. */
  end(): void;
}

const broke = (): Error => new Error('Connection terminated unexpectedly');

// oxlint-disable-next-line max-lines-per-function -- closures over one line
export function openLine(options: LineOptions): Line {
  const { database, weather, clock, random } = options;
  const sessions = new Set<Session>();
  const wayMs = (): number => random.int(0, 2) + (weather.slowMs > 0 ? random.int(0, weather.slowMs) : 0);
  const isCut = (): boolean => weather.cut.has(options.owner);
  const query = async (session: Session, asked: string | Question, values?: readonly unknown[]): Promise<Answer> => {
    const question: Question = typeof asked === 'string' ? { text: asked, values: values ?? [] } : asked;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // A network that drops everything says nothing: the driver gives up.
    const late = clock.at(clock.monotonicMs() + limits.storeStatementMsMax + limits.storeHeldMsMax, () => {
      drop(session);
      reject(new Error('Query read timeout'));
    });
    const settle = (answer: Answer | Error): void => {
      late();
      if (answer instanceof Error) reject(answer);
      else resolve(options.bends?.(question, answer) ?? answer);
    };
    /** As TCP does: what is dropped is sent again, later and later. */
    const arrive = (act: () => void, againMs = 200): void => {
      const ms = wayMs() + (isCut() ? againMs : 0);
      database.clock.at(database.clock.monotonicMs() + ms, () => {
        if (!isCut()) act();
        else if (sessions.has(session)) arrive(act, againMs * 2);
      });
    };
    const back = (answer: Answer | Error): void =>
      arrive(() => {
        if (sessions.has(session)) clock.gate(() => settle(answer));
      });
    arrive(() => {
      if (!sessions.has(session)) return clock.gate(() => settle(broke()));
      if (weather.isAway) {
        drop(session);
        return clock.gate(() => settle(refused('ECONNREFUSED', 'connect ECONNREFUSED')));
      }
      ask(database, session, question, (answer) => {
        if (answer instanceof Error && answer.message.startsWith('the database of the model')) options.onUnknown(answer);
        if (question.text !== 'COMMIT' || weather.lostCommits === 0) return back(answer);
        weather.lostCommits -= 1;
        drop(session);
        clock.gate(() => settle(broke()));
      });
    });
    return await promise;
  };
  const drop = (session: Session): void => {
    sessions.delete(session);
    endTransaction(database, session, false);
  };
  const open = (): Session => {
    const session: Session = { transaction: null };
    sessions.add(session);
    return session;
  };
  const connect = async (): Promise<object> => {
    const session = open();
    guardHeld(options, session, drop);
    return {
      query: (asked: string | Question, values?: readonly unknown[]) => query(session, asked, values),
      release: (): void => drop(session),
    };
  };
  const pool = {
    connect,
    query: async (asked: string | Question, values?: readonly unknown[]) => {
      const session = open();
      try {
        return await query(session, asked, values);
      } finally {
        drop(session);
      }
    },
  };
  return {
    pool: pool as unknown as Pool,
    sessions,
    end: () => {
      for (const session of sessions) drop(session);
    },
  };
}

/** idle_in_transaction_session_timeout: who stands still in the middle of a transaction holds nobody up for longer. */
function guardHeld({ database }: LineOptions, session: Session, drop: (session: Session) => void): void {
  database.clock.at(database.clock.monotonicMs() + limits.storeHeldMsMax, () => {
    if (session.transaction !== null) drop(session);
  });
}
