/** Signing in at a real provider, and what an attacker, or a bad day of the provider, makes of it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import type { OidcSettings } from '../../schema/gateway.ts';
import { startIdentityProvider, type IdentityProvider } from '../testing/identity-provider.ts';
import { createPortalWorld, navigation, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let provider: IdentityProvider;

beforeEach(async () => {
  portal = await createPortalWorld();
  provider = await startIdentityProvider(`${portal.url}/api/sessao/oidc/retorno`);
  provider.claims.set('subject-of-ana', { preferred_username: 'ana', email: 'ana@example.org', email_verified: true });
  provider.claims.set('subject-of-bia', { preferred_username: 'bia', email: 'bia@example.org', email_verified: true });
  offer();
});
afterEach(async () => {
  await portal.close();
  await provider.close();
});

function offer(more: Partial<OidcSettings> = {}): void {
  const { issuer, clientId, clientSecret } = provider;
  const oidc = {
    issuer,
    clientId,
    claim: 'preferred_username',
    scopes: ['profile', 'email'],
    claimsOfPeople: [],
    label: null,
    clientSecretFrom: 'a',
  };
  portal.world.signIn = { ssh: false, passkey: false, oidc: { ...oidc, clientSecret: async () => clientSecret, ...more } };
}

const advance = (ms: number): void => void ('advance' in portal.clock && portal.clock.advance(ms));

/** The button of the sign-in page. */
const begin = (browser: Browser): Promise<Answer> =>
  browser.request('/api/sessao/oidc', { headers: { ...navigation, 'sec-fetch-site': 'same-origin' } });

/** The provider sends the browser back. */
const comeBack = (browser: Browser, address: URL): Promise<Answer> =>
  browser.request(address.pathname + address.search, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });

async function roundTrip(browser: Browser): Promise<Answer> {
  const begun = await begin(browser);
  return await comeBack(browser, await provider.visit(begun.headers.location ?? ''));
}

const who = async (browser: Browser): Promise<unknown> => (await browser.call('GET', '/api/sessao')).json().usuario;
const refusalOf = ({ status, headers }: Answer): unknown => [
  status,
  new URL(headers.location ?? '', portal.url).searchParams.get('entrada'),
];

describe('the way there and back', () => {
  test('signs the person in whose login the claim holds, and leaves nothing behind', async () => {
    const browser = portal.browser();
    const back = await roundTrip(browser);
    expect([back.status, back.headers.location]).toEqual([302, `${portal.url}/`]);
    expect(await who(browser)).toBe('ana');
    expect((await portal.store.sessionsOf('ana', 0))[0]).toMatchObject({ method: 'oidc', admin: false });
    expect(browser.cookies.get(portal.host)).toMatch(/^__Host-svc=[\w-]{43}$/);
  });

  test('asks for a code with PKCE, state and nonce, in a cookie that only top-level navigations carry', async () => {
    const begun = await begin(portal.browser());
    const asked = new URL(begun.headers.location ?? '').searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'svc',
      redirect_uri: `${portal.url}/api/sessao/oidc/retorno`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w.-]{60,}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(begun.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-svc-oidc=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const other = new URL((await begin(portal.browser())).headers.location ?? '').searchParams;
    for (const name of ['state', 'nonce', 'code_challenge']) expect(other.get(name)).not.toBe(asked.get(name));
  });

  test('works in two tabs at the same time', async () => {
    const browser = portal.browser();
    const [one, two] = [await begin(browser), await begin(browser)];
    const [first, second] = [await provider.visit(one.headers.location ?? ''), await provider.visit(two.headers.location ?? '')];
    expect((await comeBack(browser, second)).headers.location).toBe(`${portal.url}/`);
    expect((await comeBack(browser, first)).headers.location).toBe(`${portal.url}/`);
    expect(await who(browser)).toBe('ana');
  });

  test('reads the claim from the userinfo endpoint when the ID token does not hold it', async () => {
    provider.idToken = ({ preferred_username: _gone, ...rest }) => rest;
    const browser = portal.browser();
    await roundTrip(browser);
    expect(await who(browser)).toBe('ana');
    expect(provider.seen).toContain('/me');
  });

  test('replaces the session that the browser had', async () => {
    const browser = await portal.signedIn('bia');
    await roundTrip(browser);
    expect(await who(browser)).toBe('ana');
    expect(await portal.store.sessionsOf('bia', 0)).toEqual([]);
  });
});

