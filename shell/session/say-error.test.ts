import { afterEach, expect, test } from 'vitest';
import { language } from '../i18n/i18n.ts';
import { ApiError, json } from './api.ts';
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

test.for([
  ['a connection found dead', new DOMException('the portal says nothing any more', 'NetworkError'), 'O portal não respondeu'],
  ['a connection that broke', new TypeError('network error'), 'O portal não respondeu'],
  ['a deadline', new DOMException('signal timed out', 'TimeoutError'), 'O portal não respondeu'],
  ['an end by the caller', new DOMException('gone', 'AbortError'), 'gone'],
] as const)('a body that ends early: %s', async ([, why, said]) => {
  const body = new ReadableStream({ start: (controller) => controller.error(why) });
  expect(sayError(await json(new Response(body)).catch((error: unknown) => error))).toBe(said);
});
