/** Writes docs/manifest.md from the published schema of svc-app.json. `setup/manifest-page.test.ts` fails when it is older than that. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { manifestPage } from './manifest-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/manifest.md'), manifestPage());
