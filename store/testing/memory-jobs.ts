/** The job store of the embedded database, in memory: for tests of the api, which knows its contract only. */
import { DatabaseSync } from 'node:sqlite';
import type { JobStore } from '../jobs.ts';
import { migrations } from '../migrations.ts';
import { openJobs } from '../tables/jobs.ts';
import { sqliteSql } from '../sqlite-sql.ts';
import { createTurnWriter } from '../turn-writer.ts';

export function createMemoryJobs(): JobStore {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  for (const step of migrations) database.exec(step);
  return openJobs(sqliteSql(database, createTurnWriter(database)));
}
