/** `/v1/` of the portal: the first folder of packed versions that its Portal document names, from the moment in which it is one. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { codedError, sendProblem } from '../../api/http/problems.ts';
import { sendOwnSchema } from '../../api/repository/own-schema.ts';
import { createRepositoryHandler, type RepositoryHandler } from '../../api/repository/serve.ts';
import { openRepositoryFolder } from '../../kit/repository/publishing/folder.ts';
import { createRepositoryWriter } from '../../kit/repository/publishing/receive.ts';
import { isRepositoryFolder } from '../../kit/repository/reading/location.ts';
import type { Clock } from '../../schema/clock.ts';
import { createTurns } from '../../schema/turns.ts';

export interface ServedOptions {
  /** The folders that the document names, asked for each request: it may name another one, and an empty folder gets its first version while the portal runs. */
  readonly folders: () => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ServedRepository {
  readonly handle: RepositoryHandler;
  /** At start: what a killed publisher left goes, and the catalogue is made. Rejects when the folder can't be written to. */
  readonly look: () => Promise<void>;
}

interface Opened {
  readonly folder: string;
  readonly handle: RepositoryHandler;
}

export function createServedRepository({ folders, clock, log }: ServedOptions): ServedRepository {
  let opened: Opened | null = null;
  /** Opens in turn: opening a folder removes what it takes for left over there. */
  const inTurn = createTurns();
  const open = async (): Promise<RepositoryHandler> => {
    const folder = await firstPacked(folders());
    // A repository that was removed may come again: it is opened anew then.
    if (folder === null) {
      opened = null;
      return sendOwnSchema;
    }
    if (opened?.folder === folder) return opened.handle;
    await openRepositoryFolder(folder);
    opened = { folder, handle: createRepositoryHandler({ root: folder, writer: createRepositoryWriter(folder, clock), clock, log }) };
    return opened.handle;
  };
  const fail = (error: unknown): RepositoryHandler => {
    const id = randomUUID();
    log.error({ requestId: id, err: error }, 'the repository can not be opened');
    return (req, res) => sendProblem(res, codedError(error, id), req.method);
  };
  return {
    handle: (req, res) => {
      void inTurn('', open)
        .catch(fail)
        .then((handle) => handle(req, res));
    },
    look: async () => void (await inTurn('', open)),
  };
}

async function firstPacked(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) if (await isRepositoryFolder(folder)) return folder;
  return null;
}
