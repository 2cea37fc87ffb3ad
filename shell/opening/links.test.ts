import { describe, expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { linkOf, matchesHost, opensLink } from './links.ts';
import { opener, rounds } from './testing/openers.ts';

// Source: rules 2.1 `opens.urls`.
test.for([
  ['example.com', 'example.com', true],
  ['example.com', 'www.example.com', false],
  ['*.example.com', 'www.example.com', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', true],
  ['*.example.com', 'evilexample.com', false],
  ['*.example.com', 'example.com.evil.org', false],
  ['Example.com', 'EXAMPLE.com', true],
  ['example.com', 'example.com.', true],
] as const)('%s and the host %s: %s', ([pattern, host, is]) => {
  expect(matchesHost(pattern, host)).toBe(is);
});

test.for([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['http://example.com', 'http://example.com/'],
  ['https://ação.example/', 'https://xn--ao-siap.example/'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['blob:https://example.com/1', null],
  ['file:///etc/passwd', null],
  ['mailto:a@example.com', null],
  ['https://example.com@evil.org/', null],
  ['https://u:p@example.com/', null],
  ['//example.com', null],
  ['pasta/x', null],
  [`https://example.com/${'x'.repeat(5_000)}`, null],
] as const)('%s is opened as %s', ([address, url]) => {
  expect(linkOf(address)?.href ?? null).toBe(url);
});

describe('who opens a link', () => {
  const [leitor, rival, perto] = [
    opener('leitor', { hosts: ['*.livros.example'] }),
    opener('rival', { hosts: ['*.livros.example'] }),
    opener('perto', { hosts: ['a.livros.example'] }),
  ];
  test.for([
    ['the only app that declares the host', [leitor], {}, 'leitor'],
    ['the browser, where two declare it', [leitor, rival], {}, null],
    ['the one that the person chose', [leitor, rival], { '*.livros.example': 'rival' }, 'rival'],
    ['the browser, where the person chose it', [leitor], { '*.livros.example': 'navegador' }, null],
    ['the browser, where one declares the very host and another its domain', [leitor, perto], {}, null],
    ['the browser, where another declares a wider domain', [leitor, opener('largo', { hosts: ['*.example'] })], {}, null],
    ['the only app, though it declares the host twice', [opener('duas', { hosts: ['a.livros.example', '*.livros.example'] })], {}, 'duas'],
    ['an app of the domain that was chosen for the very host', [leitor, perto], { 'a.livros.example': 'leitor' }, 'leitor'],
    ['the browser, where it was chosen for a host whose app is gone', [leitor], { 'a.livros.example': 'navegador' }, null],
    ['who was chosen for the domain, above who declares the very host', [leitor, perto], { '*.livros.example': 'leitor' }, 'leitor'],
    [
      'who was chosen for the very host, above the domain',
      [leitor, perto],
      { '*.livros.example': 'leitor', 'a.livros.example': 'perto' },
      'perto',
    ],
    ['as without a choice where the chosen app is gone', [leitor], { '*.livros.example': 'gone' }, 'leitor'],
    ['the browser, where nobody declares it', [], {}, null],
  ] as const)('is %s', ([, apps, links, id]) => {
    expect(opensLink(new URL('https://a.livros.example/x'), apps, { links })).toBe(id);
  });

  test(`${rounds(3_000)} drawn hosts and apps: an app opens only what it declares, and the browser all else`, () => {
    const labels = ['a', 'b', 'exemplo', 'exemplob', 'org'];
    const seen = { app: 0, browser: 0 };
    for (let seed = 1; seed <= rounds(3_000); seed += 1) {
      const random = createRandom(seed);
      const host = (): string => Array.from({ length: random.int(2, 4) }, () => random.pick(labels)).join('.');
      const pattern = (): string => `${random.chance(0.5) ? '*.' : ''}${host()}`;
      const apps = ['a', 'b', 'c'].slice(0, random.int(1, 3)).map((id) => opener(id, { hosts: [...new Set([pattern(), pattern()])] }));
      const patterns = apps.flatMap(({ hosts }) => hosts);
      const links = random.chance(0.5) ? { [random.pick(patterns)]: random.pick(['a', 'b', 'c', 'navegador']) } : {};
      const asked = random.chance(0.5) ? host() : random.pick(patterns).replace('*', random.pick(labels));
      // By the labels from the right, instead of by text; `host` may have a `*`, too.
      const covers = (declared: string, host: string): boolean => {
        const [mine, theirs] = [declared.split('.').toReversed(), host.split('.').toReversed()];
        const [wild, whole] = [mine.at(-1) === '*', theirs.at(-1) === '*'];
        const fixed = wild ? mine.slice(0, -1) : mine;
        return fixed.every((label, at) => label === theirs[at]) && (wild || (!whole && theirs.length === fixed.length));
      };
      const openers = (host: string): readonly string[] =>
        apps.filter(({ hosts }) => hosts.some((declared) => covers(declared, host))).map(({ id }) => id);
      const [chosen, wish] = Object.entries(links).find(([host]) => covers(host, asked)) ?? ['', ''];
      const holders = openers(asked);
      const sole = holders.length === 1 ? holders[0]! : null;
      const expected = wish === 'navegador' ? null : openers(chosen).includes(wish) ? wish : sole;
      const found = opensLink(new URL(`https://${asked}/`), apps, { links });
      expect([seed, found]).toEqual([seed, expected]);
      seen[found === null ? 'browser' : 'app'] += 1;
    }
    expect(Math.min(seen.app, seen.browser)).toBeGreaterThan(300);
  });
});
