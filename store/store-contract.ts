/** Contract of every store, as one suite: sqlite.test.ts and test/postgres/store.real.test.ts run it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from './limits.ts';
import { jobTests } from './jobs-contract.ts';
import { personalTests } from './personal-contract.ts';
import { roomTests } from './rooms-contract.ts';
import type { Store, StoredConsent, StoredEvent, StoredSession, StoredStatus } from './store.ts';

export interface StoreFixture {
  open(): Promise<Store>;
  /** Removes what `open` left behind; all stores are closed by then. */
  remove(): Promise<void>;
}

const status = (key: string, state: string): StoredStatus => ({
  key,
  kind: 'Backend',
  state,
  reason: 'Healthy',
  message: 'answers',
  conditions: [{ type: 'Ready', status: 'True', reason: 'Healthy', message: '', observedGeneration: 3, sinceMs: 5 }],
  generation: 3,
  nextDeadlineMs: null,
  seenAtMs: 7,
  memory: { attempt: 2, text: 'ação ✓' },
  details: { pid: 12 },
});
const event = (key: string, message: string): Omit<StoredEvent, 'seq'> => ({
  atMs: 1,
  key,
  type: 'Normal',
  reason: 'Healthy',
  message,
  round: 'r1',
  from: null,
  to: 'running',
});
const session = (tokenHash: string, person: string, over: Partial<StoredSession> = {}): StoredSession => ({
  tokenHash,
  person,
  admin: false,
  audience: 'portal',
  createdAtMs: 1_000,
  expiresAtMs: 9_000,
  seenAtMs: 1_000,
  method: 'ssh',
  address: '192.0.2.7',
  agent: 'Firefox',
  ...over,
});

export function describeStore(name: string, fixture: () => Promise<StoreFixture>): void {
  describe(`store contract: ${name}`, () => {
    let made: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      made = await fixture();
      store = await made.open();
    });
    afterEach(async () => {
      await store.close();
      await made.remove();
    });
    const reopen = async (): Promise<void> => {
      await store.close();
      store = await made.open();
    };

    intentTests(() => store, reopen);
    statusTests(() => store, reopen);
    eventTests(() => store, reopen);
    sessionTests(() => store);
    installTests(() => store, reopen);
    preferenceTests(() => store, reopen);
    consentTests(() => store, reopen);
    appErrorTests(() => store, reopen);
    personalTests(() => store);
    nameTests(() => store, reopen);
    roomTests(() => store.rooms, reopen);
    jobTests(() => store);
  });
}

function intentTests(store: () => Store, reopen: () => Promise<void>): void {
  const intent = { person: 'ana', app: 'notas', wish: 'start', by: 'person', requestId: 'q1', atMs: 10 } as const;

  test('the newest intent of a backend replaces the one before and is pending again', async () => {
    await store().putIntent(intent);
    await store().finishIntent('ana', 'notas', 'q1');
    await store().putIntent({ ...intent, wish: 'stop', by: 'admin', who: 'root', requestId: 'q2' });
    await reopen();
    expect(await store().intents()).toEqual([{ ...intent, wish: 'stop', by: 'admin', who: 'root', requestId: 'q2', done: false }]);
  });

  test('a late confirmation of an older request finishes nothing', async () => {
    await store().putIntent(intent);
    await store().putIntent({ ...intent, requestId: 'q2' });
    await store().finishIntent('ana', 'notas', 'q1');
    expect((await store().intent('ana', 'notas'))?.done).toBe(false);
    await store().finishIntent('ana', 'notas', 'q2');
    expect((await store().intent('ana', 'notas'))?.done).toBe(true);
    expect(await store().intent('ana', 'other')).toBeNull();
  });
}

