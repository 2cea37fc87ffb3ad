/** Passkeys at the border of the portal: what is made, what is taken, and which answers are not. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredPasskey } from '../../store/store.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type Json, type PortalWorld } from '../testing/portal-world.ts';
import { limits } from './limits.ts';

let portal: PortalWorld;

beforeAll(async () => {
  portal = await createPortalWorld({ audit: true });
  portal.world.signIn = { ssh: false, oidc: null, passkey: true };
});
afterAll(async () => await portal.close());

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();

/** CBOR of what an attestation holds: small integers, bytes, texts and maps. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number): Buffer => {
    if (n < 24) return Buffer.from([(major << 5) | n]);
    return n < 256 ? Buffer.from([(major << 5) | 24, n]) : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  };
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, each]) => [cbor(key), cbor(each as number)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

interface Odd {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly isVerified?: boolean;
  readonly userHandle?: string;
  readonly format?: string;
}

/** An authenticator with one key, which answers whatever it is asked. */
function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credential = randomBytes(16);
  const id = credential.toString('base64url');
  let userHandle = '';
  let counter = 0;
  const client = (type: string, asked: Json, { origin = portal.url, challenge = asked.challenge }: Odd): string =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
  const data = (flags: number, { rpId = 'svc.localhost', isVerified = true, counter: count = counter }: Odd, rest = Buffer.alloc(0)) => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count);
    return Buffer.concat([sha256(rpId), Buffer.from([(isVerified ? 4 : 0) | flags]), counted, rest]);
  };
  return {
    id,
    made: (asked: Json, odd: Odd = {}) => {
      userHandle = asked.user.id;
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const key = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credential.length]), credential, cbor(key)]);
      const attestation = new Map<string, unknown>([
        ['fmt', odd.format ?? 'none'],
        ['attStmt', new Map()],
        ['authData', data(0x41, odd, attested)],
      ]);
      const attestationObject = cbor(attestation).toString('base64url');
      return { id, clientDataJSON: client('webauthn.create', asked, odd), attestationObject, transports: ['internal'] };
    },
    answer: (asked: Json, odd: Odd = {}) => {
      counter = odd.counter ?? counter + 1;
      const clientDataJSON = client('webauthn.get', asked, odd);
      const authenticatorData = data(0x01, odd);
      const signed = sign('sha256', Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]), privateKey);
      return {
        id,
        clientDataJSON,
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signed.toString('base64url'),
        userHandle: odd.userHandle ?? userHandle,
      };
    },
  };
}

type Key = ReturnType<typeof authenticator>;
const request = async (browser: Browser): Promise<Json> => (await browser.call('POST', '/api/passkeys/pedido', {})).json();
const question = async (): Promise<Json> => (await portal.browser().call('POST', '/api/sessao/passkey', {})).json();
const enter = async (passkey: object) => await portal.browser().call('POST', '/api/sessao', { passkey });
const keep = async (browser: Browser, passkey: object, nome = 'Celular') => await browser.call('POST', '/api/passkeys', { nome, passkey });
const later = (ms: number): void => (portal.clock as ManualClock).advance(ms);

/** A passkey of the person, made by a session that is ended afterwards. */
async function keyOf(person: string): Promise<{ readonly key: Key; readonly browser: Browser }> {
  const browser = await portal.signedIn(person);
  const key = authenticator();
  expect((await keep(browser, key.made(await request(browser)))).status).toBe(201);
  return { key, browser };
}
const clear = async (): Promise<void> => {
  for (const person of ['ana', 'bia']) await portal.store.deletePasskeysOf(person);
  later(30 * 60_000);
};

