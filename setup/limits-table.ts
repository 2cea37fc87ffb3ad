/** Writes docs/limits.md from the limits themselves. `setup/limits-page.test.ts` fails when the page is older than they are. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { limitsPage } from './limits-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/limits.md'), await limitsPage());
