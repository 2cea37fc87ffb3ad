import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { machinesPage } from './machine-page.ts';

test('docs/machines.md says what the machines say (node setup/machine-tables.ts)', () => {
  expect(readFileSync(new URL('../docs/machines.md', import.meta.url), 'utf8')).toBe(machinesPage());
});
