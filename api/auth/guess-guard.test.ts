/** The number of guesses that are allowed, as attackers and people meet it. The figures are repeated here on purpose. */
import { describe, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { siteOf } from '../http/hosts.ts';
import { networkOf, siteNetworkOf, clientAddress, trustedProxies } from './client-address.ts';
import { createBus, type OthersEdge } from '../../store/bus.ts';
import { createGuessGuard, type GuessGuard } from './guess-guard.ts';
import { fixedRing } from './key-rings.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import { createLeakyCells } from './leaky-cells.ts';

const minute = 60_000;

interface Desk {
  readonly clock: ManualClock;
  readonly guard: GuessGuard;
}

function setUp(): Desk {
  const clock = createManualClock();
  return { clock, guard: createGuessGuard(clock, createBus()) };
}

/** Whether the guess is let through; it fails then. */
function guess({ guard }: Desk, login: string, address: string, browser: string | null = null): boolean {
  try {
    guard.begin({ login, address, browser }).end();
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'RATE_LIMITED') throw error;
    return false;
  }
}

const many = <T>(count: number, each: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => each(index));
const through = (results: readonly boolean[]): number => results.filter(Boolean).length;

describe('a guesser', () => {
  test('from one address has five tries at a login, and one a minute from then on', () => {
    const desk = setUp();
    expect(through(many(50, () => guess(desk, 'ana', '192.0.2.1')))).toBe(5);
    desk.clock.advance(minute);
    expect(through(many(5, () => guess(desk, 'ana', '192.0.2.1')))).toBe(1);
  });

  test('from one address has twenty tries at all logins together', () => {
    const desk = setUp();
    expect(through(many(50, (index) => guess(desk, `login${index}`, '192.0.2.1')))).toBe(20);
    expect(guess(desk, 'ana', '192.0.2.2')).toBe(true);
  });

  test('with a whole IPv6 network is one address', () => {
    const desk = setUp();
    expect(through(many(100, (index) => guess(desk, `login${index}`, `2001:db8:0:1::${index.toString(16)}`)))).toBe(20);
    expect(through(many(100, (index) => guess(desk, 'bia', `2001:db8:7:${index.toString(16)}::1`)))).toBe(5);
  });

  test('with a thousand addresses has forty tries at a login, and five a minute from then on', () => {
    const desk = setUp();
    const spread = (round: number): number => {
      let passed = 0;
      for (let index = 0; index < 1_000; index += 1) {
        if (guess(desk, 'ana', `10.${round}.${index >> 8}.${index & 255}`)) passed += 1;
      }
      return passed;
    };
    // Ten of the login, thirty for those who come new.
    expect(spread(0)).toBe(40);
    desk.clock.advance(minute);
    expect(spread(1)).toBe(5);
  });

  test('with all the addresses and logins in the world has sixty tries, and two a second from then on', () => {
    const desk = setUp();
    const flood = (round: number): number =>
      through(many(500, (index) => guess(desk, `l${index}`, `10.${round}.${index >> 8}.${index & 255}`)));
    expect(flood(0)).toBe(60);
    desk.clock.advance(10_000);
    expect(flood(1)).toBe(20);
  });

  test('gets nothing by guessing at the same moment', () => {
    const { guard } = setUp();
    const begun = many(100, () => {
      try {
        return guard.begin({ login: 'ana', address: '192.0.2.1', browser: null });
      } catch {
        return null;
      }
    });
    expect(begun.filter((attempt) => attempt !== null)).toHaveLength(5);
  });

  test('who spells the login in other ways spells the same', () => {
    const desk = setUp();
    expect(through(many(10, (index) => guess(desk, index % 2 ? 'ANA' : 'ana', '192.0.2.1')))).toBe(5);
  });
});