function statusTests(store: () => Store, reopen: () => Promise<void>): void {
  test('statuses come back whole after a restart, by key and by prefix', async () => {
    await Promise.all(
      ['Backend/bia/notas', 'Backend/ana/relogio', 'Backend/ana/notas', 'Server/casa'].map((key) =>
        store().putStatus(status(key, 'running')),
      ),
    );
    await store().putStatus(status('Backend/ana/notas', 'stopped'));
    await reopen();
    expect(await store().status('Backend/ana/notas')).toEqual(status('Backend/ana/notas', 'stopped'));
    expect((await store().statuses('Backend/ana/')).map((found) => found.key)).toEqual(['Backend/ana/notas', 'Backend/ana/relogio']);
    expect(await store().statuses('')).toHaveLength(4);
    await store().deleteStatus('Server/casa');
    expect(await store().status('Server/casa')).toBeNull();
    await reopen();
    expect(await store().status('Server/casa')).toBeNull();
  });
}

function eventTests(store: () => Store, reopen: () => Promise<void>): void {
  test('events are numbered in the order they were appended and go on after a restart', async () => {
    const seqs = await Promise.all(['a', 'b', 'c'].map((message) => store().appendEvent(event('Server/casa', message))));
    expect(seqs).toEqual([...seqs].sort((left, right) => left - right));
    await reopen();
    const later = await store().appendEvent(event('Server/casa', 'd'));
    expect(later).toBeGreaterThan(seqs[2] ?? 0);
    const found = await store().events({ under: 'Server/', afterSeq: seqs[0] ?? 0, limit: 10 });
    expect(found.map((one) => one.message)).toEqual(['b', 'c', 'd']);
    expect((await store().events({ limit: 2 })).map((one) => one.message)).toEqual(['c', 'd']);
    expect(await store().events({ under: 'Backend/', limit: 10 })).toEqual([]);
  });

  test('a talkative object keeps its newest events and costs the others none', async () => {
    await store().appendEvent(event('Server/quiet', 'only one'));
    await Promise.all(Array.from({ length: 1_000 }, (_unused, index) => store().appendEvent(event('Server/loud', String(index)))));
    const loud = await store().events({ under: 'Server/loud', limit: 10_000 });
    expect(loud.length).toBeGreaterThanOrEqual(limits.eventsKeptPerObject);
    expect(loud.length).toBeLessThanOrEqual(limits.eventsKeptPerObject * 1.1);
    expect(loud.at(-1)?.message).toBe('999');
    expect(await store().events({ under: 'Server/quiet', limit: 10 })).toHaveLength(1);
  });

  test('events under a key are its own and those below it, however many a longer name beside it has', async () => {
    for (const key of ['Backend/ana/notas', 'Backend/ana/notas/x', 'Backend/anabela/notas']) await store().appendEvent(event(key, key));
    for (let n = 0; n < 20; n += 1) await store().appendEvent(event(`Backend/ana/notas${n % 2 === 0 ? '2' : '-b'}`, 'beside'));
    const messages = async (under: string, limit = 10) => (await store().events({ under, limit })).map((one) => one.message);
    expect(await messages('Backend/ana/notas')).toEqual(['Backend/ana/notas', 'Backend/ana/notas/x']);
    expect(await messages('Backend/ana/notas/')).toEqual(['Backend/ana/notas', 'Backend/ana/notas/x']);
    expect(await messages('Backend/ana/notas', 1)).toEqual(['Backend/ana/notas/x']);
    expect(await messages('Backend/anabela')).toEqual(['Backend/anabela/notas']);
    expect(await messages('Backend/ana', 100)).toHaveLength(22);
    expect(await messages('Backend', 100)).toHaveLength(23);
    expect(await messages('Back')).toEqual([]);
  });
}

