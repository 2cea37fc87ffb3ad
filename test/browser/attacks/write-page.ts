/** Writes docs/isolation.md; cross-app.real.test.ts fails when it is older than the table. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isolationPage } from './page.ts';

writeFileSync(resolve(import.meta.dirname, '../../../docs/isolation.md'), isolationPage());
