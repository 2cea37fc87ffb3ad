/** Groups that a real provider reports, and the people for whom it is believed. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Arrived } from '../../schema/gateway.ts';
import { startIdentityProvider, type IdentityProvider } from '../testing/identity-provider.ts';
import { createPortalWorld, navigation, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let provider: IdentityProvider;
let arrived: Arrived[];

beforeEach(async () => {
  portal = await createPortalWorld();
  provider = await startIdentityProvider(`${portal.url}/api/sessao/oidc/retorno`);
  provider.claims.set('subject-of-ana', { preferred_username: 'ana', name: 'Ana Souza', groups: ['staff'] });
  const { issuer, clientId, clientSecret } = provider;
  const of = { issuer, clientId, claim: 'preferred_username', scopes: ['profile'], claimsOfPeople: ['groups'], label: null };
  portal.world.signIn = { ssh: false, passkey: false, oidc: { ...of, clientSecretFrom: 'a', clientSecret: async () => clientSecret } };
  arrived = [];
  portal.world.arrived = async (who) => (arrived.push(who), null);
});
afterEach(async () => {
  await portal.close();
  await provider.close();
});

/** Where the browser is sent in the end. */
async function come(browser: Browser): Promise<string> {
  const begun = await browser.request('/api/sessao/oidc', { headers: { ...navigation, 'sec-fetch-site': 'same-origin' } });
  const back = await provider.visit(begun.headers.location ?? '');
  const answer = await browser.request(back.pathname + back.search, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });
  return (answer.headers.location ?? '').replace(portal.url, '');
}

test.for([
  ['of the ID token', (claims: Record<string, unknown>) => claims],
  ['of the userinfo', (claims: Record<string, unknown>) => ({ ...claims, groups: undefined, name: undefined })],
] as const)('the claims that make people, %s, are compared, and a word against it is a refusal', async ([, idToken]) => {
  provider.idToken = idToken;
  const browser = portal.browser();
  expect(await come(browser)).toBe('/');
  expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({ usuario: 'ana' });
  expect(arrived).toEqual([{ login: 'ana', nome: 'Ana Souza', claims: expect.objectContaining({ groups: ['staff'] }) as object }]);
  portal.world.arrived = async () => 'the server has no such account';
  expect(await come(portal.browser())).toBe('/?entrada=OIDC_NO_PERSON');
});

test('whoever has the login of somebody who came before says nothing of their groups', async () => {
  await come(portal.browser());
  arrived.length = 0;
  provider.claims.set('subject-of-eve', { preferred_username: 'ana', groups: ['admins'] });
  provider.account = 'subject-of-eve';
  expect([await come(portal.browser()), arrived]).toEqual(['/?entrada=OIDC_OTHER_IDENTITY', []]);
});
