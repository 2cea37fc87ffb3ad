import { describe, expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { callPathFault } from './call-path.ts';
import { leadsOut, somePath } from './testing/paths.ts';

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
    '/%252e%252e;x/b',
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

test('what passes leads below the rota by any reading, and an honest path passes', () => {
  const seed = Number(process.env['SVC_TEST_SEED'] ?? 5);
  const dice = createRandom(seed);
  const count = amount(20_000, 400_000);
  const wrong: string[] = [];
  let passed = 0;
  for (let n = 0; n < count; n += 1) {
    const honest = somePath(dice, false);
    const sly = somePath(dice, true);
    expect([honest, callPathFault(honest)]).toEqual([honest, null]);
    if (!sly.startsWith('/') || callPathFault(sly) !== null) continue;
    passed += 1;
    if (leadsOut(`/api/dic${sly}`, '/api/dic')) wrong.push(sly);
  }
  tellCount(
    `capabilities: ${count} paths out of a grammar of tricks, ${passed} passed, ${wrong.length} lead out of the rota, seed ${seed}`,
  );
  expect(wrong).toEqual([]);
  expect(passed / count).toBeGreaterThan(0.05);
});
