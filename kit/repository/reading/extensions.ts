/** The catalogue of browser extensions of a repository: beside unpacked packages, or in `v1/`. Decision: docs/decisions/0206-extension-catalogue.md */
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { type Extension, readExtensions } from '../../../schema/extensions/catalogue.ts';
import { extensionFile } from '../../../schema/extensions/file.ts';
import { limits } from '../../../schema/limits.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { documentAt, documentIn } from './document.ts';
import { isRepositoryFolder, type RepositoryLocation } from './location.ts';

/** Empty where there is none. Rejects with why it is not known what it says. */
export async function extensionsAt(location: RepositoryLocation): Promise<readonly Extension[]> {
  const bytesMax = limits.extensionsBytesMax;
  const bytes =
    location.kind === 'url'
      ? await documentAt(location.url, repositoryPaths.extensions, 'catalogue of extensions', bytesMax)
      : await documentIn(await fileIn(location.folder), bytesMax);
  if (bytes === null) return [];
  const { extensions, errors } = readExtensions(extensionFile, bytes);
  if (extensions !== null) return extensions;
  const [first] = errors;
  throw new SvcError('REPOSITORY_INVALID', `${extensionFile} at ${first?.path ?? ''}: ${first?.message ?? 'it can not be read'}`);
}

const fileIn = async (folder: string): Promise<string> =>
  path.join(folder, (await isRepositoryFolder(folder)) ? repositoryPaths.extensions : extensionFile);
