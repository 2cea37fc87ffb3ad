import { describe, expect, test } from 'vitest';
import { siteOf } from '../http/hosts.ts';
import { createBus, type OthersEdge } from '../../store/bus.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { followAdmins } from './admin-marks.ts';
import { readSessionCookie, sessionCookie } from './cookies.ts';
import { createPasses } from './passes.ts';
import { mayChange, mayRead, mayUpgrade } from './same-origin.ts';
import { newSecret, secretHash } from './secrets.ts';
import { createSessions } from './sessions.ts';

const site = siteOf('http://svc.localhost:8787', 8787, 'subdomain');
const minute = 60_000;
const day = 24 * 60 * minute;

function setUp() {
  const clock = createManualClock();
  const store = createMemoryStore();
  const people = new Set(['ana', 'bia']);
  const sessions = createSessions(store, clock, (person) => people.has(person), createBus());
  return { clock, store, people, sessions, passes: createPasses(store, clock) };
}

test('a session that ended at another portal of the store is none here, and what it opened is told', async () => {
  const { clock, store, people } = setUp();
  const buses = [createBus(), createBus()] as const;
  const toOther = { ...buses[0], tellOthers: (edge: OthersEdge) => buses[1].heard(edge) };
  const here = createSessions(store, clock, (person) => people.has(person), toOther);
  const there = createSessions(store, clock, (person) => people.has(person), buses[1]);
  const ended: string[] = [];
  there.onEnd((session) => ended.push(session));
  const { secret, session } = await here.open('ana', false);
  expect(await there.portal(secret)).toMatchObject({ person: 'ana' });
  await here.end(session);
  expect([await there.portal(secret), ended]).toEqual([null, [session.id]]);
});

test('an administrator by the Portal document is one in sessions that exist, on the portal alone, and what these hold open ends with the mark', async () => {
  const { clock, store, people } = setUp();
  const admins = new Set<string>();
  const bus = createBus();
  const sessions = createSessions(
    store,
    clock,
    (person) => people.has(person),
    bus,
    (person) => admins.has(person),
  );
  const released: string[] = [];
  sessions.onEnd((session) => released.push(session));
  const all = () => [...people].map((usuario) => ({ usuario, nome: usuario, login: usuario, grupos: [], isAdmin: admins.has(usuario) }));
  followAdmins({ people: { all }, bus, sessions, onError: () => undefined });
  const { secret, session } = await sessions.open('ana', false);
  const app = await sessions.openForApp('ana', 'notas', session.root);
  const marks = async () => [
    (await sessions.portal(secret))?.admin,
    sessions.peekPortal(session.id)?.admin,
    (await sessions.list('ana')).map(({ admin }) => admin),
    (await sessions.app(app?.secret ?? null, 'notas'))?.admin,
  ];
  expect([session.admin, await marks()]).toEqual([false, [false, false, [false], false]]);
  admins.add('ana');
  bus.peopleChanged();
  expect(await marks()).toEqual([true, true, [true], false]);
  const renewed = await sessions.renew('ana', (await sessions.list('ana'))[0]?.id ?? '');
  expect([renewed?.session.admin, (await sessions.open('ana', false)).session.admin]).toEqual([true, true]);
  released.length = 0;
  admins.delete('ana');
  bus.peopleChanged();
  expect((await sessions.list('ana')).map(({ admin }) => admin)).toEqual([false, false]);
  expect(released).toHaveLength(2);
  expect(await sessions.portal(renewed?.secret ?? null)).toMatchObject({ person: 'ana', admin: false });
});

