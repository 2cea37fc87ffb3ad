/** The parts of the API of files, put together: what portal.ts registers. */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import type { FilesCommands } from '../../schema/files.ts';
import type { OpenAnswers } from '../auth/open-answers.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Site } from '../http/hosts.ts';
import { createRate } from '../http/rate.ts';
import { addFileChangeRoutes } from '../routes/file-changes.ts';
import { addFileWorkRoutes } from '../routes/file-work.ts';
import { addFileRoutes } from '../routes/files.ts';
import { createUploads } from '../http/uploads.ts';
import { limits } from './limits.ts';
import { createPreviews, type Previews } from './previews.ts';

export interface FileParts {
  readonly previews: Previews;
  register(app: FastifyInstance): void;
}

export interface FilePartsDeps {
  readonly files: FilesCommands;
  readonly clock: Clock;
  readonly site: Site;
  readonly sessions: Pick<Sessions, 'alive'>;
  readonly open: Pick<OpenAnswers, 'holdRequest'>;
  readonly onError: (error: unknown) => void;
}

export function createFileParts({ files, clock, site, sessions, open, onError }: FilePartsDeps): FileParts {
  const beginTransfer = createUploads({ max: limits.transfersMax, perOwnerMax: limits.transfersPerPersonMax });
  const beginStream = createUploads({ max: limits.fileStreamsMax, perOwnerMax: limits.fileStreamsPerPersonMax });
  const count = createRate(clock, { burst: limits.fileChangesBurst, refillMs: limits.fileChangeRefillMs });
  const previews = createPreviews({ site, files, sessions, open, clock, beginTransfer, onError });
  return {
    previews,
    register: (app) => {
      addFileRoutes(app, { files, clock, beginTransfer, previews });
      addFileChangeRoutes(app, { files, clock, beginTransfer, previews, count });
      addFileWorkRoutes(app, { files, clock, beginTransfer, previews, beginStream, count });
    },
  };
}
