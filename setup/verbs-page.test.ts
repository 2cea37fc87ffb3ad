import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { verbNames, verbs } from '../schema/bridge/verbs.ts';
import { typesPath, verbsPage, withVerbTypes } from './verbs-page.ts';

test('docs/verbs.md and sdk/web/svc.d.ts say what the table of verbs says (node setup/verbs-table.ts)', () => {
  expect(readFileSync(resolve(import.meta.dirname, '../docs/verbs.md'), 'utf8')).toBe(verbsPage());
  const types = readFileSync(typesPath, 'utf8');
  expect(types).toBe(withVerbTypes(types));
});

test('the page has each verb that an app may call once, and none of the SDK alone', () => {
  const listed = Array.from(verbsPage().matchAll(/^- `svc\.([\w.]+)/gm), ([, name]) => name);
  expect(listed).toEqual(verbNames.filter((name) => verbs[name].by !== 'inner'));
  expect(listed).not.toContain('salas.bilhete');
});