describe('the session cookie', () => {
  const value = newSecret();
  test('is bound to the host and hidden from scripts', () => {
    expect(sessionCookie(site, value)).toBe(`__Host-svc=${value}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure`);
  });
  test('loses its prefix only where browsers would refuse it: plain http on a name that is not localhost', () => {
    const plain = siteOf('http://apps.lan', 80, 'subdomain');
    expect(sessionCookie(plain, value)).toBe(`svc-sessao=${value}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax`);
    expect(readSessionCookie(`__Host-svc=${value}`, plain)).toBeNull();
  });
  test.for([
    [`__Host-svc=${value}`, value],
    [`a=b; __Host-svc=${value}; c=d`, value],
    [`__Host-svc=${value}; __Host-svc=${newSecret()}`, null],
    [`svc-sessao=${value}`, null],
    [`x__Host-svc=${value}`, null],
    [`__host-svc=${value}`, null],
    ['__Host-svc=short', null],
    // A backend may set a cookie of such a name for the whole domain.
    [`\u00a0__Host-svc=${value}`, null],
    [`__Host-svc\u00a0=${value}`, null],
    [`\ufeff__Host-svc=${value}`, null],
    [`__Host-svc=${value}\u00a0`, null],
    [`a=b;\t__Host-svc=${value} `, value],
    [`__Host-svc=${value}x`, null],
    [`__Host-svc="${value}"`, null],
    [undefined, null],
  ] as const)('%s is read as %s', ([header, expected]) => {
    expect(readSessionCookie(header, site)).toBe(expected);
  });
});