describe('making one', () => {
  test('is asked for without attestation, for the host name alone, and for a verified person', async () => {
    const browser = await portal.signedIn('ana');
    expect(await request(browser)).toMatchObject({
      rp: { id: 'svc.localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(await question()).toMatchObject({ rpId: 'svc.localhost', userVerification: 'required' });
  });

  test.for([
    ['a page of an app', { origin: 'http://notas.svc.localhost' }],
    ['another relying party', { rpId: 'localhost' }],
    ['an app as relying party', { rpId: 'notas.svc.localhost' }],
    ['nobody verified', { isVerified: false }],
    ['an attestation', { format: 'packed' }],
    ['a challenge of nobody', { challenge: 'x'.repeat(80) }],
  ] as const)('%s: refused', async ([, odd]) => {
    const browser = await portal.signedIn('ana');
    const refused = await keep(browser, authenticator().made(await request(browser), odd));
    expect([refused.status, refused.json().code]).toEqual([401, 'PASSKEY_REFUSED']);
  });

  test("another person's challenge, another session's, one that was used, one that is over, and one for a sign-in: refused", async () => {
    const [ana, bia, again] = [await portal.signedIn('ana'), await portal.signedIn('bia'), await portal.signedIn('ana')];
    const asked = await request(ana);
    for (const browser of [bia, again]) expect((await keep(browser, authenticator().made(asked))).json().code).toBe('PASSKEY_REFUSED');
    expect((await keep(ana, authenticator().made(asked))).status).toBe(201);
    expect((await keep(ana, authenticator().made(asked))).json().code).toBe('PASSKEY_REFUSED');
    const late = await request(ana);
    const { challenge } = await question();
    expect((await keep(ana, authenticator().made(late, { challenge }))).json().code).toBe('PASSKEY_REFUSED');
    later(limits.passkeyChallengeMs);
    expect((await keep(ana, authenticator().made(late))).json().code).toBe('PASSKEY_REFUSED');
    await clear();
  });

  test('long after the sign-in: the first one of who came by a link, and no second', async () => {
    const browser = await portal.signedIn('ana');
    later(limits.passkeyRecentMs);
    expect((await keep(browser, authenticator().made(await request(browser)))).status).toBe(201);
    expect((await request(browser)).code).toBe('SIGN_IN_AGAIN');
    expect((await browser.call('GET', '/api/passkeys')).json()).toMatchObject({ podeCriar: false });
    await clear();
  });

  test('twenty, and no more; a name is one plain line of 64 characters', async () => {
    const browser = await portal.signedIn('ana');
    for (const nome of ['x'.repeat(65), '', ' x', 'a\u202eb'])
      expect((await keep(browser, authenticator().made(await request(browser)), nome)).status).toBe(400);
    const row: StoredPasskey = {
      id: '',
      person: 'ana',
      publicKey: '',
      counter: 0,
      transports: [],
      isBackedUp: false,
      name: 'x',
      madeAtMs: 1,
      usedAtMs: 0,
    };
    for (let n = 0; n < 19; n += 1) await portal.store.addPasskey({ ...row, id: `k${n}` });
    const asked = await request(browser);
    expect((await keep(browser, authenticator().made(asked))).status).toBe(201);
    expect((await request(browser)).code).toBe('PASSKEYS_MANY');
    await clear();
  });
});

describe('signing in', () => {
  test('without a name; listed by how, renamed, removed, which ends what it opened elsewhere', async () => {
    const { key, browser } = await keyOf('ana');
    const entered = portal.browser();
    const { status } = await entered.call('POST', '/api/sessao', { passkey: key.answer(await question()) });
    expect([status, (await entered.call('GET', '/api/sessao')).json()]).toMatchObject([200, { usuario: 'ana', admin: false }]);
    const [passkey] = (await browser.call('GET', '/api/passkeys')).json().passkeys;
    expect([passkey.nome, passkey.usadaEm]).toEqual(['Celular', portal.clock.nowMs()]);
    const bia = await portal.signedIn('bia');
    expect((await bia.call('PATCH', `/api/passkeys/${passkey.id}`, { nome: 'Meu' })).status).toBe(404);
    expect((await bia.call('DELETE', `/api/passkeys/${passkey.id}`)).status).toBe(404);
    expect((await browser.call('PATCH', `/api/passkeys/${passkey.id}`, { nome: 'Telefone' })).status).toBe(204);
    expect((await browser.call('GET', '/api/passkeys')).json()).toMatchObject({ passkeys: [{ nome: 'Telefone' }] });
    expect((await browser.call('DELETE', `/api/passkeys/${passkey.id}`)).json()).toEqual({ encerradas: 1 });
    expect((await entered.call('GET', '/api/sessao')).status).toBe(401);
    expect((await browser.call('GET', '/api/sessao')).status).toBe(200);
    expect((await enter(key.answer(await question()))).json().code).toBe('PASSKEY_REFUSED');
    await clear();
  });

  test('whatever is wrong has one answer: an app’s page, another name, no check of the person, a replay, another person, an unknown key', async () => {
    const { key } = await keyOf('ana');
    const used = await question();
    const right = key.answer(used);
    expect((await enter(right)).status).toBe(200);
    const asked = await request(await portal.signedIn('ana'));
    const wrong = [
      right,
      key.answer(used),
      key.answer(asked),
      key.answer(await question(), { origin: `http://${portal.appHost('notas')}` }),
      key.answer(await question(), { rpId: portal.appHost('notas').split(':')[0] ?? '' }),
      key.answer(await question(), { isVerified: false }),
      key.answer(await question(), { userHandle: sha256('svc passkey\nbia').toString('base64url') }),
      { ...key.answer(await question()), signature: right.signature },
      authenticator().answer(await question(), { userHandle: sha256('svc passkey\nana').toString('base64url') }),
    ];
    const said = [];
    for (const each of wrong) said.push((await enter(each)).json());
    expect(new Set(said.map(({ status, code, detail }) => `${status} ${code} ${detail}`)).size).toBe(1);
    const over = await question();
    later(limits.passkeyChallengeMs);
    expect((await enter(key.answer(over))).json().code).toBe('PASSKEY_REFUSED');
    await clear();
  });

  test('a counter that goes back is refused and told; one that stays 0 is none', async () => {
    const { key, browser } = await keyOf('ana');
    expect((await enter(key.answer(await question(), { counter: 0 }))).status).toBe(200);
    expect((await enter(key.answer(await question(), { counter: 0 }))).status).toBe(200);
    expect((await enter(key.answer(await question(), { counter: 7 }))).status).toBe(200);
    for (const counter of [7, 6, 0])
      expect((await enter(key.answer(await question(), { counter }))).json()).toMatchObject({ status: 401, code: 'PASSKEY_BEHIND' });
    expect((await enter(key.answer(await question(), { counter: 8 }))).status).toBe(200);
    const { atividade } = (await browser.call('GET', '/api/atividade')).json();
    const acts = atividade.map(({ acao, resultado }: Json) => `${acao} ${resultado}`);
    expect(acts).toEqual(expect.arrayContaining(['passkey/make ok', 'passkey/refuse refused', 'session/open ok']));
    await clear();
  });

  test('wrong answers of one address are counted, and others come in; a locked account, and a portal without this way, do not', async () => {
    const { key } = await keyOf('ana');
    const wrong = { ...key.answer(await question()), userHandle: 'eA' };
    const codes = [];
    for (let n = 0; n <= limits.signInAddressFailures; n += 1) codes.push((await enter(wrong)).json().code);
    expect(codes.slice(-2)).toEqual(['PASSKEY_REFUSED', 'RATE_LIMITED']);
    later(limits.signInAddressRefillMs);
    expect((await enter(key.answer(await question()))).status).toBe(200);
    portal.world.signIn = { ssh: false, oidc: null, passkey: false };
    expect((await question()).code).toBe('SIGN_IN_METHOD');
    expect((await enter(key.answer({ challenge: 'x' }))).json().code).toBe('SIGN_IN_METHOD');
    portal.world.signIn = { ssh: false, oidc: null, passkey: true };
    await clear();
  });
});