function sessionTests(store: () => Store): void {
  test('a session is found until it expires and is gone when deleted', async () => {
    await store().putSession(session('h1', 'ana'));
    await store().putSession(session('h2', 'ana', { audience: 'notas', admin: true }));
    await store().putSession(session('h3', 'bia'));
    expect(await store().session('h2', 8_999)).toEqual(session('h2', 'ana', { audience: 'notas', admin: true }));
    expect(await store().session('h2', 9_000)).toBeNull();
    expect((await store().sessionsOf('ana', 2_000)).map((one) => one.tokenHash).sort()).toEqual(['h1', 'h2']);
    expect(await store().present(2_000)).toEqual(new Set(['ana', 'bia']));
    expect(await store().present(9_000)).toEqual(new Set());
    await store().deleteSession('h1');
    expect(await store().session('h1', 2_000)).toBeNull();
    await store().deleteSessionsOf('ana');
    expect(await store().sessionsOf('ana', 2_000)).toEqual([]);
    // A person with only a session of an app does not count as present.
    await store().putSession(session('h4', 'ana', { audience: 'notas' }));
    expect(await store().present(2_000)).toEqual(new Set(['bia']));
    expect(await store().session('h3', 2_000)).not.toBeNull();
  });

  test('a use is written down, the later one stays, and an ended session stays ended', async () => {
    await store().putSession(session('h1', 'ana'));
    await store().touchSession('h1', 5_000, 19_000);
    await store().touchSession('h1', 4_000, 18_000);
    await store().touchSession('gone', 5_000, 19_000);
    expect(await store().session('h1', 10_000)).toEqual(session('h1', 'ana', { seenAtMs: 5_000, expiresAtMs: 19_000 }));
    expect(await store().session('gone', 2_000)).toBeNull();
  });

  test('one more session than the limit ends the oldest of that audience only', async () => {
    await store().putSession(session('first-app', 'ana', { audience: 'notas', createdAtMs: 0 }));
    for (let index = 0; index <= limits.sessionsPerPersonMax; index += 1) {
      await store().putSession(session(`s${index}`, 'ana', { createdAtMs: 1_000 + index }));
    }
    expect(await store().session('s0', 2_000)).toBeNull();
    expect(await store().session('s1', 2_000)).not.toBeNull();
    expect(await store().session('first-app', 2_000)).not.toBeNull();
  });

  test('a pass is taken once, also by two at the same time, and never when expired', async () => {
    const pass = { passHash: 'p1', person: 'ana', admin: true, audience: 'notas', expiresAtMs: 5_000 };
    await store().putPass(pass);
    const both = await Promise.all([store().takePass('p1', 4_999), store().takePass('p1', 4_999)]);
    expect(both.filter((taken) => taken !== null)).toEqual([pass]);
    await store().putPass({ ...pass, passHash: 'p2' });
    for (let look = 0; look < 2; look += 1) expect(await store().pass('p2', 4_999)).toEqual({ ...pass, passHash: 'p2' });
    expect([await store().pass('p2', 5_000), await store().pass('unknown', 0)]).toEqual([null, null]);
    expect(await store().takePass('p2', 5_000)).toBeNull();
    expect(await store().takePass('p2', 4_000)).toBeNull();
    expect(await store().takePass('unknown', 0)).toBeNull();
  });

  test('one more pass than the limit loses the oldest hand-over of that person, never a sign-in link', async () => {
    const pass = { person: 'ana', admin: false, audience: 'notas', expiresAtMs: 5_000 };
    await store().putPass({ ...pass, passHash: 'link', audience: 'portal' });
    await store().putPass({ ...pass, passHash: 'other', person: 'bia' });
    for (let index = 0; index <= limits.passesPerPersonMax; index += 1) {
      await store().putPass({ ...pass, passHash: `p${index}`, audience: `notas@${index}`, expiresAtMs: 5_000 + index });
    }
    expect(await store().takePass('p0', 0)).toBeNull();
    for (const kept of ['p1', `p${limits.passesPerPersonMax}`, 'link', 'other']) expect(await store().takePass(kept, 0)).not.toBeNull();
  });
}

