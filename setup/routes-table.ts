/** Writes the tables of docs/api.md from the table of routes. `setup/routes-page.test.ts` fails when they are older than it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withRoutes } from './routes-page.ts';

const page = resolve(import.meta.dirname, '../docs/api.md');
writeFileSync(page, withRoutes(readFileSync(page, 'utf8')));
