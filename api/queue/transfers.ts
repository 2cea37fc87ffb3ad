/** Bytes between submitters and the portal: inputs come in piece by piece, log and outputs go out, also while the job runs. */
import type { JobStore, StoredJob } from '../../store/jobs.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { OutputsAnswer, UploadAnswer } from '../../schema/wire/jobs.ts';
import type { BeginUpload } from '../http/uploads.ts';
import { appOf, type QueueCaller } from './callers.ts';
import type { OpenBytes } from '../../store/bytes.ts';
import type { QueueFiles } from './files.ts';

export interface TransferDeps {
  readonly jobs: JobStore;
  readonly files: QueueFiles;
  readonly clock: Clock;
  readonly beginUpload: BeginUpload;
  readonly spaceMax: () => number;
}

export interface Transfers {
  /** Rejects SPACE_USED, TOO_LARGE, DIGEST_MISMATCH, RATE_LIMITED, CONFLICT for another size than before. */
  putInput(
    caller: QueueCaller,
    input: { readonly sha: string; readonly from: number; readonly bytes: number },
    body: AsyncIterable<Uint8Array>,
  ): Promise<UploadAnswer>;
  /** How much of it is here. */
  seeInput(caller: QueueCaller, sha: string): Promise<UploadAnswer>;
  outputs(job: StoredJob): Promise<OutputsAnswer>;
  /** The caller closes it. Rejects NOT_FOUND for what is not there whole. */
  openOutput(job: StoredJob, caminho: string): Promise<OpenBytes & { readonly sha: string }>;
  openLog(job: StoredJob): Promise<OpenBytes | null>;
}

export function createTransfers(deps: TransferDeps): Transfers {
  const { jobs, files } = deps;
  return {
    putInput: (caller, input, body) => putInput(deps, caller, input, body),
    seeInput: async (caller, sha) => {
      const app = appOf(caller);
      const known = await jobs.input(caller.usuario, app, sha);
      if (known === null) return { ate: 0, completo: false };
      return {
        ate: known.complete ? known.bytes : await files.arrived(files.inputPlace(caller.usuario, app, sha)),
        completo: known.complete,
      };
    },
    outputs: async ({ id }) => {
      const rows = await jobs.outputs(id);
      const ate = async ({ sha, bytes, complete, refused }: (typeof rows)[number]): Promise<number> =>
        complete ? bytes : refused ? 0 : await files.arrived(files.outputPlace(id, sha));
      return {
        saidas: await Promise.all(
          rows.map(async (row) => ({
            caminho: row.caminho,
            sha: row.sha,
            tamanho: row.bytes,
            ate: await ate(row),
            completo: row.complete,
            recusada: row.refused,
          })),
        ),
      };
    },
    openOutput: async ({ id }, caminho) => {
      const row = (await jobs.outputs(id)).find((each) => each.caminho === caminho);
      const file = row?.complete === true ? await files.open(files.outputPlace(id, row.sha)) : null;
      if (row === undefined || file === null) throw new SvcError('NOT_FOUND', 'the job has no such output, or not yet');
      return { ...file, sha: row.sha };
    },
    openLog: ({ id }) => files.openLog(id),
  };
}

async function putInput(
  { jobs, files, clock, beginUpload, spaceMax }: TransferDeps,
  caller: QueueCaller,
  { sha, from, bytes }: { readonly sha: string; readonly from: number; readonly bytes: number },
  body: AsyncIterable<Uint8Array>,
): Promise<UploadAnswer> {
  if (bytes > sharedLimits.jobFileBytesMax)
    throw new SvcError('TOO_LARGE', `one input holds at most ${sharedLimits.jobFileBytesMax} bytes`);
  const { usuario } = caller;
  const name = { usuario, app: appOf(caller), sha };
  const end = beginUpload(usuario);
  try {
    await files.refuseFull(bytes);
    const reserved = await jobs.reserveInput({ ...name, bytes, atMs: clock.nowMs() }, spaceMax());
    if (reserved === 'differs') throw new SvcError('CONFLICT', 'this sha256 was announced with another size');
    if (reserved === 'full')
      throw new SvcError('SPACE_USED', `inputs, logs and outputs of one person hold at most ${spaceMax()} bytes`, { bytesMax: spaceMax() });
    const { ate, complete } = await files.add(files.inputPlace(usuario, name.app, sha), from, bytes, body);
    if (complete) await jobs.completeInput(name);
    return { ate, completo: complete };
  } finally {
    end();
  }
}