function installTests(store: () => Store, reopen: () => Promise<void>): void {
  test('the newest wish of a person for an app stays until that very one is deleted', async () => {
    const wish = { person: 'ana', app: 'notas', version: '1.0.0', requestId: 'q1', atMs: 10 };
    await store().putInstallWish(wish);
    await store().putInstallWish({ ...wish, app: 'agenda' });
    await store().putInstallWish({ ...wish, person: 'bia' });
    await store().putInstallWish({ ...wish, version: null, requestId: 'q2', cancels: true });
    await reopen();
    expect((await store().installWishes()).map(({ person, app }) => `${person}/${app}`)).toEqual(['ana/agenda', 'ana/notas', 'bia/notas']);
    await store().deleteInstallWish('ana', 'notas', 'q1');
    expect(await store().installWish('ana', 'notas')).toEqual({ ...wish, version: null, requestId: 'q2', cancels: true });
    await store().deleteInstallWish('ana', 'notas', 'q2');
    expect(await store().installWish('ana', 'notas')).toBeNull();
    expect(await store().installWishes()).toHaveLength(2);
  });

  test('a held rollback is replaced, survives a restart and ends when it is deleted', async () => {
    const rollback = { key: 'Package/notas', from: '2.0.0', to: '1.0.0', requestId: 'q1', atMs: 10 };
    await store().putRollback(rollback);
    await store().putRollback({ ...rollback, to: '1.5.0', requestId: 'q2' });
    await store().putRollback({ ...rollback, key: 'Package/ana/agenda' });
    await reopen();
    expect(await store().rollbacks()).toEqual([
      { ...rollback, key: 'Package/ana/agenda' },
      { ...rollback, to: '1.5.0', requestId: 'q2' },
    ]);
    await store().deleteRollback('Package/notas');
    await store().deleteRollback('Package/unknown');
    expect(await store().rollbacks()).toHaveLength(1);
  });
}

function preferenceTests(store: () => Store, reopen: () => Promise<void>): void {
  test('preferences are replaced over the version that was read, and over no other', async () => {
    expect(await store().preferences('ana')).toBeNull();
    expect(await store().putPreferences('ana', '{"a":1}', 1)).toBe(false);
    expect(await store().putPreferences('ana', '{"a":1}', 0)).toBe(true);
    expect(await store().putPreferences('ana', '{"a":2}', 0)).toBe(false);
    const both = [store().putPreferences('ana', '{"a":3}', 1), store().putPreferences('ana', '{"a":4}', 1)];
    expect(await Promise.all(both)).toEqual([true, false]);
    expect(await store().putPreferences('bia', '{}', 0)).toBe(true);
    await reopen();
    expect(await store().preferences('ana')).toEqual({ version: 2, body: '{"a":3}' });
    await store().deletePreferences('ana');
    expect([await store().preferences('ana'), await store().preferences('bia')]).toEqual([null, { version: 1, body: '{}' }]);
  });
}

function appErrorTests(store: () => Store, reopen: () => Promise<void>): void {
  const error = {
    usuario: 'ana',
    app: 'notas',
    id: 'e1',
    tipo: 'ValueError',
    mensagem: 'x',
    pilha: 'a\nb',
    versao: '1.0.0',
    de: 'backend',
    n: 1,
    atMs: 10,
  } as const;
  const { atMs: _, ...kept } = error;

  test('errors with one id are one group: the last message, the first and the last time, and how many', async () => {
    expect(await store().addAppErrors([error, { ...error, mensagem: 'y', versao: '1.1.0', n: 4, atMs: 20 }])).toEqual([1, 5]);
    expect(await store().addAppErrors([{ ...error, app: 'agenda' }])).toEqual([1]);
    expect(await store().addAppErrors([{ ...error, usuario: 'bia', id: 'e2' }])).toEqual([1]);
    await reopen();
    expect(await store().appErrors('ana', 'notas')).toEqual([
      { ...kept, mensagem: 'y', versao: '1.1.0', n: 5, primeiroEm: 10, ultimoEm: 20 },
    ]);
    await store().deleteAppErrorsOf('ana');
    expect([await store().appErrors('ana', 'notas'), await store().appErrors('ana', 'agenda')]).toEqual([[], []]);
    expect(await store().appErrors('bia', 'notas')).toHaveLength(1);
  });

  test('of several errors all are kept or none', async () => {
    const bad = { ...error, n: null as unknown as number };
    await expect(store().addAppErrors([error, bad])).rejects.toThrow(/null/i);
    expect(await store().appErrors('ana', 'notas')).toEqual([]);
  });

  test('of more groups than are kept, those that were not seen for longest go', async () => {
    const many = Array.from({ length: limits.appErrorsPerAppMax + 1 }, (_, n) => ({ ...error, id: `e${n}`, atMs: 100 + n }));
    await store().addAppErrors([...many, { ...error, id: 'e1', atMs: 1_000 }, { ...error, id: 'last', atMs: 2_000 }]);
    const ids = (await store().appErrors('ana', 'notas')).map(({ id }) => id);
    expect(ids).toHaveLength(limits.appErrorsPerAppMax);
    expect(ids.slice(0, 2)).toEqual(['last', 'e1']);
    expect(ids).not.toContain('e0');
    expect(ids).not.toContain('e2');
  });
}

