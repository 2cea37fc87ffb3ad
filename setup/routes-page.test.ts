import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { routes } from '../schema/routes/routes.ts';
import { withRoutes } from './routes-page.ts';

const page = readFileSync(resolve(import.meta.dirname, '../docs/api.md'), 'utf8');

test('docs/api.md says what the table of routes says (node setup/routes-table.ts)', () => {
  expect(page).toBe(withRoutes(page));
});

test('the page has each route once', () => {
  const listed = Array.from(page.matchAll(/^- `((?:GET|POST|PUT|PATCH|DELETE) \/api\/[^`?]+)/gm), ([, name = '']) => name);
  expect(listed.toSorted()).toEqual(Object.keys(routes).toSorted());
});
