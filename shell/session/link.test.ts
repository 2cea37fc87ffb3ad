import { expect, test } from 'vitest';
import { passOf } from './link.ts';

test.for([
  ['http://svc.localhost:8787/?passe=abcDEF123_-abcdef', 'abcDEF123_-abcdef'],
  ['  open http://svc.localhost:8787/?passe=abcDEF123_-abcdef \n', 'abcDEF123_-abcdef'],
  ['abcDEF123_-abcdef', 'abcDEF123_-abcdef'],
  ['Convite para https://mesa.example: quem o abre entra como Ana.https://mesa.example/?passe=abcDEF123_-abcdef', 'abcDEF123_-abcdef'],
  ['Entre por http://svc.localhost:8787/?passe=abcDEF123_-abcdef.', 'abcDEF123_-abcdef'],
  ['Invitation to casa: signed in as Ana.\nhttp://svc.localhost:8787/?passe=abcDEF123_-abcdef\n', 'abcDEF123_-abcdef'],
  ['http://svc.localhost:8787/', null],
  ['http://svc.localhost:8787/?passe=<script>', null],
  ['curto', null],
  ['', null],
] as const)('%s holds the pass %s', ([pasted, pass]) => {
  expect(passOf(pasted)).toBe(pass);
});
