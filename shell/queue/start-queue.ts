/** The queue's model on the portal's routes: my jobs, or for administrators those of all people. */
import type { JobView } from '../../schema/wire/jobs.ts';
import { ApiError } from '../session/api.ts';
import { readAllJobs, readAnyJob, readJob, readJobs } from '../session/jobs-api.ts';
import { createQueueModel, type JobsOf, type JobsPage, type QueueModel } from './model.ts';
import { sayChanges } from './words.ts';

export function startQueue(announce: (words: string) => void): QueueModel {
  return createQueueModel(readPage, readOne, (jobs) => {
    if (jobs.length > 0) announce(sayChanges(jobs));
  });
}

async function readPage(of: JobsOf, before: string | null): Promise<JobsPage> {
  if (of !== null) {
    const { clusters, trabalhos, mais } = await readAllJobs(of, before);
    return { jobs: trabalhos, more: mais, clusters, off: null, space: null };
  }
  const { disponivel, codigo, motivo, clusters, trabalhos, mais, espaco } = await readJobs(before);
  return { jobs: trabalhos, more: mais, clusters, off: disponivel ? null : { codigo: codigo ?? '', motivo: motivo ?? '' }, space: espaco };
}

async function readOne(of: JobsOf, id: string): Promise<JobView | null> {
  try {
    return await (of === null ? readJob(id) : readAnyJob(id));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
