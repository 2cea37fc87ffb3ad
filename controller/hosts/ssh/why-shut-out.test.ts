import { expect, test } from 'vitest';
import { matches } from './why-shut-out.ts';

test.for([
  ['ana', 'ana', true],
  ['ana', 'anab', false],
  ['an?', 'ana', true],
  ['an?', 'an', false],
  ['*', '', true],
  ['a*a*', 'ana.souza', true],
  ['a*b', 'ana', false],
  ['svc-*@10.0.0.1', 'svc-ana', true],
  ['a.a', 'ana', false],
  // A regular expression of it would take for ever.
  [`${'*a'.repeat(40)}*b`, 'a'.repeat(200), false],
] as const)('the pattern %s of sshd_config and the name %s: %s', ([pattern, name, isMeant]) => {
  expect(matches(pattern, name)).toBe(isMeant);
});
