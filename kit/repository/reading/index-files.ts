/** The files that say what a repository holds, without what it holds: catalogue, records, signatures, tokens. For backups. */
import path from 'node:path';
import { namesIn } from '../../../schema/folder-names.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { isRepositoryFolder } from './location.ts';

/** Paths below the folder; none for a folder of unpacked packages. Rejects with what the disk says where one can't be read. */
export async function indexFiles(folder: string): Promise<readonly string[]> {
  if (!(await isRepositoryFolder(folder))) return [];
  const files: string[] = [repositoryPaths.catalogue, repositoryPaths.extensions, repositoryPaths.signatures, repositoryPaths.tokens];
  for (const records of [repositoryPaths.packages, repositoryPaths.engineRecords])
    for (const id of await namesIn(path.join(folder, records)))
      for (const name of await namesIn(path.join(folder, records, id)))
        if (name.endsWith('.json') || name.endsWith('.minisig')) files.push(path.join(records, id, name));
  return files;
}