describe('a person', () => {
  test('is not locked out by an attacker at twenty other addresses', () => {
    const desk = setUp();
    for (let round = 0; round < 10; round += 1) {
      for (let address = 0; address < 20; address += 1) guess(desk, 'ana', `198.51.100.${address}`);
      desk.clock.advance(minute);
    }
    expect(guess(desk, 'ana', '192.0.2.1')).toBe(true);
  });

  test('is not locked out by a thousand attackers, in a browser that signed in before', () => {
    const desk = setUp();
    for (let index = 0; index < 1_000; index += 1) guess(desk, 'ana', `10.0.${index >> 8}.${index & 255}`);
    expect(guess(desk, 'ana', '192.0.2.1')).toBe(false);
    expect(through(many(20, () => guess(desk, 'ana', '192.0.2.1', 'known')))).toBe(10);
  });

  test('may come with all others of an office behind one address, as long as the passwords are right', () => {
    const { guard } = setUp();
    const enter = (index: number): void => {
      const attempt = guard.begin({ login: `p${index}`, address: '192.0.2.1', browser: null });
      attempt.forgive();
      attempt.end();
    };
    expect(() => many(500, enter)).not.toThrow();
  });

  test('who typed it wrong four times and then right may type it wrong again the next day', () => {
    const desk = setUp();
    expect(through(many(4, () => guess(desk, 'ana', '192.0.2.1')))).toBe(4);
    const attempt = desk.guard.begin({ login: 'ana', address: '192.0.2.1', browser: null });
    attempt.forgive();
    attempt.end();
    desk.clock.advance(24 * 60 * minute);
    expect(through(many(9, () => guess(desk, 'ana', '192.0.2.1')))).toBe(5);
  });

  test('of a browser known is let in while strangers fill the places at the servers', () => {
    const { guard } = setUp();
    const held = many(24, (index) => guard.begin({ login: `l${index}`, address: `10.0.0.${index}`, browser: null }));
    expect(() => guard.begin({ login: 'bia', address: '192.0.2.1', browser: null })).toThrow(/too many/);
    const own = guard.begin({ login: 'ana', address: '192.0.2.1', browser: 'known' });
    own.end();
    held[0]?.end();
    held[0]?.end();
    expect(() => guard.begin({ login: 'bia', address: '192.0.2.1', browser: null })).not.toThrow();
    expect(() => guard.begin({ login: 'caio', address: '192.0.2.1', browser: null })).toThrow(/too many/);
  });
});

describe('the cells', () => {
  test('take no more memory for many keys, and hold nobody back who never came', () => {
    const clock = createManualClock();
    const cells = createLeakyCells(clock, { burst: 3, refillMs: 1_000 });
    cells.add('warm');
    const before = process.memoryUsage();
    for (let index = 0; index < 20_000; index += 1) cells.add(`key${index}`);
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(4 * 1024 * 1024);
    clock.advance(100_000_000);
    expect(cells.waitMs('key1')).toBe(0);
    const few = createLeakyCells(clock, { burst: 3, refillMs: 1_000 });
    for (let index = 0; index < 100; index += 1) many(3, () => few.add(`full${index}`));
    const heldBack = many(3_000, (index) => few.waitMs(`other${index}`) > 0).filter(Boolean).length;
    expect(heldBack).toBeLessThan(5);
    for (let index = 0; index < 100; index += 1) expect(few.waitMs(`full${index}`)).toBeGreaterThan(0);
  });

  test('run empty one by one, and give back what is taken back', () => {
    const clock = createManualClock();
    const cells = createLeakyCells(clock, { burst: 2, refillMs: 1_000 });
    cells.add('a');
    expect(cells.waitMs('a')).toBe(0);
    cells.add('a');
    expect([Math.round(cells.waitMs('a')), cells.level('a')]).toEqual([1_000, 2]);
    cells.takeBack('a');
    expect([cells.waitMs('a'), cells.level('a')]).toEqual([0, 1]);
    clock.advance(1_000);
    expect(cells.level('a')).toBe(0);
  });
});

describe('the address of a client', () => {
  const from = (remoteAddress: string, forwarded: string | string[] | undefined, proxies: readonly string[]) =>
    clientAddress(
      { socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } } as never,
      trustedProxies(proxies),
    );
  test.for([
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.9.0.7', '10.0.0.1, 203.0.113.9', '203.0.113.9'],
    // Named proxies one behind the other: what the first of them saw.
    ['127.0.0.1', '198.51.100.1, 203.0.113.9, 10.9.3.3', '203.0.113.9'],
    ['127.0.0.1', '10.9.3.3, 10.9.3.4', '10.9.3.3'],
    ['::ffff:127.0.0.1', '203.0.113.9, 2001:db8::1', '2001:db8::1'],
    ['fd00::5', '[2001:db8::2]', '2001:db8::2'],
    ['fe00::5', '203.0.113.9', 'fe00::5'],
    // With the port of the client, as some proxies say it.
    ['127.0.0.1', '203.0.113.9:5555', '203.0.113.9'],
    ['127.0.0.1', '203.0.113.9:5555, 10.9.3.3:80', '203.0.113.9'],
    ['127.0.0.1', '[2001:db8::2]:5555', '2001:db8::2'],
    ['127.0.0.1', '[::ffff:203.0.113.9]:5555', '203.0.113.9'],
    ['127.0.0.1', '2001:db8::2:5555', '2001:db8::2:5555'],
    ['127.0.0.1', '203.0.113.9:', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9:x', '127.0.0.1'],
    ['127.0.0.1', 'somebody, <script>', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9, <script>', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.2', '203.0.113.9', '127.0.0.2'],
  ] as const)('peer %s, forwarded for %s: %s', ([peer, forwarded, expected]) => {
    expect(from(peer, forwarded, ['127.0.0.1', '10.9.0.0/16', 'fd00::/8'])).toBe(expected);
  });
  test.for(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.9.0.7'])('without a named proxy nothing is read: %s', (peer) => {
    expect(from(peer, '203.0.113.9', [])).toBe(peer.replace('::ffff:', ''));
  });
  test.for([
    ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
    ['2001:DB8::1', '2001:db8:0:0', '2001:db8:0'],
    ['::1', '0:0:0:0', '0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
  ] as const)('%s is of %s and of %s', ([address, network, site]) => {
    expect([networkOf(address), siteNetworkOf(address)]).toEqual([network, site]);
  });
});

