import { expect, test } from 'vitest';
import { ApiError } from './api.ts';
import { awayOf } from './away.ts';

test.for([
  [0, 'OFFLINE', 'SEM_REDE'],
  [503, 'INTERNAL', 'SEM_REDE'],
  [429, 'TOO_MANY', 'SEM_REDE'],
  [401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
] as const)('a portal that answers %i %s: a page is told %s, and nothing is raised', ([status, code, codigo]) => {
  expect(awayOf(new ApiError(status, code, 'words'))).toMatchObject({ disponivel: false, codigo, motivo: expect.stringMatching(/./) });
});

test('what is no answer of the portal is thrown', () => {
  expect(() => awayOf(new DOMException('gone', 'AbortError'))).toThrow('gone');
});
