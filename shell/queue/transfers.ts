/** Files of jobs between the page of an app and the portal: hashed, in pieces, going on where they broke off. */
import type { PageOutput } from '../../schema/bridge/queue-verbs.ts';
import type { OutputsAnswer } from '../../schema/wire/jobs.ts';
import { ApiError } from '../session/api.ts';
import type { AppQueue } from '../session/queue-api.ts';
import { createSha256 } from './sha256.ts';

const pieceBytes = 4 * 1_024 * 1_024;
type Output = OutputsAnswer['saidas'][number];

/** Piece by piece, so that the desktop does not stand still. */
export async function shaOf(blob: Blob, signal: AbortSignal): Promise<string> {
  const hash = createSha256();
  for (let at = 0; at < blob.size; at += pieceBytes) {
    signal.throwIfAborted();
    hash.add(new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer()));
  }
  return hash.digest();
}

/** Uploads a blob; pieces that the portal already has are not sent again. */
export async function upload(queue: AppQueue, sha: string, blob: Blob): Promise<void> {
  for (let done = await queue.arrived(sha); !done.completo;)
    done = await queue.upload(sha, done.ate, blob.size, blob.slice(done.ate, done.ate + pieceBytes));
}

/** Rejects DIGEST_MISMATCH when other bytes came twice. */
export async function download(queue: AppQueue, job: string, output: Output, signal: AbortSignal): Promise<PageOutput> {
  for (let turn = 0; turn < 2; turn += 1) {
    const parts: Blob[] = [];
    for (let at = 0; at < output.tamanho; at += pieceBytes) {
      signal.throwIfAborted();
      parts.push(new Blob([await queue.output(job, output.caminho, at, Math.min(at + pieceBytes, output.tamanho) - 1)]));
    }
    const blob = new Blob(parts, { type: 'application/octet-stream' });
    if ((await shaOf(blob, signal)) === output.sha) return { caminho: output.caminho, blob };
  }
  throw new ApiError(502, 'DIGEST_MISMATCH', `${output.caminho} chegou com outros bytes`);
}
