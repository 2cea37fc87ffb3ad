/** The schema of `svc-app.json` in a repository. */
import { join } from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import { readIfThere } from '../../atomic-file.ts';
import { fetchDocument } from '../../install/download.ts';
import { isSchemaName, repositoryPaths } from '../layout/paths.ts';

/** As text. `repository`: an address or a folder; `version` may be `atual`. Rejects NOT_FOUND, REPOSITORY_INVALID, or as fetching does. */
export async function readSchema(repository: string, version: string): Promise<string> {
  if (!isSchemaName(version))
    throw new SvcError('BAD_REQUEST', `expected a version such as 1.4.2, or atual, found ${JSON.stringify(version)}`);
  const name = repositoryPaths.schema(version);
  const isAddress = /^https?:\/\//.test(repository);
  const text = isAddress
    ? (await fetchDocument(`${repository.replace(/(?<!\/)\/+$/, '')}/${encodeURI(name)}`, limits.publishedSchemaBytesMax)).toString('utf8')
    : readIfThere(join(repository, name));
  if (text === null) throw new SvcError('NOT_FOUND', `the repository has no ${name}`);
  if (!isSchema(text)) throw new SvcError('REPOSITORY_INVALID', `${name} of the repository is no schema of svc-app.json`);
  return text;
}

function isSchema(text: string): boolean {
  try {
    return String((JSON.parse(text) as { readonly $id?: unknown } | null)?.$id).startsWith('urn:svc:esquema:svc-app:');
  } catch {
    return false;
  }
}
