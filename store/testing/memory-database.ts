/** An embedded database in memory with the tables of today. They are made once for a process: a copy costs a hundredth of that. */
import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../migrations.ts';
import { sqliteSql } from '../sqlite-sql.ts';
import type { Sql } from '../sql.ts';
import { createTurnWriter } from '../turn-writer.ts';

let made: Uint8Array | undefined;

export function memorySql(): Sql {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  if (made === undefined) {
    for (const step of migrations) database.exec(step);
    made = database.serialize();
  } else database.deserialize(made);
  return sqliteSql(database, createTurnWriter(database), 'when asked');
}
