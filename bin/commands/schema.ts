/** `svc schema`: the JSON Schema of `svc-app.json`, of this svc or of a repository, for reading or for an editor. Source: rules 9. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { readIfThere, writeFileAtomic } from '../../kit/atomic-file.ts';
import { readSchema } from '../../kit/repository/reading/schema.ts';
import { SvcError } from '../../schema/errors.ts';
import { editorFiles } from '../../schema/manifest/editor-files.ts';
import { schemaText, schemaVersion } from '../../schema/manifest/published.ts';
import { appFolder } from '../app-folder.ts';
import { plain, write } from '../output.ts';

interface Options {
  readonly version?: string;
  readonly repository?: string;
  readonly write?: string | true;
}

export async function runSchema({ version, repository = process.env['SVC_REPOSITORY'], write: dir }: Options): Promise<void> {
  if (dir !== undefined) writeFor(dir === true ? '.' : dir);
  else if (version === undefined || version === schemaVersion) write(schemaText());
  else if (repository !== undefined && repository !== '') write(await readSchema(repository, version));
  else
    throw new SvcError(
      'NOT_FOUND',
      `this svc has the schema of ${schemaVersion} only; --repository DIR or URL (or SVC_REPOSITORY) says where ${version} is`,
    );
}

/** Into the folder of an app. */
function writeFor(dir: string): void {
  appFolder(dir);
  const settings = readIfThere(path.join(dir, '.vscode/settings.json'));
  let files: ReturnType<typeof editorFiles>;
  try {
    files = editorFiles(settings);
  } catch (error) {
    throw new SvcError('CONFLICT', (error as Error).message);
  }
  for (const { path: name, text } of files) {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (readIfThere(file) !== text) writeFileAtomic(file, text, { mode: 0o644, durable: true });
    write(`${plain(file)}\n`);
  }
}
