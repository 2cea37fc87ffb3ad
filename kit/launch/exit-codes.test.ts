/** The exit codes that docs/server.md explains. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodes } from './exit-codes.ts';

test('docs/server.md has each exit code of svc-app-run', () => {
  const page = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8');
  const told = [...page.matchAll(/^\| (\d+) \| ([^|]*) \|/gm)]
    .filter(([, , cause = '']) => cause.trim() !== '')
    .map(([, code]) => Number(code));
  expect(told).toEqual(Object.values(exitCodes).toSorted((left, right) => left - right));
});
