/** A folder of desired state like examples/desired, with some of the apps of examples/apps and examples/faults only: each that is installed costs time. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const examples = join(import.meta.dirname, '../../examples');

/** Copies them into the folder, whether they are in examples/apps or examples/faults. */
export async function copyExamples(apps: readonly string[], folder: string): Promise<void> {
  for (const id of apps) {
    const kind = existsSync(join(examples, 'apps', id)) ? 'apps' : 'faults';
    await cp(join(examples, kind, id), join(folder, id), { recursive: true });
  }
}

/** Its documents are in the folder that it resolves to, its apps beside that, in `dir`. */
export async function exampleDesired(dir: string, apps: readonly string[]): Promise<string> {
  const desired = join(dir, 'desired');
  await mkdir(desired, { recursive: true });
  // A document of an app that is not there would be blocked for ever.
  const files = [
    'portal',
    'casa',
    'clusters',
    ...(apps.includes('batimento') ? ['backends'] : []),
    ...(apps.includes('caderno') ? ['rooms'] : []),
  ];
  for (const name of files) await cp(join(examples, `desired/${name}.yaml`), join(desired, `${name}.yaml`));
  await copyExamples(apps, join(dir, 'apps'));
  const packages: string[] = [];
  for (const id of apps) {
    const { version } = JSON.parse(await readFile(join(dir, 'apps', id, 'svc-app.json'), 'utf8')) as { version: string };
    packages.push(
      `apiVersion: svc/v1\nkind: Package\nmetadata: { name: ${id}-casa }\nspec: { app: ${id}, versao: ${version}, server: casa }\n`,
    );
  }
  await writeFile(join(desired, 'packages.yaml'), packages.join('---\n'));
  return desired;
}
