/** The catalogue of browser extensions of a repository: beside unpacked packages, or in `v1/`. Decision: docs/decisions/0206-extension-catalogue.md */
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { type Extension, readExtensions } from '../../../schema/extensions/catalogue.ts';
import { extensionFile } from '../../../schema/extensions/file.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { isMissing } from '../../atomic-file.ts';
import { readWhole } from '../../http/ask.ts';
import { fetchFrom } from '../../http/fetch-from.ts';
import { limits } from '../limits.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { isRepositoryFolder, type RepositoryLocation } from './location.ts';

/** Empty where there is none. Rejects with why it is not known what it says. */
export async function extensionsAt(location: RepositoryLocation): Promise<readonly Extension[]> {
  const bytes = location.kind === 'url' ? await fetched(location.url) : await read(await fileIn(location.folder));
  if (bytes === null) return [];
  const { extensions, errors } = readExtensions(extensionFile, bytes);
  if (extensions !== null) return extensions;
  const [first] = errors;
  throw new SvcError('REPOSITORY_INVALID', `${extensionFile} at ${first?.path ?? ''}: ${first?.message ?? 'it can not be read'}`);
}

const fileIn = async (folder: string): Promise<string> =>
  path.join(folder, (await isRepositoryFolder(folder)) ? repositoryPaths.extensions : extensionFile);

/** A byte more than may be, so that the reader says that it is too large. */
async function read(file: string): Promise<Buffer | null> {
  return await readPlainFile(file, sharedLimits.extensionsBytesMax).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

async function fetched(url: string): Promise<Buffer | null> {
  const signal = AbortSignal.timeout(limits.repositoryAnswerMsMax);
  const answer = await fetchFrom(`${url}/${repositoryPaths.extensions}`, {}, { silentMsMax: 0, signal });
  try {
    if (answer.status === 404) return null;
    if (answer.status !== 200)
      throw new SvcError('REPOSITORY_UNREACHABLE', `${url} answers ${answer.status} for its catalogue of extensions`);
    const bytes = await readWhole(answer, sharedLimits.extensionsBytesMax);
    if (bytes === null)
      throw new SvcError('TOO_LARGE', `${extensionFile} of ${url} is larger than ${sharedLimits.extensionsBytesMax} bytes`);
    return bytes;
  } finally {
    answer.end();
  }
}
