/** Writes docs/rules.md from docs/rules/. `setup/rules-page.test.ts` fails when the page is older than they are. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rulesPage } from './rules-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/rules.md'), rulesPage());