describe('a known browser', () => {
  const site = siteOf('http://svc.localhost:8787', 8787, 'subdomain');
  const headerOf = (cookie: string): string => cookie.split(';')[0] ?? '';

  test('is known for the login it signed in with, after a restart too, for half a year', async () => {
    const clock = createManualClock();
    const browsers = createKnownBrowsers(fixedRing(Buffer.alloc(32, 1)), clock, site);
    expect(await browsers.find(undefined, 'ana')).toBeNull();
    const set = await browsers.remember(undefined, 'ana');
    expect(set).toMatch(/^__Host-svc-conhecido=[\w.-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/);
    expect(set).not.toContain('ana');
    const header = headerOf(set);
    const id = await createKnownBrowsers(fixedRing(Buffer.alloc(32, 1)), clock, site).find(`a=b; ${header}`, 'ana');
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(await browsers.find(header, 'bia')).toBeNull();
    expect(await createKnownBrowsers(fixedRing(Buffer.alloc(32, 2)), clock, site).find(header, 'ana')).toBeNull();
    clock.advance(180 * 24 * 60 * minute);
    expect(await browsers.find(header, 'ana')).toBeNull();
  });

  test('keeps the last four of those who share it, each with an id that stays', async () => {
    const browsers = createKnownBrowsers(fixedRing(Buffer.alloc(32, 1)), createManualClock(), site);
    let header = '';
    for (const login of ['ana', 'bia', 'caio', 'duda', 'eva']) header = headerOf(await browsers.remember(header, login));
    const before = await browsers.find(header, 'duda');
    header = headerOf(await browsers.remember(header, 'duda'));
    expect(await browsers.find(header, 'duda')).toBe(before);
    expect(await Promise.all(['ana', 'bia', 'eva'].map(async (login) => (await browsers.find(header, login)) !== null))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test.for([
    ['a letter of the signature', (cookie: string) => `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`],
    ['the time', (cookie: string) => cookie.replace(/\.[0-9a-z]+\./, '.zzzzzzzz.')],
    ['the id', (cookie: string) => cookie.replace(/=.{22}/, `=${'A'.repeat(22)}`)],
    ['its shape', (cookie: string) => `${cookie}~x.y.z`.replace(/=.*~/, '=')],
  ] as const)('changed in %s is unknown', async ([, change]) => {
    const browsers = createKnownBrowsers(fixedRing(Buffer.alloc(32, 1)), createManualClock(), site);
    const header = headerOf(await browsers.remember(undefined, 'ana'));
    expect(await browsers.find(change(header), 'ana')).toBeNull();
  });
});

test('what failed at one portal of the store counts at the others, and what was right there does not', () => {
  const clock = createManualClock();
  const [here, there] = [createBus(), createBus()];
  const guards = [
    createGuessGuard(clock, { ...here, tellOthers: (edge: OthersEdge) => there.heard(edge) }),
    createGuessGuard(clock, { ...there, tellOthers: (edge: OthersEdge) => here.heard(edge) }),
  ] as const;
  const guess = { login: 'ana', address: '192.0.2.1', browser: null };
  const wrong = (which: 0 | 1): void => guards[which].begin(guess).end();
  let tries = 0;
  const all = (): void => {
    for (; tries < 1_000; tries += 1) wrong(tries % 2 === 0 ? 0 : 1);
  };
  expect(all).toThrow(/too many attempts/);
  const alone = createGuessGuard(clock, createBus());
  let alonesTries = 0;
  expect(() => {
    for (; alonesTries < 1_000; alonesTries += 1) alone.begin(guess).end();
  }).toThrow(/too many attempts/);
  expect(tries).toBe(alonesTries);
  const right = guards[0].begin({ ...guess, login: 'bia', address: '198.51.100.7' });
  right.forgive();
  right.end();
  expect(() => guards[1].begin({ ...guess, login: 'bia', address: '198.51.100.7' }).end()).not.toThrow();
});
