/** The parts of the queue's API, put together: what portal.ts registers. */
import type { FastifyInstance } from 'fastify';
import type { Bus } from '../../store/bus.ts';
import type { Bytes } from '../../store/bytes.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { createRate } from '../http/rate.ts';
import { addExecutorRoutes } from '../routes/queue-executor.ts';
import { addQueueAdminRoutes } from '../routes/queue-admin.ts';
import { addQueueAgainRoute } from '../routes/queue-again.ts';
import { addQueueArchiveRoute } from '../routes/queue-archive.ts';
import { addQueueFileRoutes } from '../routes/queue-files.ts';
import { addQueueRoutes } from '../routes/queue.ts';
import { createUploads } from '../http/uploads.ts';
import { createExecutor, type Executor } from './executor.ts';
import { createQueueFiles } from './files.ts';
import { limits } from './limits.ts';
import { createJobNews } from './news.ts';
import { createQueue, spaceMax } from './queue.ts';
import { sweepQueue } from './sweep.ts';
import { createTransfers } from './transfers.ts';

export interface QueueParts {
  readonly executor: Pick<Executor, 'check'>;
  register(app: FastifyInstance): void;
  close(): void;
}

export interface QueuePartsDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly gateway: Pick<Gateway, 'queue' | 'apps'>;
  /** Inputs, logs and outputs. */
  readonly jobFiles: Bytes;
  readonly onError: (error: unknown) => void;
}

export function createQueueParts({ store, bus, clock, gateway, jobFiles, onError }: QueuePartsDeps): QueueParts {
  const { jobs } = store;
  const files = createQueueFiles(jobFiles);
  const beginUpload = createUploads({ max: limits.queueUploadsMax, perOwnerMax: limits.queueUploadsPerOwnerMax });
  const common = { jobs, files, bus, clock, beginUpload, spaceMax: () => spaceMax({ view: gateway.queue }) };
  const queue = createQueue({ jobs, bus, clock, view: gateway.queue, apps: gateway.apps });
  const executor = createExecutor(common);
  const transfers = createTransfers(common);
  const news = createJobNews(bus, clock);
  const sweep = sweepQueue({ jobs, files, clock, onError });
  const count = createRate(clock, { burst: limits.queueChangesBurst, refillMs: limits.queueChangeRefillMs });
  return {
    executor,
    register: (app) => {
      addQueueRoutes(app, { queue, news, jobs, count, view: gateway.queue });
      addQueueFileRoutes(app, { queue, transfers, clock, count });
      addQueueAdminRoutes(app, { queue, jobs, transfers, news, clock, onError });
      addQueueAgainRoute(app, { queue, jobs, count });
      addQueueArchiveRoute(app, { queue, transfers, clock });
      addExecutorRoutes(app, { executor, clock });
    },
    close: () => {
      sweep.stop();
      news.close();
    },
  };
}
