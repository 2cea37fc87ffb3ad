import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { derivedValues } from './derived-values.ts';
import { reasonsPage } from './reasons-page.ts';

test('docs/reasons.md says what the rows of the reasons say (node setup/reasons-table.ts)', () => {
  expect(readFileSync(resolve(import.meta.dirname, '../docs/reasons.md'), 'utf8')).toBe(reasonsPage());
});

test('a bundle has the words of a reason for people, and not those for engineers', () => {
  const contents = String(derivedValues('schema/reasons/derived.ts')?.contents);
  expect(contents).toContain('Ainda não foi iniciado');
  expect(contents).not.toContain('svc start PERSON/APP');
});
