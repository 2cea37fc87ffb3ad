/** Writes docs/reasons.md from the rows of the reasons. `setup/reasons-page.test.ts` fails when the page is older than they are. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonsPage } from './reasons-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/reasons.md'), reasonsPage());
