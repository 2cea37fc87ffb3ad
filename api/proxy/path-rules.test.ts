import path from 'node:path';
import { expect, test } from 'vitest';
import { pathFault } from './path-rules.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { amount } from '../../test/support/amount.ts';

test.for([
  '/',
  '/api/ping',
  '/a/b.c/d..e/..f/.hidden/...',
  '/contents/caf%C3%A9%2Fmenu',
  '/x?next=/../y&back=a\\b',
  '//double//slashes/',
  '/npm/@scope%2fname',
  '/100%',
  '/a;v=1/b',
])('goes on as it is: %s', (each) => {
  expect(pathFault(each)).toBeNull();
});

test.for([
  '',
  'x',
  '*',
  'http://other/',
  '/..',
  '/../x',
  '/a/..',
  '/a/./b',
  '/%2e%2e/x',
  '/%2E./x',
  '/a/..%2fb',
  '/a%2f..%2fb',
  '/a%5c..%5cb',
  '/..;/x',
  '/..%3bx/y',
  '/a\\b',
  '/a\0b',
  '/a%00b',
  '/a%0d%0ab',
  '/a%7f',
  '/a b',
  '/a\r\nX: y',
  '/é',
  '/a#b',
  '/a?b#c',
  '/a?b c',
])('is refused: %j', (each) => {
  expect(pathFault(each)).not.toBeNull();
});

/** Readings that backends are known to make of a path before they look for a file. Each must stay below the root. */
const readings: readonly ((plain: string) => string)[] = [
  (plain) => plain,
  (plain) => decodeOnce(plain),
  (plain) => decodeOnce(plain).replaceAll('\\', '/'),
  (plain) => plain.replaceAll(/%2f/gi, '/').replaceAll(/%5c/gi, '/'),
  (plain) => plain.replaceAll(/%2e/gi, '.'),
  (plain) => decodeOnce(plain).replaceAll(/;[^/]*/g, ''),
  (plain) => new URL(`http://h${plain.startsWith('//') ? '/' : ''}${plain}`).pathname,
];

function decodeOnce(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const pieces = [
  '/',
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2E',
  '%2e%2e',
  '.%2e',
  '%2f',
  '%2F',
  '%5c',
  '%5C',
  '\\',
  '%00',
  '%0a',
  ';',
  ';x',
  '%3b',
  '%252e%252e',
  '%252f',
  'a',
  'outra',
  '%c0%ae',
  '%u002e',
  '%',
  '?x',
  '#',
  ' ',
  '~',
];

test('no accepted path climbs out of the root in any reading', () => {
  const count = amount(20_000, 200_000);
  const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_121);
  const next = createRandom(seed).next;
  let accepted = 0;
  for (let n = 0; n < count; n += 1) {
    let made = '/';
    for (let k = 1 + Math.floor(next() * 8); k > 0; k -= 1) made += pieces[Math.floor(next() * pieces.length)]!;
    if (pathFault(made) !== null) continue;
    accepted += 1;
    const plain = made.split('?', 1)[0]!;
    for (const read of readings) {
      const resolved = path.posix.join('/root/app', path.posix.normalize(`/./${read(plain)}`));
      const walked = path.posix.normalize(`/root/app/${read(plain)}`);
      expect(resolved.startsWith('/root/app'), `seed ${seed}: ${made}`).toBe(true);
      expect(walked.startsWith('/root/app'), `seed ${seed}: ${made} → ${walked}`).toBe(true);
      expect(read(plain).includes('\0'), `seed ${seed}: ${made}`).toBe(false);
    }
  }
  // The grammar is no use when everything is refused.
  expect(accepted).toBeGreaterThan(count / 50);
});
