import { expect, test } from 'vitest';
import { passOf } from './link.ts';

test.for([
  ['http://svc.localhost:8787/?passe=abcDEF123_-abcdef', 'abcDEF123_-abcdef'],
  ['  open http://svc.localhost:8787/?passe=abcDEF123_-abcdef \n', 'abcDEF123_-abcdef'],
  ['abcDEF123_-abcdef', 'abcDEF123_-abcdef'],
  ['http://svc.localhost:8787/', null],
  ['http://svc.localhost:8787/?passe=<script>', null],
  ['curto', null],
  ['', null],
] as const)('%s holds the pass %s', ([pasted, pass]) => {
  expect(passOf(pasted)).toBe(pass);
});
