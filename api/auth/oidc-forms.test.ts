/** Answers of real providers, and their result: the person, or the sentence in the log. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock } from '../proxy/testing/harness.ts';
import type { OidcSettings, PeopleView } from '../../schema/gateway.ts';
import { clientSecret, providers, startFormServer, type Form, type FormServer } from '../testing/provider-forms.ts';
import { findingOf } from './oidc-discovery.ts';
import { createOidc } from './oidc.ts';

let server: FormServer;
beforeAll(async () => void (server = await startFormServer()));
afterAll(async () => await server.close());

const { authelia, authentik, keycloak, zitadel, hydra, cognito, auth0, entra, google, dex } = providers;

/** The person, or the code and the sentence. */
async function outcome(form: Form, settings: Partial<OidcSettings>): Promise<string> {
  server.form = form;
  const { origin } = server;
  const oidc: OidcSettings = {
    issuer: origin + form.configured,
    clientId: 'svc',
    clientSecret: async () => clientSecret,
    clientSecretFrom: 'a',
    claim: 'preferred_username',
    scopes: ['profile', 'email'],
    claimsOfPeople: [],
    label: null,
    ...settings,
  };
  const person = { usuario: 'ana', nome: 'Ana', grupos: [], login: oidc.claim === 'email' ? 'ana@example.org' : 'ana' };
  const people: PeopleView = { find: () => null, all: () => [person], signIn: () => ({ ssh: false, passkey: false, oidc }) };
  const rows = new Map<string, string>();
  const store = {
    value: async (name: string) => rows.get(name) ?? null,
    putValue: async (name: string, value: string) => void rows.set(name, value),
  };
  const site = { origin: 'https://apps.example.org', host: '', hostname: '', scheme: 'https', origins: 'subdomain' } as const;
  try {
    const signIn = createOidc({ site, clock: realClock, people, commands: { arrived: async () => null }, store });
    const { location, secret } = await signIn.begin(null);
    const asked = new URL(location).searchParams;
    server.nonce = asked.get('nonce') ?? '';
    const back = Object.entries(form.back ?? {}).map(([name, value]): [string, string] => [name, value.replace(/^\$/, origin)]);
    const code = 'code' in (form.back ?? {}) || 'error' in (form.back ?? {}) ? [] : [['code', 'a-code'] as [string, string]];
    return await signIn.finish(secret, new URLSearchParams([...code, ['state', asked.get('state') ?? ''], ...back]));
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code} ${message.replaceAll(origin, '$')}`;
  }
}

const json = (status: number, body: object, head: Record<string, string> = {}) => ({
  status,
  head: { 'content-type': 'application/json', ...head },
  body: JSON.stringify(body),
});
const large = 'x'.repeat(3_000_000);
const by = (claim: string): Partial<OidcSettings> => ({ claim });
const refused = (what: RegExp | string): unknown =>
  typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what);

/** A provider with other claims and settings beside those that it has. */
const but = (form: Form, change: Partial<Form>): Form => {
  const names = (['idToken', 'userinfo', 'metadata', 'back'] as const).filter((name) => name in change);
  return { ...form, ...change, ...Object.fromEntries(names.map((name) => [name, { ...form[name], ...change[name] }])) };
};

test.for<[name: string, form: Form, want: unknown, settings?: Partial<OidcSettings>]>([
  // As each is after its own guide.
  ['Authelia: claims in the userinfo only, iss in the redirection', authelia, 'ana'],
  ['Authentik', authentik, 'ana'],
  ['Keycloak', keycloak, 'ana'],
  ['Zitadel: all clients of the project in the audience', zitadel, 'ana'],
  ['Hydra', hydra, 'ana'],
  ['Cognito', cognito, 'ana', by('cognito:username')],
  ['Auth0', auth0, 'ana', by('nickname')],
  ['Entra: keys without alg', entra, 'ana'],
  ['Google', google, 'ana', by('email')],
  ['Dex', dex, 'ana'],
  // Where the issuer has a slash at its end, and where the document has one.
  ['Authentik without the slash', { ...authentik, configured: '/application/o/svc' }, 'ana'],
  ['Keycloak with a slash', { ...keycloak, configured: '/realms/casa/' }, 'ana'],
  ['Auth0 without the slash', { ...auth0, configured: '' }, 'ana', by('nickname')],
  ['Dex with a slash', { ...dex, configured: '/dex/' }, 'ana'],
  ['Keycloak by the address of its metadata', { ...keycloak, configured: '/realms/casa/.well-known/openid-configuration' }, 'ana'],
  [
    'Authentik with one issuer for all its clients',
    but(authentik, { metadata: { issuer: '$/' } }),
    refused(/^OIDC_UNREACHABLE .* its metadata is of another issuer, "\$\/"/),
  ],
  [
    'Keycloak behind a proxy whose https it does not know of, in the ID token',
    but(keycloak, { idToken: { iss: 'http://id.example.org/realms/casa' } }),
    refused(/^OIDC_REFUSED .* its token has iss "http:\/\/id.example.org\/realms\/casa" where "\$\/realms\/casa" is expected/),
  ],
  ['Google with its short issuer', but(google, { idToken: { iss: 'accounts.google.com' } }), refused('has iss "accounts.g'), by('email')],
  [
    'Entra for the accounts of all tenants',
    but(entra, { configured: '/common/v2.0', metadata: { issuer: 'https://login.example/{tenantid}/v2.0' } }),
    refused('for the accounts of all tenants'),
  ],
  // E-mail addresses.
  ['Cognito: email_verified as text, in the userinfo', { ...cognito, idToken: { token_use: 'id' } }, 'ana', by('email')],
  [
    'Cognito: not verified, as text',
    { ...cognito, idToken: {}, userinfo: { ...cognito.userinfo, email_verified: 'false' } },
    refused('did not verify'),
    by('email'),
  ],
  [
    'Authentik: nothing is verified there by default',
    but(authentik, { idToken: { email_verified: false } }),
    refused('did not verify'),
    by('email'),
  ],
  ['Entra: says nothing about it', entra, refused('does not say whether the e-mail address is verified'), by('email')],
  ['Authelia: address and whether it is verified in the userinfo', authelia, 'ana', by('email')],
  [
    'the address of the ID token is not verified by the userinfo of another address',
    { ...google, idToken: { ...google.idToken, email_verified: null }, userinfo: { email: 'bia@example.org', email_verified: true } },
    refused(/^OIDC_NO_PERSON no Person has the login "bia@example.org"/),
    by('email'),
  ],
  // Claims.
  ['Google sends no preferred_username', google, refused('sends no claim preferred_username, neither in the ID token nor as userinfo')],
  [
    'Cognito without a userinfo endpoint',
    but(cognito, { metadata: { userinfo_endpoint: undefined } }),
    refused('sends no claim preferred_username'),
  ],
  ['Zitadel: null in the ID token', but(zitadel, { idToken: { preferred_username: null } }), 'ana'],
  [
    'Keycloak: a mapper with several values',
    but(keycloak, { idToken: { preferred_username: ['ana'] } }),
    refused('claim preferred_username is not a text'),
  ],
  // Signatures.
  ['Authelia: signed userinfo', but(authelia, { signsUserinfo: 'RS256', userinfo: { iss: '$', aud: 'svc' } }), 'ana'],
  ['Zitadel: signed userinfo that its metadata does not tell of', { ...zitadel, signsUserinfo: 'RS256' }, 'ana'],
  [
    'Hydra: userinfo signed for another client',
    but(hydra, { signsUserinfo: 'RS256', userinfo: { aud: ['other'] } }),
    refused('its token has aud ["other"] where "svc" is expected'),
  ],
  ['Zitadel: userinfo signed by nobody', { ...zitadel, signsUserinfo: 'none' }, refused('it signs with "none", its metadata offers')],
  [
    'Dex: userinfo about somebody else',
    but(dex, { idToken: { preferred_username: null }, userinfo: { sub: 'x' } }),
    refused('about somebody else'),
  ],
  ['Keycloak: ES256', { ...keycloak, signs: 'ES256' }, 'ana'],
  [
    'Auth0: HS256, as old clients there have it',
    { ...auth0, signs: 'HS256' },
    refused('it signs with "HS256": choose a key pair'),
    by('nickname'),
  ],
  [
    'Authentik without a signing key',
    but(authentik, { signs: 'HS256', metadata: { id_token_signing_alg_values_supported: ['HS256'] } }),
    refused(/^OIDC_UNREACHABLE .* signs ID tokens with HS256 only: choose a key pair/),
  ],
  ['Hydra: unsigned', { ...hydra, signs: 'none' }, refused('it signs with "none", its metadata offers ["RS256"]')],
  [
    'two keys, and tokens that do not say which',
    { ...dex, keys: 'two without kid' },
    refused(/no one key at "\$\/dex\/keys" fits a token signed with "RS256"/),
  ],
  ['Keycloak: encrypted ID tokens', { ...keycloak, token: { id_token: 'a.b.c.d.e' } }, refused('it encrypts its tokens: switch that off')],
  // Clocks.
  ['a clock 45 s ahead, with nbf', but(entra, { clockOffSeconds: 45, idToken: { nbf: Math.floor(Date.now() / 1_000) + 45 } }), 'ana'],
  ['a clock behind, by a token of five minutes and 45 s', { ...keycloak, clockOffSeconds: -345 }, 'ana'],
  [
    'a clock ten minutes behind',
    { ...keycloak, clockOffSeconds: -600 },
    refused(/its token ran out 30[01] s ago, by the clock of this machine: compare both clocks/),
  ],
  [
    'a clock ten minutes ahead, with nbf',
    but(entra, { idToken: { nbf: Math.floor(Date.now() / 1_000) + 600 } }),
    refused(/begins to be valid in (5\d|60)\d s/),
  ],
  // Token answers.
  ['Entra v1: numbers as text', { ...entra, token: { expires_in: '3599', ext_expires_in: '3599', not_before: '1', resource: 'x' } }, 'ana'],
  [
    'Keycloak: other client in the audience',
    but(keycloak, { idToken: { aud: 'account' } }),
    refused('has aud "account" where "svc" is expected'),
  ],
  ['audiences without azp', but(zitadel, { idToken: { azp: undefined } }), refused(/has aud \[.*additional untrusted audiences/)],
  [
    'Zitadel: for a sibling in the project',
    but(zitadel, { idToken: { azp: '2704@casa' } }),
    refused('has azp "2704@casa" where "svc" is expected'),
  ],
  ['a subject that is a number', but(dex, { idToken: { sub: 7 } }), refused('"sub" (subject) claim type')],
  [
    'Keycloak: no scope openid, so no ID token',
    { ...keycloak, token: { id_token: undefined } },
    refused('"id_token" property must be a string'),
  ],
  [
    'Hydra: the secret is wrong',
    { ...hydra, tokenAnswer: json(401, { error: 'invalid_client', error_description: 'x' }) },
    refused(/does not take the client's id or secret \(invalid_client\)/),
  ],
  [
    'Auth0: the secret is wrong',
    { ...auth0, tokenAnswer: json(401, { error: 'access_denied', error_description: 'Unauthorized' }) },
    refused("take the client's id or secret"),
  ],
  [
    'Keycloak: the client is unknown',
    { ...keycloak, tokenAnswer: json(401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic' }) },
    refused("take the client's id or secret"),
  ],
  [
    'Google: another redirect address',
    { ...google, tokenAnswer: json(400, { error: 'redirect_uri_mismatch' }) },
    refused(/another redirect address than https:\/\/apps.example.org\/api\/sessao\/oidc\/retorno/),
  ],
  ['Dex: the code was used', { ...dex, tokenAnswer: json(400, { error: 'invalid_grant' }) }, refused(/used before, too old/)],
  [
    'a page of a proxy at the token endpoint',
    { ...authelia, tokenAnswer: { status: 404, head: { 'content-type': 'text/html' }, body: '<html>' } },
    refused(/^OIDC_REFUSED .* (404|text\/html)/),
  ],
  [
    'a userinfo that the token does not reach',
    { ...hydra, userinfoAnswer: json(403, {}, { 'www-authenticate': 'Bearer error="insufficient_scope"' }) },
    refused(/its userinfo endpoint refuses the access token that it gave \(insufficient_scope\)/),
  ],
  ['an ID token of 3 MB', but(keycloak, { idToken: { groups: large } }), refused(/^OIDC_REFUSED .* more than 1 MiB/)],
  ['a userinfo of 3 MB', but(authelia, { userinfo: { groups: large } }), refused(/^OIDC_REFUSED .* more than 1 MiB/)],
  // The redirection back.
  ['Keycloak: cancelled', but(keycloak, { back: { error: 'access_denied' } }), refused('the person, or a rule of the provider, said no')],
  [
    'Cognito: a scope that the client may not ask for',
    { ...cognito, back: { error: 'invalid_scope' } },
    refused('one of the scopes openid profile email'),
  ],
  ['Hydra: it is overloaded', { ...hydra, back: { error: 'temporarily_unavailable' } }, refused(/^OIDC_UNREACHABLE/)],
  // Metadata.
  [
    'it leads elsewhere',
    { ...dex, metadataAnswer: { status: 301, head: { location: 'https://id.example.org/dex?x=1' }, body: '' } },
    refused('it answers 301 and leads to "https://id.example.org/dex"'),
  ],
  [
    'Keycloak: the realm is not there',
    { ...keycloak, metadataAnswer: json(404, { error: 'Realm does not exist' }) },
    refused('it answers 404'),
  ],
  [
    'a page in place of the metadata',
    { ...dex, metadataAnswer: { status: 200, head: { 'content-type': 'text/html' }, body: '<html>' } },
    refused('it sends "text/html", not JSON'),
  ],
  ['metadata of 3 MB', but(dex, { metadata: { claims_supported: large } }), refused(/^OIDC_UNREACHABLE .* more than 1 MiB/)],
  ['no endpoint for tokens', but(dex, { metadata: { token_endpoint: undefined } }), refused('its metadata has no token_endpoint')],
])('%s', async ([, form, want, settings = {}]) => {
  expect(await outcome(form, settings)).toEqual(want);
});

const microsoft = {
  ...entra.metadata,
  issuer: 'https://login.microsoftonline.com/8a1c/v2.0',
  ...Object.fromEntries(
    ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'].map((name) => [
      name,
      'https://login.microsoftonline.com/x',
    ]),
  ),
};
test.for<[string, string, object, unknown]>([
  ['Entra by the name of the tenant', 'https://login.microsoftonline.com/example.org/v2.0', {}, null],
  ['Entra, its first version', 'https://login.microsoftonline.com/8a1c', { issuer: 'https://sts.windows.net/8a1c/' }, null],
  ['another host that says it is Entra', 'https://id.example.org', {}, refused('is of another issuer')],
  [
    'Entra that says it is another host',
    'https://login.microsoftonline.com/8a1c/v2.0',
    { issuer: 'https://id.example.org' },
    refused('is of another issuer'),
  ],
  [
    'endpoints without https',
    'https://login.microsoftonline.com/8a1c/v2.0',
    { token_endpoint: 'http://a.example/token' },
    refused('names token_endpoint without https'),
  ],
])('%s', ([, expected, change, want]) => {
  expect(findingOf(expected, false, { ...microsoft, ...change })).toEqual(want);
});