function consentTests(store: () => Store, reopen: () => Promise<void>): void {
  const consent = {
    id: 'c1',
    usuario: 'ana',
    de: 'leitor',
    para: 'dicionario',
    capacidade: 'dicionario/v1',
    resposta: 'sim',
    atMs: 10,
  } as const;
  const { resposta: _, ...asked } = consent;
  const idsOf = async (usuario: string): Promise<string[]> => (await store().consents(usuario)).map(({ id }) => id);

  test('the newest answer to a question replaces the one before, under its id, and no other question', async () => {
    expect(await store().putConsent(consent)).toBe('c1');
    const others: readonly StoredConsent[] = [
      { ...consent, id: 'c2', de: 'notas' },
      { ...consent, id: 'c3', para: 'outro' },
      { ...consent, id: 'c4', capacidade: 'dicionario/v2' },
      { ...consent, id: 'c5', usuario: 'bia' },
    ];
    for (const other of others) expect(await store().putConsent(other)).toBe(other.id);
    expect(await store().putConsent({ ...consent, id: 'c6', resposta: 'nao', atMs: 20 })).toBe('c1');
    await reopen();
    expect(await store().consent(consent)).toBe('nao');
    for (const other of others) expect(await store().consent(other)).toBe('sim');
    expect(await store().consent({ ...consent, de: 'dicionario', para: 'leitor' })).toBeNull();
    expect((await store().consents('ana'))[0]).toEqual({ ...consent, resposta: 'nao', atMs: 20 });
    expect((await idsOf('ana')).toSorted()).toEqual(['c1', 'c2', 'c3', 'c4']);
  });

  test('what a backend asked for is noted once, and never over an answer', async () => {
    expect(await store().noteConsentAsked(asked)).toBe(true);
    expect(await store().noteConsentAsked({ ...asked, id: 'c2', atMs: 20 })).toBe(false);
    expect(await store().consents('ana')).toEqual([{ ...asked, resposta: 'pendente' }]);
    await store().putConsent({ ...consent, id: 'c3', resposta: 'nao' });
    expect(await store().noteConsentAsked({ ...asked, id: 'c4' })).toBe(false);
    expect(await store().consents('ana')).toEqual([{ ...consent, resposta: 'nao' }]);
  });

  test('one is deleted by the person that gave it, once', async () => {
    await store().putConsent(consent);
    expect(await store().deleteConsent('bia', 'c1')).toBeNull();
    expect(await store().deleteConsent('ana', 'c1')).toEqual(consent);
    expect(await store().deleteConsent('ana', 'c1')).toBeNull();
    await reopen();
    expect(await store().consent(consent)).toBeNull();
  });

  test('they go with either app, and all with the person', async () => {
    await store().putConsent(consent);
    await store().putConsent({ ...consent, id: 'c2', de: 'notas' });
    await store().putConsent({ ...consent, id: 'c3', para: 'outro' });
    await store().putConsent({ ...consent, id: 'c4', usuario: 'bia' });
    await store().keepConsents('ana', new Set(['leitor', 'dicionario', 'unrelated']));
    expect(await idsOf('ana')).toEqual(['c1']);
    await store().keepConsents('ana', new Set());
    await reopen();
    expect([await idsOf('ana'), await idsOf('bia')]).toEqual([[], ['c4']]);
  });

  test('one more than the limit loses the oldest, of that person only', async () => {
    await store().putConsent({ ...consent, id: 'other', usuario: 'bia', atMs: 0 });
    await Promise.all(
      Array.from({ length: limits.consentsPerPersonMax }, (_, index) =>
        store().putConsent({ ...consent, id: `c${index}`, de: `app${index}`, atMs: index + 1 }),
      ),
    );
    expect(await store().noteConsentAsked({ ...asked, id: 'last', atMs: 1_000_000 })).toBe(true);
    const ids = await idsOf('ana');
    expect([ids.length, ids[0], ids.includes('c0'), ids.includes('c1')]).toEqual([limits.consentsPerPersonMax, 'last', false, true]);
    expect(await idsOf('bia')).toEqual(['other']);
  });
}

