/** Cookies of a parent domain that an answer removes. That a browser obeys it: test/browser/session.real.test.ts. */
import { expect, test } from 'vitest';
import { domainCookieRemovals, removalsOfHead } from './domain-cookies.ts';

const large = 'x'.repeat(3_000);
const attributesOf = (lines: readonly string[]) => [...new Set(lines.map((line) => line.replace(/^[^=]*=; Max-Age=0; /, '')))];
const namesIn = (lines: readonly string[]) => [...new Set(lines.map((line) => line.split('=', 1)[0]))];

test('each path and domain that a request carries cookies of, with and without a partition', () => {
  const lines = domainCookieRemovals('Svc.Example:8787', '/api/x?y=/z', `a=${large}`);
  const places = ['/', '/api', '/api/', '/api/x', '/api/x/'].map((path) => `Path=${path}; Domain=`);
  expect(attributesOf(lines).toSorted()).toEqual(
    ['svc.example', 'example']
      .flatMap((domain) => places.flatMap((place) => [`${place}${domain}`, `${place}${domain}; Secure; SameSite=None; Partitioned`]))
      .toSorted(),
  );
});

test.for([
  ['the largest first, small ones stay', `s=1; a=${large}; b=${large}x; t=2`, ['b', 'a']],
  [
    'small ones together are large',
    Array.from({ length: 100 }, (_, n) => `k${n}=${'x'.repeat(300)}`).join('; '),
    expect.arrayContaining(['k10', 'k80']),
  ],
  ['no name, and one of bytes above ASCII', `=${large}; \xc2\xa0b=${large}x`, ['\xc2\xa0b', '']],
  ['a name that would end the line', `a\r\nx=${large}`, []],
] as const)('%s', ([, cookies, names]) => {
  expect(namesIn(domainCookieRemovals('a.b', '/', cookies))).toEqual(names);
});

test.for([
  ['a path of many folders', 'a.b', `/${'f/'.repeat(5_000)}`],
  ['many labels', 'a.'.repeat(9) + 'b', '/a/b/c/d/e/f/g'],
  ['a long name', 'a.'.repeat(9) + 'b', '/a/b/c/d/e/f/g'],
] as const)('the answer is bounded: %s', ([what, host, path]) => {
  const name = what === 'a long name' ? 'n'.repeat(3_900) : 'n';
  const cookies = Array.from({ length: 180 }, (_, n) => `${name}${n}=${large}`).join('; ');
  const lines = domainCookieRemovals(host, path, cookies);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\r\n').length).toBeLessThan(200 * 1_024);
});

test('of a head that was cut off: what stands in it', () => {
  const head = `GET /api HTTP/1.1\r\nHost: svc.b:1\r\nCookie: a=${large}; c=${large}`;
  expect(namesIn(removalsOfHead(head))).toEqual(['a', 'c']);
  expect(attributesOf(removalsOfHead(head))).toContain('Path=/api; Domain=svc.b');
  expect([
    removalsOfHead('GET / HTTP/1.1\r\n'),
    removalsOfHead('NO'),
    removalsOfHead(`GET / HTTP/1.1\r\nHost: \r\nCookie: a=${large}`),
  ]).toEqual([[], [], []]);
});
