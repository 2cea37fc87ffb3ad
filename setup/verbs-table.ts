/** Writes docs/verbs.md and the verbs of sdk/web/svc.d.ts from the table of verbs. `setup/verbs-page.test.ts` fails when they are older than it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { typesPath, verbsPage, withVerbTypes } from './verbs-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/verbs.md'), verbsPage());
writeFileSync(typesPath, withVerbTypes(readFileSync(typesPath, 'utf8')));