test.for([
  ['nothing', undefined, 'Basic'],
  ['both', ['client_secret_post', 'client_secret_basic'], 'Basic'],
  ['only one by the body', ['client_secret_post'], 'body'],
  ['others, too', ['private_key_jwt', 'client_secret_basic'], 'Basic'],
] as const)('the secret goes as a provider that names %s wants it', async ([, methods, by]) => {
  const answer = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
  const metadata = { ...((await answer.json()) as object), token_endpoint_auth_methods_supported: methods };
  const ways: string[] = [];
  provider.intercept = (req, res) => {
    if (req.url === '/token') ways.push(req.headers.authorization?.split(' ')[0] ?? 'body');
    if (req.url !== '/.well-known/openid-configuration') return false;
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    return true;
  };
  const browser = portal.browser();
  await roundTrip(browser);
  expect([await who(browser), ways]).toEqual(['ana', [by]]);
});

describe('a bad day of the provider', () => {
  test('it is down: said so, and passes by itself', async () => {
    await provider.close();
    const browser = portal.browser();
    expect(refusalOf(await begin(browser))).toEqual([302, 'OIDC_UNREACHABLE']);
    const { length } = provider.seen;
    await provider.again();
    // Nobody makes the portal knock all the time.
    expect(refusalOf(await begin(browser))).toEqual([302, 'OIDC_UNREACHABLE']);
    expect(provider.seen).toHaveLength(length);
    advance(2_000);
    await roundTrip(browser);
    expect(await who(browser)).toBe('ana');
  });

  test('a hundred who come at the same moment ask once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => begin(portal.browser())));
    expect(answers.every(({ headers }) => headers.location?.startsWith(provider.issuer))).toBe(true);
    expect(provider.seen).toEqual(['/.well-known/openid-configuration']);
  });

  test('it goes down while somebody is there', async () => {
    const browser = portal.browser();
    const back = await provider.visit((await begin(browser)).headers.location ?? '');
    await provider.close();
    expect(refusalOf(await comeBack(browser, back))).toEqual([302, 'OIDC_UNREACHABLE']);
  });

  test.for([
    ['500 at the token endpoint', '/token', 500, '{}', 'OIDC_UNREACHABLE'],
    ['no JSON at the token endpoint', '/token', 200, '<html>', 'OIDC_REFUSED'],
    ['another issuer in its metadata', '/.well-known/openid-configuration', 200, '{"issuer":"http://evil.example"}', 'OIDC_UNREACHABLE'],
    ['metadata that is no JSON', '/.well-known/openid-configuration', 200, 'hello', 'OIDC_UNREACHABLE'],
  ] as const)('%s', async ([, path, status, body, code]) => {
    provider.intercept = (req, res) => {
      if (req.url !== path) return false;
      res.writeHead(status, { 'content-type': 'application/json' }).end(body);
      return true;
    };
    const browser = portal.browser();
    const begun = await begin(browser);
    const last = path === '/token' ? await comeBack(browser, await provider.visit(begun.headers.location ?? '')) : begun;
    expect(refusalOf(last)).toEqual([302, code]);
    expect(await who(browser)).toBeUndefined();
  });

  test('the person says no there', async () => {
    provider.account = null;
    const browser = portal.browser();
    expect(refusalOf(await roundTrip(browser))).toEqual([302, 'OIDC_REFUSED']);
    expect(await who(browser)).toBeUndefined();
  });

  test('the secret of the client can not be read, or is wrong', async () => {
    const hush = async (): Promise<string> => {
      throw new SvcError('SECRET_UNREADABLE', 'the file x is empty');
    };
    offer({ clientSecret: hush });
    expect(refusalOf(await begin(portal.browser()))).toEqual([302, 'SECRET_UNREADABLE']);
    advance(2_000);
    offer({ clientSecret: async () => 'wrong-secret-of-the-client-0123456789' });
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_REFUSED']);
    expect(portal.logLines.join('')).toContain('invalid_client');
    // Mended where it was, or written elsewhere: at the next sign-in.
    advance(2_000);
    offer();
    expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
    offer({ clientSecret: async () => 'wrong-secret-of-the-client-0123456789', clientSecretFrom: 'b' });
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_REFUSED']);
    offer({ clientSecretFrom: 'c' });
    expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
  });

  test('it refuses the secret in the head of its answer alone: the metadata is read anew soon', async () => {
    provider.intercept = (req, res) => {
      if (req.url !== '/token') return false;
      res.writeHead(401, { 'www-authenticate': 'Basic realm="clients"' }).end();
      return true;
    };
    const asked = (): number => provider.seen.filter((path) => path === '/.well-known/openid-configuration').length;
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_REFUSED']);
    await begin(portal.browser());
    expect(asked()).toBe(1);
    advance(2_000);
    await begin(portal.browser());
    expect(asked()).toBe(2);
  });
});

