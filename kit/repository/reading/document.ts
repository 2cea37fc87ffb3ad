/** Further documents of a repository, beside its catalogue: in its folder, or at its address. Null: it has none. */
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { isMissing } from '../../atomic-file.ts';
import { headerOf, readWhole } from '../../http/ask.ts';
import { fetchFrom } from '../../http/fetch-from.ts';
import { limits } from '../limits.ts';

export async function documentIn(file: string, bytesMax: number): Promise<Buffer | null> {
  return await readPlainFile(file, bytesMax).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

/** `what`: as it is called in errors. Rejects REPOSITORY_UNREACHABLE or TOO_LARGE. */
export async function documentAt(url: string, name: string, what: string, bytesMax: number): Promise<Buffer | null> {
  const found = await changedDocumentAt(url, name, what, bytesMax, null);
  return found === 'same' ? null : (found?.bytes ?? null);
}

/** As `documentAt`. `same`: it is the one that had this ETag. */
export async function changedDocumentAt(
  url: string,
  name: string,
  what: string,
  bytesMax: number,
  etag: string | null,
): Promise<{ readonly bytes: Buffer; readonly etag: string | null } | 'same' | null> {
  const signal = AbortSignal.timeout(limits.repositoryAnswerMsMax);
  const answer = await fetchFrom(`${url}/${name}`, etag === null ? {} : { 'if-none-match': etag }, { silentMsMax: 0, signal });
  try {
    if (answer.status === 404) return null;
    if (answer.status === 304 && etag !== null) return 'same';
    if (answer.status !== 200) throw new SvcError('REPOSITORY_UNREACHABLE', `${url} answers ${answer.status} for its ${what}`);
    const bytes = await readWhole(answer, bytesMax);
    if (bytes === null) throw new SvcError('TOO_LARGE', `${path.posix.basename(name)} of ${url} is larger than ${bytesMax} bytes`);
    return { bytes, etag: headerOf(answer, 'etag') || null };
  } finally {
    answer.end();
  }
}