describe('sessions', () => {
  test('the store never sees the value of a cookie', async () => {
    const { sessions, store } = setUp();
    const { secret } = await sessions.open('ana', false);
    expect(JSON.stringify(await store.sessionsOf('ana', 0))).not.toContain(secret);
  });

  test('a portal session opens the portal only, an app session its app only', async () => {
    const { sessions } = setUp();
    const portal = await sessions.open('ana', true);
    const app = await sessions.openForApp('ana', 'notas', portal.session.id);
    expect(await sessions.portal(portal.secret)).toMatchObject({ person: 'ana', admin: true });
    expect(await sessions.app(portal.secret, 'notas')).toBeNull();
    expect(await sessions.app(portal.secret, 'portal')).toBeNull();
    expect(await sessions.app(app?.secret ?? '', 'notas')).toMatchObject({ person: 'ana', admin: false });
    expect(await sessions.app(app?.secret ?? '', 'relogio')).toBeNull();
    expect(await sessions.portal(app?.secret ?? '')).toBeNull();
    // Also when the answers come from memory.
    expect(sessions.peekApp(secretHash(app?.secret ?? ''), 'notas')).toMatchObject({ person: 'ana' });
    expect(sessions.peekApp(secretHash(app?.secret ?? ''), 'relogio')).toBeUndefined();
    expect(sessions.peekPortal(secretHash(app?.secret ?? ''))).toBeUndefined();
  });

  test('signing out ends what came from that sign-in, and nothing else', async () => {
    const { sessions } = setUp();
    const first = await sessions.open('ana', false);
    const second = await sessions.open('ana', false);
    const app = await sessions.openForApp('ana', 'notas', first.session.id);
    const other = await sessions.openForApp('ana', 'notas', second.session.id);
    await sessions.app(app?.secret ?? '', 'notas');
    const ended: string[] = [];
    sessions.onEnd((session) => ended.push(session));
    await sessions.end(first.session);
    expect(await sessions.portal(first.secret)).toBeNull();
    expect(await sessions.app(app?.secret ?? '', 'notas')).toBeNull();
    expect(sessions.peekApp(secretHash(app?.secret ?? ''), 'notas')).toBeUndefined();
    expect(await sessions.portal(second.secret)).not.toBeNull();
    expect(await sessions.app(other?.secret ?? '', 'notas')).not.toBeNull();
    expect(new Set(ended)).toEqual(new Set([first.session.id, app?.session.id]));
  });

  test('an app session dies with its portal session even when only that one expired', async () => {
    const { sessions, clock } = setUp();
    const portal = await sessions.open('ana', false);
    clock.advance(13 * day);
    const app = await sessions.openForApp('ana', 'notas', portal.session.id);
    clock.advance(day + 1);
    expect(await sessions.app(app?.secret ?? '', 'notas')).toBeNull();
    expect(await sessions.openForApp('ana', 'notas', portal.session.id)).toBeNull();
  });

  test('a removed person is signed out at once', async () => {
    const { sessions, people } = setUp();
    const { secret } = await sessions.open('ana', false);
    await sessions.portal(secret);
    people.delete('ana');
    expect(await sessions.portal(secret)).toBeNull();
    expect(sessions.peekPortal(secretHash(secret))).toBeUndefined();
  });

  test.for([
    ['the shell', 'portal'],
    ['an app', 'notas'],
  ] as const)('lives 14 days from its last use in %s, and ends after 90 days whatever happens', async ([, where]) => {
    const { sessions, clock } = setUp();
    const { secret, session } = await sessions.open('ana', false);
    const app = await sessions.openForApp('ana', 'notas', session.id);
    const use = () => (where === 'portal' ? sessions.portal(secret) : sessions.app(app?.secret ?? '', 'notas'));
    for (let days = 0; days < 89; days += 13) {
      expect([days, await use()]).not.toEqual([days, null]);
      expect(await sessions.alive(session.id)).toBe(true);
      clock.advance(13 * day - 1);
    }
    expect(await use()).toBeNull();
    expect(await sessions.alive(session.id)).toBe(false);
  });

  test('is over 14 days after its last use; asking whether it lives is no use', async () => {
    const { sessions, clock } = setUp();
    const { secret, session } = await sessions.open('ana', false);
    for (let days = 0; days < 13; days += 1) {
      clock.advance(day);
      expect(await sessions.alive(session.id)).toBe(true);
    }
    clock.advance(day);
    expect(await sessions.portal(secret)).toBeNull();
  });

  test('a use is written down every ten minutes, however often it happens', async () => {
    const { sessions, clock, store } = setUp();
    let written = 0;
    const { touchSession } = store;
    store.touchSession = (...use) => {
      written += 1;
      return touchSession(...use);
    };
    const { secret } = await sessions.open('ana', false);
    for (let seconds = 0; seconds < 3_600; seconds += 6) {
      await sessions.portal(secret);
      clock.advance(6_000);
    }
    expect(written).toBe(5);
    expect((await sessions.list('ana'))[0]?.seenAtMs).toBe(clock.nowMs() - 10 * minute);
  });

  test('the list says where and how, the last used first, and holds nothing that opens anything', async () => {
    const { sessions, clock } = setUp();
    const first = await sessions.open('ana', true, {
      method: 'ssh',
      address: '192.0.2.1',
      agent: `Fire\r\nfox\u001b[1m ${'x'.repeat(999)}`,
    });
    clock.advance(1);
    const second = await sessions.open('ana', false, { method: 'oidc', address: '2001:db8::1', agent: 'Chromium' });
    await sessions.openForApp('ana', 'notas', second.session.id);
    await sessions.open('bia', false);
    clock.advance(11 * minute);
    await sessions.portal(first.secret);
    const list = await sessions.list('ana');
    expect(list).toMatchObject([
      { method: 'ssh', admin: true, address: '192.0.2.1', root: first.session.id, seenAtMs: clock.nowMs() },
      { method: 'oidc', admin: false, address: '2001:db8::1', agent: 'Chromium' },
    ]);
    expect(list[0]?.agent).toMatch(/^Firefox\[1m x+$/);
    expect(list[0]?.agent).toHaveLength(256);
    expect(JSON.stringify(list)).not.toContain(first.secret);
    expect(await sessions.portal(list[0]?.id ?? '')).toBeNull();
  });

  test('one of the list is ended by its id, by its own person only', async () => {
    const { sessions } = setUp();
    const { secret } = await sessions.open('ana', false);
    const [listed] = await sessions.list('ana');
    expect(await sessions.endListed('bia', listed?.id ?? '')).toBe(false);
    expect(await sessions.portal(secret)).not.toBeNull();
    expect(await sessions.endListed('ana', listed?.id ?? '')).toBe(true);
    expect(await sessions.portal(secret)).toBeNull();
    expect(await sessions.endListed('ana', listed?.id ?? '')).toBe(false);
  });

  test('everywhere is everywhere, or everywhere else', async () => {
    const { sessions } = setUp();
    const opened = [await sessions.open('ana', false), await sessions.open('ana', false), await sessions.open('ana', false)];
    const bia = await sessions.open('bia', false);
    const ended: string[] = [];
    sessions.onEnd((session) => ended.push(session));
    expect(await sessions.endAll('ana', opened[1]?.session.root)).toBe(2);
    expect(new Set(ended)).toEqual(new Set([opened[0]?.session.id, opened[2]?.session.id]));
    expect(await sessions.portal(opened[1]?.secret ?? '')).not.toBeNull();
    expect(await sessions.endAll('ana')).toBe(1);
    expect(await sessions.endAll('ana')).toBe(0);
    expect(await sessions.portal(bia.secret)).not.toBeNull();
  });

  test('a session that ended is told even when the store has forgotten it', async () => {
    const { sessions, store } = setUp();
    const { session } = await sessions.open('ana', false);
    await store.deleteSessionsOf('ana');
    const ended: string[] = [];
    sessions.onEnd((id) => ended.push(id));
    await sessions.end(session);
    expect(ended).toEqual([session.id]);
  });
});

describe('passes', () => {
  const ask = 'a'.repeat(64);
  test('a sign-in pass works once, within its life', async () => {
    const { passes, clock } = setUp();
    const pass = await passes.forPortal('ana', true, day);
    clock.advance(day - 1);
    expect(await passes.takeForPortal(pass)).toMatchObject({ person: 'ana', admin: true });
    expect(await passes.takeForPortal(pass)).toBeNull();
    const late = await passes.forPortal('ana', true, day);
    clock.advance(day);
    expect(await passes.takeForPortal(late)).toBeNull();
  });

  test.for([
    [29_999, true],
    [30_000, false],
  ] as const)('an app pass after %i ms works: %s', async ([ms, works]) => {
    const { passes, sessions, clock } = setUp();
    const { session } = await sessions.open('ana', true);
    const pass = await passes.forApp(session, 'notas', ask);
    clock.advance(ms);
    expect((await passes.takeForApp(pass, 'notas', ask)) !== null).toBe(works);
    expect(await passes.takeForApp(pass, 'notas', ask)).toBeNull();
  });

  test('an app pass is good in the browser that asked only', async () => {
    const { passes, sessions } = setUp();
    const { session } = await sessions.open('ana', true);
    const pass = await passes.forApp(session, 'notas', ask);
    expect(await passes.takeForApp(pass, 'notas', 'b'.repeat(64))).toEqual({ kind: 'other-asker' });
    expect(await passes.takeForApp(pass, 'notas', ask)).toBeNull();
  });

  test('an app pass is good for its app only, and using it elsewhere uses it up', async () => {
    const { passes, sessions } = setUp();
    const { session } = await sessions.open('ana', true);
    const pass = await passes.forApp(session, 'notas', ask);
    expect(await passes.takeForApp(pass, 'not', ask)).toBeNull();
    expect(await passes.takeForApp(pass, 'notas', ask)).toBeNull();
    expect(await passes.takeForPortal(await passes.forApp(session, 'portal', ask))).toBeNull();
    expect(await passes.takeForApp(await passes.forPortal('ana', true, 1_000), 'portal', ask)).toBeNull();
  });
});

describe('who may call', () => {
  const own = 'http://svc.localhost:8787';
  const app = 'http://notas.svc.localhost:8787';
  const call = (headers: Record<string, string>) => ({ headers }) as never;
  test.for([
    [{ origin: own }, true, true],
    [{ origin: own, 'sec-fetch-site': 'same-origin' }, true, true],
    [{ 'sec-fetch-site': 'same-origin' }, true, true],
    [{}, false, true],
    [{ 'sec-fetch-site': 'none' }, false, true],
    [{ origin: app }, false, false],
    [{ origin: app, 'sec-fetch-site': 'same-site' }, false, false],
    [{ 'sec-fetch-site': 'same-site' }, false, false],
    [{ origin: own, 'sec-fetch-site': 'same-site' }, false, false],
    [{ origin: own, 'sec-fetch-site': 'cross-site' }, false, false],
    [{ origin: 'null' }, false, false],
    [{ origin: `${own}.evil.example` }, false, false],
    [{ origin: 'https://svc.localhost:8787' }, false, false],
    [{ origin: app, 'sec-fetch-site': 'same-origin' }, false, false],
  ] as const)('%j may change: %s, may read: %s', ([headers, change, read]) => {
    expect(mayChange(call(headers), own)).toBe(change);
    expect(mayRead(call(headers), own)).toBe(read);
  });
  test('a handshake without Origin is nobody we know', () => {
    expect(mayUpgrade(call({}), [own])).toBe(false);
    expect(mayUpgrade(call({ origin: own }), [own])).toBe(true);
  });
});
