import { describe, expect, test } from 'vitest';
import { callPathFault } from './call-path.ts';

describe('what may follow a rota', () => {
  test.for([
    '/',
    '/verbete',
    '/verbete/',
    '/verbete?palavra=a%20b&x=../..//%2f',
    '/a%C3%A7%C3%A3o/100%25',
    '/a%20b/.hidden/...',
    '/a;v=1/b:c@d',
    '/%2525',
    '/1%25zz',
  ])('%s passes', (path) => {
    expect(callPathFault(path)).toBeNull();
  });

  test.for([
    // Steps upwards, once or more often encoded, with either separator, with parameters.
    '/..',
    '/.',
    '/a/../b',
    '/a/..',
    '/..;x/b',
    '/%2e%2e/b',
    '/.%2E/b',
    '/%2e',
    '/%252e%252e/b',
    '/%25252e%25252e/b',
    '/..%2fb',
    '/..%5cb',
    // Separators that are none yet.
    '/a%2fb',
    '/a%2Fb',
    '/a%252fb',
    '/a%5cb',
    '/a\\b',
    '/a%25255Cb',
    // Empty segments.
    '//',
    '//evil.example/a',
    '/a//b',
    '/a/%2f',
    // Control characters.
    '/a%00b',
    '/a%2500b',
    '/a%0d%0aX-Svc-Chamador:%20x',
    '/a%c2%85b',
    // Bytes that are no text, overlong forms, lookalikes.
    '/%c0%ae%c0%ae/b',
    '/%c0%afb',
    '/%e9',
    '/%ef%bc%8e%ef%bc%8e/b',
    '/a%ef%bc%8fb',
    '/a%ef%bc%bcb',
    '/a%e2%80%a5/..',
    '/%e2%80%a5/b',
    '/%ef%bb%bf../b',
    // Malformed.
    '/%',
    '/%2',
    '/%zz',
    '/%u002e%u002e/b',
    '/ç',
    '/a b',
    '/a#b',
    'a',
    'http://evil.example/',
    '/%2525252525252e',
  ])('%s is refused', (path) => {
    expect(callPathFault(path)).toEqual(expect.any(String));
  });
});

test('a path that is encoded over and over costs little', () => {
  const path = `/${'%25'.repeat(8_000)}2e`;
  const beganMs = performance.now();
  expect(callPathFault(`/%${'25'.repeat(8_000)}2e`)).toEqual(expect.any(String));
  callPathFault(path);
  expect(performance.now() - beganMs).toBeLessThan(500);
});