describe('an ID token', () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  test.for([
    ['for another audience', () => ({ aud: 'another-client' })],
    ['for two audiences, authorized for the other', () => ({ aud: ['svc', 'another-client'], azp: 'another-client' })],
    ['for us, authorized for another', () => ({ azp: 'another-client' })],
    ['of another issuer', () => ({ iss: 'http://evil.example' })],
    ['that expired', () => ({ exp: now() - 600, iat: now() - 1_200 })],
    ['of another sign-in (nonce)', () => ({ nonce: 'another-nonce' })],
    ['without nonce', () => ({ nonce: undefined })],
    ['without subject', () => ({ sub: undefined })],
  ] as const)('%s is refused, though it is signed by the provider', async ([, change]) => {
    provider.idToken = (claims) => ({ ...claims, ...change() });
    const browser = portal.browser();
    expect(refusalOf(await roundTrip(browser))).toEqual([302, 'OIDC_REFUSED']);
    expect(await who(browser)).toBeUndefined();
  });

  test('with another signature is refused, though it came from the provider’s own address', async () => {
    provider.forge = true;
    const browser = portal.browser();
    expect(refusalOf(await roundTrip(browser))).toEqual([302, 'OIDC_REFUSED']);
  });
});

describe('an answer that is not this browser’s', () => {
  test('someone else’s code in a link signs nobody in: no cookie, no question', async () => {
    const attacker = portal.browser();
    const back = await provider.visit((await begin(attacker)).headers.location ?? '');
    const victim = portal.browser();
    const before = provider.seen.length;
    expect(refusalOf(await comeBack(victim, back))).toEqual([302, 'OIDC_STATE']);
    await begin(victim);
    expect(refusalOf(await comeBack(victim, back))).toEqual([302, 'OIDC_STATE']);
    expect(await who(victim)).toBeUndefined();
    // Nobody was asked about it, so the attacker can't use the portal against the provider either.
    expect(provider.seen.slice(before)).toEqual([]);
    // And it did not take the victim's own sign-in away.
    expect(victim.cookies.get(portal.host)).toContain('__Host-svc-oidc=');
  });

  test('comes a second time: refused, and who is in stays in', async () => {
    const browser = portal.browser();
    const back = await provider.visit((await begin(browser)).headers.location ?? '');
    const kept = browser.cookies.get(portal.host) ?? '';
    expect((await comeBack(browser, back)).headers.location).toBe(`${portal.url}/`);
    expect((await comeBack(browser, back)).headers.location).toBe(`${portal.url}/`);
    expect(await portal.store.sessionsOf('ana', 0)).toHaveLength(1);
    // With the cookie of the question stolen too, the provider takes the code only once.
    const thief = portal.browser();
    thief.cookies.set(portal.host, kept);
    expect(refusalOf(await comeBack(thief, back))).toEqual([302, 'OIDC_REFUSED']);
    expect(await who(thief)).toBeUndefined();
  });

  test.for([
    [9 * 60_000 + 59_000, true],
    [10 * 60_000, false],
    // At another portal of the store, whose clock is behind.
    [-2_000, true],
    [-11_000, false],
  ] as const)('after %i ms is taken: %s', async ([ms, taken]) => {
    const browser = portal.browser();
    const back = await provider.visit((await begin(browser)).headers.location ?? '');
    advance(ms);
    const answer = await comeBack(browser, back);
    expect(answer.headers.location).toBe(taken ? `${portal.url}/` : `${portal.url}/?entrada=OIDC_STATE`);
  });

  test.for([
    ['the state changed', (at: URL) => at.searchParams.set('state', `${at.searchParams.get('state')}x`), 'OIDC_STATE'],
    ['the state is missing', (at: URL) => at.searchParams.delete('state'), 'OIDC_STATE'],
    ['the state comes twice', (at: URL) => at.searchParams.append('state', 'x'), null],
    ['the code changed', (at: URL) => at.searchParams.set('code', 'x'), 'OIDC_REFUSED'],
    ['the code comes twice', (at: URL) => at.searchParams.append('code', 'x'), null],
    ['another provider answers (mix-up)', (at: URL) => at.searchParams.set('iss', 'http://evil.example'), 'OIDC_REFUSED'],
    ['the provider does not say who it is', (at: URL) => at.searchParams.delete('iss'), 'OIDC_REFUSED'],
  ] as const)('%s', async ([, change, code]) => {
    const browser = portal.browser();
    const back = await provider.visit((await begin(browser)).headers.location ?? '');
    change(back);
    expect(refusalOf(await comeBack(browser, back))).toEqual([code === null ? 400 : 302, code]);
    expect(await who(browser)).toBeUndefined();
  });

  test('a question to one provider is not answered by the one that took its place', async () => {
    const browser = portal.browser();
    const back = await provider.visit((await begin(browser)).headers.location ?? '');
    offer({ clientId: 'another' });
    expect(refusalOf(await comeBack(browser, back))).toEqual([302, 'OIDC_STATE']);
  });

  test('in a frame, or by a script of another origin, is refused as a call', async () => {
    const browser = portal.browser();
    const back = await provider.visit((await begin(browser)).headers.location ?? '');
    for (const headers of [
      { ...navigation, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await browser.request(back.pathname + back.search, { headers })).status).toBe(403);
    }
    expect((await comeBack(browser, back)).headers.location).toBe(`${portal.url}/`);
  });

  // An attacker would guess the provider's code, which is as long as a pass: a count would only lock out others at the address.
  test('refused answers to own questions lock nobody at the address out', async () => {
    const browser = portal.browser();
    for (let count = 0; count < 40; count += 1) {
      const state = new URL((await begin(browser)).headers.location ?? '').searchParams.get('state') ?? '';
      const back = new URL(`/api/sessao/oidc/retorno?code=x${count}&state=${state}&iss=${provider.issuer}`, portal.url);
      expect((await comeBack(browser, back)).headers.location).not.toBe(`${portal.url}/`);
    }
    expect(await who(browser)).toBeUndefined();
    expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
  });
});

