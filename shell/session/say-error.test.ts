import { afterEach, expect, test } from 'vitest';
import { language } from '../i18n/i18n.ts';
import { ApiError } from './api.ts';
import { sayError } from './say-error.ts';

afterEach(() => language.set('pt'));

test.for([
  ['pt', new ApiError(503, 'SERVER_UNREACHABLE', 'ssh ended'), 'O servidor não responde'],
  ['en', new ApiError(503, 'SERVER_UNREACHABLE', 'ssh ended'), 'The server or its supervisor does not answer'],
  ['pt', new ApiError(0, 'OFFLINE', 'Failed to fetch'), 'O portal não respondeu'],
  ['pt', new ApiError(418, 'OF_A_NEWER_PORTAL', 'teapot'), 'teapot'],
] as const)('in %s: %o is %s', ([name, error, said]) => {
  language.set(name);
  expect(sayError(error)).toBe(said);
});
