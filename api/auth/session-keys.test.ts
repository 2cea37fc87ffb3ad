import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createBus } from '../../store/bus.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { fixedRing } from './key-rings.ts';
import { createSessionKeys, type KeyAnswer } from './session-keys.ts';
import { createSessions } from './sessions.ts';

const day = 24 * 60 * 60_000;

function newKey(namedCurve = 'P-256') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  return {
    chave: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
    answer: (pergunta: string) =>
      sign('sha256', Buffer.from(pergunta), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  };
}

async function setUp() {
  const clock = createManualClock();
  const store = createMemoryStore();
  const people = new Set(['ana', 'bia']);
  const sessions = createSessions(store, clock, (person) => people.has(person), createBus());
  const ring = fixedRing(Buffer.alloc(32, 5));
  const keys = createSessionKeys(ring, clock, sessions);
  const { session, secret } = await sessions.open('ana', true, { method: 'ssh', address: '192.0.2.1', agent: 'x' });
  const key = newKey();
  const bilhete = await keys.bind(session, key.chave);
  const answer = async (change: Partial<KeyAnswer> = {}): Promise<KeyAnswer> => {
    const pergunta = await keys.question();
    return { bilhete, chave: key.chave, pergunta, assinatura: key.answer(pergunta), ...change };
  };
  return { clock, store, ring, people, sessions, keys, session, secret, key, bilhete, answer };
}

describe('a session comes back by its key', () => {
  test('under a new cookie, as the same and as old as it was; the cookie before is worth nothing', async () => {
    const { clock, sessions, keys, secret, answer } = await setUp();
    clock.advance(3 * day);
    const back = await keys.renew(await answer());
    expect(back.session).toMatchObject({ person: 'ana', admin: true, createdAtMs: clock.nowMs() - 3 * day });
    expect(await sessions.portal(secret)).toBeNull();
    expect(await sessions.portal(back.secret)).toMatchObject({ person: 'ana', admin: true });
    expect(await sessions.list('ana')).toMatchObject([{ method: 'ssh', address: '192.0.2.1', agent: 'x' }]);
  });

  test('its days go on counting: after ninety it is over, however often it came back', async () => {
    const { clock, sessions, keys, session } = await setUp();
    let current = session;
    for (let week = 0; week < 12; week += 1) {
      clock.advance(7 * day);
      const key = newKey();
      const pergunta = await keys.question();
      const bilhete = await keys.bind(current, key.chave);
      const back = await keys.renew({ bilhete, chave: key.chave, pergunta, assinatura: key.answer(pergunta) });
      current = back.session;
    }
    expect(current.expiresAtMs).toBe(session.createdAtMs + 90 * day);
    clock.advance(6 * day);
    expect(await sessions.alive(current.id)).toBe(false);
  });

  test('not once it was signed out, nor a second time by the same answer, nor when its person is gone', async () => {
    const first = await setUp();
    await first.sessions.end(first.session);
    await expect(first.keys.renew(await first.answer())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const second = await setUp();
    const used = await second.answer();
    await second.keys.renew(used);
    await expect(second.keys.renew(used)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const third = await setUp();
    third.people.delete('ana');
    await expect(third.keys.renew(await third.answer())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('the answer of the portal may be lost: the ticket of before goes on, and what it opened in between ends', async () => {
    const { keys, sessions, answer, session } = await setUp();
    const lost = await keys.renew(await answer());
    const [one, other] = await Promise.all([keys.renew(await answer()), keys.renew(await answer())]);
    expect(await Promise.all([lost, one, other].map(({ secret }) => sessions.portal(secret)))).toEqual([null, null, other.session]);
    expect(await sessions.list('ana')).toHaveLength(1);
    // And it signs out, after which nothing comes back.
    expect([await keys.end(await answer()), await sessions.portal(other.secret), await keys.end(await answer())]).toEqual([
      true,
      null,
      false,
    ]);
    await expect(keys.renew(await answer())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(session.createdAtMs).toBe(other.session.createdAtMs);
  });

  test('a ticket is forgotten once others of the same person came back often', async () => {
    const { keys, sessions, answer, key } = await setUp();
    let { session } = await keys.renew(await answer());
    for (let time = 0; time < 8; time += 1) {
      const bilhete = await keys.bind(session, key.chave);
      session = (await keys.renew(await answer({ bilhete }))).session;
    }
    await expect(keys.renew(await answer())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await sessions.alive(session.id)).toBe(true);
  });

  test('also at another portal of the store, whose clock is some seconds behind', async () => {
    const { clock, ring, sessions, answer } = await setUp();
    const renewedAt = async (skewMs: number): Promise<string> => {
      const keys = createSessionKeys(ring, createManualClock(clock.nowMs() + skewMs), sessions);
      return await keys.renew(await answer()).then(
        () => 'renewed',
        (error: { code: string }) => error.code,
      );
    };
    expect([await renewedAt(-11_000), await renewedAt(-2_000)]).toEqual(['UNAUTHENTICATED', 'renewed']);
  });

  test('not with another key, ticket, question or signature', async () => {
    const { keys, sessions, secret, answer, key, bilhete, clock } = await setUp();
    const stranger = newKey();
    const pergunta = await keys.question();
    const bia = await sessions.open('bia', false);
    const ofBia = await keys.bind(bia.session, stranger.chave);
    const forged = bilhete.replace(/^ana/, 'bia');
    for (const change of [
      { chave: stranger.chave },
      { chave: stranger.chave, pergunta, assinatura: stranger.answer(pergunta) },
      { assinatura: stranger.answer(pergunta), pergunta },
      { bilhete: ofBia },
      { bilhete: forged },
      { bilhete: pergunta },
      { bilhete: '' },
      { pergunta: bilhete, assinatura: key.answer(bilhete) },
      { pergunta: 'x~y~z', assinatura: key.answer('x~y~z') },
      { assinatura: '' },
    ]) {
      await expect(keys.renew(await answer(change))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    const late = await answer();
    clock.advance(60_000);
    await expect(keys.renew(late)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await sessions.portal(secret)).toMatchObject({ person: 'ana' });
    expect(await sessions.portal(bia.secret)).toMatchObject({ person: 'bia' });
  });

  test('and is ended by it, with the sessions of the apps, once and by nobody else', async () => {
    const { sessions, keys, session, secret, answer } = await setUp();
    const ofApp = await sessions.openForApp('ana', 'notas', session.root);
    const ended: string[] = [];
    sessions.onEnd((id) => ended.push(id));
    const stranger = newKey();
    const pergunta = await keys.question();
    expect(await keys.end(await answer({ chave: stranger.chave, pergunta, assinatura: stranger.answer(pergunta) }))).toBe(false);
    expect(await sessions.portal(secret)).toMatchObject({ person: 'ana' });
    expect([await keys.end(await answer()), await keys.end(await answer())]).toEqual([true, false]);
    expect([await sessions.portal(secret), await sessions.app(ofApp?.secret ?? '', 'notas')]).toEqual([null, null]);
    expect(ended).toEqual(expect.arrayContaining([session.root, ofApp?.session.id]));
  });

  test('only a P-256 key is bound', async () => {
    const { keys, session } = await setUp();
    for (const chave of ['', 'x', newKey('P-384').chave])
      await expect(keys.bind(session, chave)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
