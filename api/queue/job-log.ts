/** The log of a job from one byte on, to where it ends now or, followed, to the end of the job. */
import { buffer } from 'node:stream/consumers';
import type { JobStore, StoredJob } from '../../store/jobs.ts';
import { limits } from '../limits.ts';
import type { JobNews } from './news.ts';
import type { Transfers } from './transfers.ts';

export interface JobLogDeps {
  readonly jobs: Pick<JobStore, 'job'>;
  readonly transfers: Pick<Transfers, 'openLog'>;
  readonly news: Pick<JobNews, 'next'>;
}

interface Asked {
  readonly from: number;
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** Ends also when the job is gone, or when the signal fires. */
export async function* jobLog({ jobs, transfers, news }: JobLogDeps, id: string, { from, follow, signal }: Asked): AsyncIterable<Buffer> {
  for (let at = from; !signal.aborted;) {
    // Before its log is read: after the end nothing is written any more.
    const job = await jobs.job(id);
    if (job === null) return;
    for (;;) {
      const piece = await readPiece(transfers, job, at);
      if (piece.length === 0) break;
      at += piece.length;
      yield piece;
    }
    if (!follow || job.outcome !== null) return;
    // Counted for nobody: who follows as admin takes no person's share.
    await news.next('', id, limits.jobLogLookMs, signal);
  }
}

/** Empty where the log ends now. */
export async function readPiece({ openLog }: Pick<Transfers, 'openLog'>, job: StoredJob, from: number): Promise<Buffer> {
  const file = await openLog(job);
  try {
    if (file === null || file.bytes <= from) return Buffer.alloc(0);
    return await buffer(file.read({ start: from, end: Math.min(file.bytes, from + limits.jobLogPieceBytesMax) - 1 }));
  } finally {
    await file?.close();
  }
}
