import { afterEach, expect, test } from 'vitest';
import { language } from '../i18n/i18n.ts';
import { refusalOf, sayRefusal } from './say-refusal.ts';

afterEach(() => language.set('pt'));

test.for([
  ['pt', { code: 'CREDENTIALS_REFUSED' }, /não conferem.*tente de novo/],
  ['en', { code: 'CREDENTIALS_REFUSED', told: 'Your account has expired.' }, /try again.*Your account has expired\./],
  ['pt', { code: 'PASSWORD_EXPIRED' }, /passwd/],
  ['pt', { code: 'PASSWORD_UNCHECKED' }, /^A senha não pôde ser conferida.*avise/],
  ['en', { code: 'PASSWORD_UNCHECKED' }, /^The password could not be checked.*tell the administrator/],
  ['pt', { code: 'RATE_LIMITED', retryAfterMs: 1_000 }, /1 segundo /],
  ['pt', { code: 'RATE_LIMITED', retryAfterMs: 60_000 }, /60 segundos/],
  ['en', { code: 'RATE_LIMITED', retryAfterMs: 600_000 }, /10 minutes/],
  ['en', { code: 'OFFLINE' }, /did not answer/],
  ['pt', { code: 'INTERNAL' }, /O portal falhou/],
  ['pt', { code: 'OF_A_NEWER_PORTAL', message: 'teapot' }, /teapot/],
] as const)('in %s: %o', ([name, refusal, said]) => {
  language.set(name);
  expect(sayRefusal(refusal)).toMatch(said);
});

test('an address names a code, never a text', () => {
  expect(refusalOf('OIDC_STATE')).toEqual({ code: 'OIDC_STATE' });
  for (const text of [null, '', 'call 555-0100 now', '<b>', 'A'.repeat(41)]) expect(refusalOf(text)).toBeNull();
});
