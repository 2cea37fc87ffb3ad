/** The queue's model on the portal's routes: my jobs, or for administrators those of all people. */
import { readAllJobs, readJobs } from '../session/jobs-api.ts';
import { createQueueModel, type JobsOf, type JobsPage, type QueueModel } from './model.ts';
import { sayChanges } from './words.ts';

export function startQueue(announce: (words: string) => void): QueueModel {
  return createQueueModel(readPage, (jobs) => {
    if (jobs.length > 0) announce(sayChanges(jobs));
  });
}

async function readPage(of: JobsOf, before: string | null): Promise<JobsPage> {
  if (of !== null) {
    const { clusters, trabalhos } = await readAllJobs(of, before);
    return { jobs: trabalhos, clusters, off: null, space: null };
  }
  const { disponivel, codigo, motivo, clusters, trabalhos, espaco } = await readJobs(before);
  return { jobs: trabalhos, clusters, off: disponivel ? null : { codigo: codigo ?? '', motivo: motivo ?? '' }, space: espaco };
}
