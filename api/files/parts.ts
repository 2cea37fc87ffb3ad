/** The parts of the API of files, put together: what portal.ts registers. */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import type { FilesCommands } from '../../schema/files.ts';
import { createRate } from '../rate.ts';
import { addFileChangeRoutes } from '../routes/file-changes.ts';
import { addFileWorkRoutes } from '../routes/file-work.ts';
import { addFileRoutes } from '../routes/files.ts';
import { createUploads } from '../uploads.ts';
import { limits } from './limits.ts';

export interface FileParts {
  register(app: FastifyInstance): void;
}

export interface FilePartsDeps {
  readonly files: FilesCommands;
  readonly clock: Clock;
}

export function createFileParts({ files, clock }: FilePartsDeps): FileParts {
  const beginTransfer = createUploads({ max: limits.transfersMax, perOwnerMax: limits.transfersPerPersonMax });
  const beginStream = createUploads({ max: limits.fileStreamsMax, perOwnerMax: limits.fileStreamsPerPersonMax });
  const count = createRate(clock, { burst: limits.fileChangesBurst, refillMs: limits.fileChangeRefillMs });
  return {
    register: (app) => {
      addFileRoutes(app, { files, clock, beginTransfer });
      addFileChangeRoutes(app, { files, clock, beginTransfer, count });
      addFileWorkRoutes(app, { files, clock, beginTransfer, beginStream, count });
    },
  };
}
