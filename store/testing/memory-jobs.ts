/** The job store of the embedded database, in memory: for tests of the api, which knows its contract only. */
import type { JobStore } from '../jobs.ts';
import { openJobs } from '../tables/jobs.ts';
import { memorySql } from './memory-database.ts';

export const createMemoryJobs = (): JobStore => openJobs(memorySql());
