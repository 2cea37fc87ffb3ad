/** The acts of the store on SQLite: run to their end at once, writes of one turn of the event loop in one transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { statementOf, type Act, type Prepared, type Sql } from './sql.ts';
import type { TurnWriter } from './turn-writer.ts';

interface SqlitePrepared extends Prepared {
  readonly own: StatementSync;
}

/** `prepared` says when a statement is made: `now` finds a mistake in it at the start. */
export function sqliteSql(database: DatabaseSync, writer: TurnWriter, prepared: 'now' | 'when asked' = 'now'): Sql {
  const prepare = (text: string): SqlitePrepared => ({ text, own: database.prepare(text) });
  const prepareWhenAsked = (text: string): SqlitePrepared => {
    let made: StatementSync | undefined;
    return {
      text,
      get own() {
        return (made ??= database.prepare(text));
      },
    };
  };
  const make = prepared === 'now' ? prepare : prepareWhenAsked;
  return {
    prepare: (text) => statementOf(make(text)),
    read: async (act) => {
      writer.flush();
      return runAct(act());
    },
    write: (act, onFailed) => writer.write(() => runAct(act()), onFailed),
  };
}

function runAct<Result>(act: Act<Result>): Result {
  let step = act.next();
  while (step.done !== true) {
    const { statement, values, want } = step.value;
    const { own } = statement as SqlitePrepared;
    if (want === 'count') step = act.next(own.run(...values).changes);
    else step = act.next(want === 'row' ? own.get(...values) : own.all(...values));
  }
  return step.value;
}