test('the doctor asks the provider, and says what is registered there', async () => {
  const { checks } = (await portal.control('GET', '/api/admin/doctor')).json() as {
    checks: readonly { name: string; ok: boolean; detail: string }[];
  };
  expect(checks.find(({ name }) => name === 'sign-in')).toMatchObject({
    ok: true,
    detail: expect.stringContaining(`registered there as ${portal.url}/api/sessao/oidc/retorno`) as string,
  });
});

describe('who a person of the provider is here', () => {
  test('nobody, when no Person has the login', async () => {
    provider.claims.set('subject-of-zoe', { preferred_username: "zo'e+svc@uni.example" });
    provider.account = 'subject-of-zoe';
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_NO_PERSON']);
    const told = JSON.parse(portal.logLines.findLast((line) => line.includes('"sign-in refused"')) ?? '{}') as object;
    expect(told).toMatchObject({ method: 'oidc', code: 'OIDC_NO_PERSON', login: "zo'e+svc@uni.example", address: '127.0.0.1' });
    provider.claims.set('subject-of-zoe', { preferred_username: ['ana'] });
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_NO_PERSON']);
    provider.claims.set('subject-of-zoe', {});
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_NO_PERSON']);
  });

  test('whoever calls themselves ana after ana came is not ana', async () => {
    await roundTrip(portal.browser());
    provider.claims.set('subject-of-eve', { preferred_username: 'ana' });
    provider.account = 'subject-of-eve';
    const eve = portal.browser();
    expect(refusalOf(await roundTrip(eve))).toEqual([302, 'OIDC_OTHER_IDENTITY']);
    expect(await who(eve)).toBeUndefined();
    provider.account = 'subject-of-ana';
    expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
  });

  test('ana who calls herself bia is not bia, whether bia came before or not', async () => {
    await roundTrip(portal.browser());
    provider.claims.set('subject-of-ana', { preferred_username: 'bia' });
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_OTHER_IDENTITY']);
  });

  test('until an admin forgets who she was', async () => {
    const browser = portal.browser();
    await roundTrip(browser);
    provider.claims.set('subject-of-ana-2', { preferred_username: 'ana' });
    provider.account = 'subject-of-ana-2';
    expect((await portal.control('DELETE', '/api/admin/identities/ana')).json()).toEqual({ encerradas: 1 });
    expect(await who(browser)).toBeUndefined();
    expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
    provider.account = 'subject-of-ana';
    expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_OTHER_IDENTITY']);
  });

  describe('by e-mail address', () => {
    const emails = { ana: 'ana@example.org' };
    beforeEach(() => {
      offer({ claim: 'email' });
      const { people } = portal.world.gateway;
      const { all } = people;
      people.all = () => all().map((each) => Object.assign({}, each, { login: `${each.usuario}@example.org` }));
    });

    test('a verified one signs in, an unverified one does not', async () => {
      expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
      for (const email_verified of [false, 'false', 'yes', 1, undefined]) {
        provider.claims.set('subject-of-bia', { email: 'bia@example.org', email_verified });
        provider.account = 'subject-of-bia';
        expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_NO_PERSON']);
      }
    });

    test('who changes it to somebody else’s gets nowhere, and back again gets in', async () => {
      await roundTrip(portal.browser());
      provider.claims.set('subject-of-ana', { email: 'bia@example.org', email_verified: true });
      expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_OTHER_IDENTITY']);
      provider.claims.set('subject-of-ana', { email: 'new@example.org', email_verified: true });
      expect(refusalOf(await roundTrip(portal.browser()))).toEqual([302, 'OIDC_NO_PERSON']);
      provider.claims.set('subject-of-ana', { email: emails.ana, email_verified: true });
      expect((await roundTrip(portal.browser())).headers.location).toBe(`${portal.url}/`);
    });
  });
});

test('no code, token or secret is in the log or in an answer to a browser', async () => {
  const browser = portal.browser();
  const back = await provider.visit((await begin(browser)).headers.location ?? '');
  const code = back.searchParams.get('code') ?? 'none';
  await comeBack(browser, back);
  provider.idToken = (claims) => ({ ...claims, aud: 'another' });
  await roundTrip(portal.browser());
  const seen = portal.logLines.join('') + Buffer.concat(portal.received).toString();
  expect(seen).not.toContain(provider.clientSecret);
  expect(seen).not.toContain(code);
  expect(seen).not.toContain('eyJ');
});
