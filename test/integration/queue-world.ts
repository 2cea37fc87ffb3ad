/** A desired folder with the queue on, and Notas as an app that declares it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueueAnswer } from '../../schema/wire/jobs.ts';
import type { PageClient } from '../support/page-client.ts';
import { until } from '../support/portal.ts';
import { writeDesired, type DesiredOptions } from './world.ts';
import { copyExamples } from '../support/example-desired.ts';

/** Answers the desired folder, which is below `folder` as its packages are. */
export async function writeQueueDesired(folder: string, options: Pick<DesiredOptions, 'fila' | 'more' | 'people'> = {}): Promise<string> {
  const packages = join(folder, 'p');
  await copyExamples(['notas'], packages);
  const file = join(packages, 'notas/svc-app.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...manifest, recursos: { fila: true } }));
  return await writeDesired(join(folder, 'd'), { apps: ['notas'], packages, fila: '{}', ...options });
}

/** Its manifest is known a moment after the app is seen: until then it declares nothing. */
export async function whenQueueTakes(page: PageClient, app = 'notas'): Promise<void> {
  await until('the queue takes jobs', async () => ((await page.call('GET', `/api/fila?app=${app}`)).json() as QueueAnswer).disponivel);
}
