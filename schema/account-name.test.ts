import { expect, test } from 'vitest';
import { isAccountName } from './account-name.ts';

test.for([
  'ana',
  '_apt',
  'ana.souza',
  'Ana',
  'ANA',
  'ana@dom',
  'ana.souza@dom.example.org',
  'DOM+ana',
  '1ana',
  'a',
  'a'.repeat(63),
  'svc-mural',
])('%s may be an account', (name) => {
  expect(isAccountName(name)).toBe(true);
});

test.for([
  '',
  '-ana',
  '.ana',
  '..',
  '@ana',
  '+ana',
  '12345',
  'a'.repeat(64),
  'ana souza',
  'ana/b',
  'DOM\\ana',
  'a:b',
  'ana\n',
  'a$b',
  "a'b",
  'a*',
  'ána',
  'a,b',
])('%j may be none', (name) => {
  expect(isAccountName(name)).toBe(false);
});
