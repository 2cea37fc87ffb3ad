/**
 * The schema of `svc-app.json` in the folder of a repository: each version that ever wrote to it, and the newest of them as `atual`. Source: rules
 * 9.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { schemaText, schemaVersion } from '../../../schema/manifest/published.ts';
import { compareVersions } from '../../../schema/versions.ts';
import { isMissing } from '../../atomic-file.ts';
import { isSchemaName, repositoryPaths } from '../layout/paths.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';

const newest = 'atual';

/** Schemas that are missing there, with this svc being one of the versions. Paths are those of the repository. */
export async function schemasToWrite(root: string): Promise<readonly (readonly [file: string, text: string])[]> {
  const names = await readdir(path.join(root, repositoryPaths.schemas)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const versions = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
  const isNewest = versions.every((one) => one === newest || !isSchemaName(one) || compareVersions(one, schemaVersion) <= 0);
  const wanted = [schemaVersion, ...(isNewest ? [newest] : [])].map((one) => [repositoryPaths.schema(one), schemaText()] as const);
  const before = await Promise.all(wanted.map(([file]) => readPlainFile(path.join(root, file)).then(String, () => null)));
  return wanted.filter(([, text], at) => text !== before[at]);
}
