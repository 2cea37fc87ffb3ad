/**
 * Writes docs/machines.md: machine × state × event with what each decides, read from the machines themselves. `setup/machine-page.test.ts`
 * fails when the page is older than they are.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { machinesPage } from './machine-page.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/machines.md'), machinesPage());
