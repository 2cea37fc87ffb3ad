/** The desktop has no second set beside the UI kit that apps have (docs/decisions/0240-ui-kit.md): what the kit has is not drawn anew. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const shell = path.resolve(import.meta.dirname, '..');
const sources = globSync('**/*.{ts,html}', { cwd: shell, exclude: (name) => name.endsWith('.test.ts') }).map(
  (name) => [name, readFileSync(path.join(shell, name), 'utf8')] as const,
);

test.for([['ui-dialog', /<dialog\b|\.showModal\(|createElement\('dialog'\)/]] as const)('%s, and no other', ([tag, raw]) => {
  expect(sources.some(([, source]) => source.includes(`<${tag}`))).toBe(true);
  const found = sources.flatMap(([name, source]) =>
    source.split('\n').flatMap((line, at) => (raw.test(line) ? [`${name}:${at + 1}`] : [])),
  );
  expect(found).toEqual([]);
});