function nameTests(store: () => Store, reopen: () => Promise<void>): void {
  test('windows are those of all portals, and those of a portal that went are closed', async () => {
    const notas = { person: 'ana', app: 'notas' };
    await store().putWindows('one', { ...notas, open: 2, zeroSinceMs: null });
    await store().putWindows('two', { ...notas, open: 1, zeroSinceMs: null });
    await store().putWindows('two', { person: 'bia', app: 'notas', open: 1, zeroSinceMs: null });
    expect(await store().windowsOf('ana', 'notas')).toEqual({ ...notas, open: 3, zeroSinceMs: null });
    await store().putWindows('one', { ...notas, open: 0, zeroSinceMs: 50 });
    expect(await store().windowsOf('ana', 'notas')).toEqual({ ...notas, open: 1, zeroSinceMs: null });
    expect(await store().closeWindows(true, ['one', 'three'], 90)).toEqual([]);
    expect(await store().closeWindows(false, ['one'], 90)).toEqual([notas, { person: 'bia', app: 'notas' }]);
    expect(await store().windowsOf('ana', 'notas')).toEqual({ ...notas, open: 0, zeroSinceMs: 90 });
    await store().putWindows('three', { ...notas, open: 1, zeroSinceMs: null });
    await store().putWindows('three', { ...notas, open: 0, zeroSinceMs: 95 });
    expect((await store().windows()).map(({ person, zeroSinceMs }) => [person, zeroSinceMs])).toEqual([
      ['ana', 95],
      ['bia', 90],
    ]);
  });

  test('windows, documents in force and values survive a restart', async () => {
    await store().putWindows('', { person: 'ana', app: 'notas', open: 2, zeroSinceMs: null });
    await store().putWindows('', { person: 'ana', app: 'notas', open: 0, zeroSinceMs: 77 });
    const row = (name: string, body = '{}', leaving = false) => ({ name, leaving, body });
    await store().changeInForce({ put: [row('Server/casa'), row('Person/bia'), row('Person/ana')], gone: [] });
    await store().changeInForce({ put: [row('Person/ana', '{"a":1}', true)], gone: ['Server/casa', 'Person/unknown'] });
    expect(await store().value('hash')).toBeNull();
    for (const value of ['one', 'two']) await store().putValue('hash', value);
    expect([await store().keepValue('hash', 'three'), await store().value('hash')]).toEqual(['two', 'two']);
    expect(await Promise.all(['a', 'b'].map((value) => store().keepValue('kept', value)))).toEqual(['a', 'a']);
    await reopen();
    expect(await store().windows()).toEqual([{ person: 'ana', app: 'notas', open: 0, zeroSinceMs: 77 }]);
    expect(await store().windowsOf('ana', 'notas')).toEqual({ person: 'ana', app: 'notas', open: 0, zeroSinceMs: 77 });
    expect(await store().windowsOf('ana', 'relogio')).toBeNull();
    expect(await store().inForce()).toEqual([row('Person/ana', '{"a":1}', true), row('Person/bia')]);
    expect(await store().value('hash')).toBe('two');
    await store().putValue('has%', 'three');
    expect(await store().values('hash')).toEqual(new Map([['hash', 'two']]));
    expect(await store().values('ha%')).toEqual(new Map());
  });
}
