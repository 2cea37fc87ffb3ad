/**
 * Answers of ten kinds of providers, field by field: discovery documents, keys, token answers, ID tokens and userinfo, with their hosts replaced by
 * one of 127.0.0.1. They do not check that a person signs in.
 */
import { createHmac, createSign, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Fields = Record<string, unknown>;
type Algorithm = 'RS256' | 'ES256' | 'HS256' | 'none';

export interface Form {
  /** Below the address of the provider: what the Portal document names. */
  readonly configured: string;
  readonly metadata: Fields;
  /** 200 with JSON, unless it is said. */
  readonly metadataAnswer?: { readonly status: number; readonly head: http.OutgoingHttpHeaders; readonly body: string };
  readonly keys?: 'with alg' | 'bare' | 'two without kid';
  readonly idToken: Fields;
  readonly signs?: Algorithm;
  /** By this clock; 0 is right. */
  readonly clockOffSeconds?: number;
  readonly token?: Fields;
  readonly tokenAnswer?: { readonly status: number; readonly head?: http.OutgoingHttpHeaders; readonly body: string };
  readonly userinfo?: Fields | null;
  readonly userinfoAnswer?: { readonly status: number; readonly head?: http.OutgoingHttpHeaders; readonly body: string };
  readonly signsUserinfo?: Algorithm;
  /** In the address of the redirection back. */
  readonly back?: Record<string, string>;
}

const [rsa, ec] = [generateKeyPairSync('rsa', { modulusLength: 2_048 }), generateKeyPairSync('ec', { namedCurve: 'P-256' })];
export const clientSecret = 'a-secret-of-the-client-0123456789';

function jwt(claims: Fields, algorithm: Algorithm, hasKid: boolean): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: algorithm, typ: 'JWT', ...(hasKid ? { kid: algorithm } : {}) })}.${part(claims)}`;
  if (algorithm === 'none') return `${input}.`;
  if (algorithm === 'HS256') return `${input}.${createHmac('sha256', clientSecret).update(input).digest('base64url')}`;
  const key = (algorithm === 'RS256' ? rsa : ec).privateKey;
  return `${input}.${createSign('sha256').update(input).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url')}`;
}

function jwks(kind: Form['keys']): Fields {
  const one = (key: KeyObject, kid: string, more: Fields = {}): Fields => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig', ...more });
  if (kind === 'two without kid') {
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    return { keys: [rsa, other].map(({ publicKey }) => Object.assign(publicKey.export({ format: 'jwk' }), { use: 'sig' })) };
  }
  // Entra names no algorithm; Keycloak publishes a key to encrypt with beside those that sign.
  if (kind === 'bare') return { keys: [one(rsa.publicKey, 'RS256', { x5t: 'RS256', x5c: [] }), one(ec.publicKey, 'ES256')] };
  const enc = { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'enc', use: 'enc', alg: 'RSA-OAEP' };
  return { keys: [enc, one(rsa.publicKey, 'RS256', { alg: 'RS256' }), one(ec.publicKey, 'ES256', { alg: 'ES256' })] };
}

export interface FormServer {
  readonly origin: string;
  /** The form of its answers from now on. `$` in its values is the origin. */
  form: Form;
  /** Nonce of the authorization request. */
  nonce: string;
  close(): Promise<void>;
}

export async function startFormServer(): Promise<FormServer> {
  const server = http.createServer((req, res) => {
    answer(made, req.url ?? '', res);
    req.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made: FormServer = {
    origin,
    form: { configured: '', metadata: {}, idToken: {} },
    nonce: '',
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return made;
}

function answer({ form, origin, nonce }: FormServer, url: string, res: http.ServerResponse): void {
  const filled = (fields: Fields): Fields => JSON.parse(JSON.stringify(fields).replaceAll('"$', `"${origin}`)) as Fields;
  const metadata = filled(form.metadata);
  const [address, signs, hasKid] = [`${origin}${url}`, form.signs ?? 'RS256', form.keys !== 'two without kid'];
  const send = (body: unknown): void => void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const sendRaw = ({ status, head, body }: NonNullable<Form['tokenAnswer']>): void =>
    void res.writeHead(status, head ?? { 'content-type': 'application/json' }).end(body);
  if (url.endsWith('/.well-known/openid-configuration')) {
    if (form.metadataAnswer) sendRaw(form.metadataAnswer);
    else send(metadata);
  } else if (address === metadata['jwks_uri']) send(jwks(form.keys ?? 'with alg'));
  else if (address === metadata['token_endpoint']) {
    const now = Math.floor(Date.now() / 1_000) + (form.clockOffSeconds ?? 0);
    const protocol = { iss: metadata['issuer'], sub: 'subject-of-ana', aud: 'svc', iat: now, exp: now + 300, nonce };
    const idToken = jwt({ ...protocol, ...filled(form.idToken) }, signs, hasKid);
    if (form.tokenAnswer) sendRaw(form.tokenAnswer);
    else send({ access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token: idToken, ...form.token });
  } else if (address === metadata['userinfo_endpoint']) {
    const claims = { sub: 'subject-of-ana', ...filled(form.userinfo ?? {}) };
    if (form.userinfoAnswer) sendRaw(form.userinfoAnswer);
    else if (form.signsUserinfo === undefined) send(claims);
    else res.writeHead(200, { 'content-type': 'application/jwt' }).end(jwt(claims, form.signsUserinfo, hasKid));
  } else res.writeHead(404).end();
}

const endpoints = (authorize: string, token: string, userinfo: string, keys: string): Fields => ({
  authorization_endpoint: `$${authorize}`,
  token_endpoint: `$${token}`,
  userinfo_endpoint: `$${userinfo}`,
  jwks_uri: `$${keys}`,
});
const methods = { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] };
const isRs256 = { id_token_signing_alg_values_supported: ['RS256'] };
const ana = { preferred_username: 'ana', name: 'Ana Souza', email: 'ana@example.org' };

/** As each is set up when its own guide was followed. */
export const providers = {
  authelia: {
    configured: '',
    metadata: {
      issuer: '$',
      ...endpoints('/api/oidc/authorization', '/api/oidc/token', '/api/oidc/userinfo', '/jwks.json'),
      ...methods,
      ...isRs256,
      userinfo_signing_alg_values_supported: ['RS256', 'none'],
      authorization_response_iss_parameter_supported: true,
    },
    idToken: { amr: ['pwd'], aud: ['svc'], azp: 'svc', client_id: 'svc', auth_time: 1, rat: 1, jti: randomUUID() },
    userinfo: { ...ana, email_verified: true, groups: ['editores'] },
    token: { access_token: 'authelia_at_x', token_type: 'bearer', scope: 'openid profile email', expires_in: 3_599 },
    back: { iss: '$', scope: 'openid profile email' },
  },
  authentik: {
    configured: '/application/o/svc/',
    metadata: {
      issuer: '$/application/o/svc/',
      ...endpoints('/application/o/authorize/', '/application/o/token/', '/application/o/userinfo/', '/application/o/svc/jwks/'),
      ...methods,
      ...isRs256,
    },
    idToken: {
      ...ana,
      auth_time: 1,
      acr: 'goauthentik.io/providers/oauth2/default',
      email_verified: true,
      nickname: 'ana',
      groups: [],
      sid: 'x',
    },
    userinfo: { ...ana, email_verified: true },
    token: { token_type: 'Bearer', scope: 'email openid profile', refresh_token: 'rt' },
  },
  keycloak: {
    configured: '/realms/casa',
    metadata: {
      issuer: '$/realms/casa',
      ...endpoints(
        '/realms/casa/protocol/openid-connect/auth',
        '/realms/casa/protocol/openid-connect/token',
        '/realms/casa/protocol/openid-connect/userinfo',
        '/realms/casa/protocol/openid-connect/certs',
      ),
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post', 'tls_client_auth'],
      id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'HS512', 'ES256', 'RS256', 'HS384'],
      userinfo_signing_alg_values_supported: ['PS384', 'RS384', 'ES256', 'RS256', 'none'],
      authorization_response_iss_parameter_supported: true,
    },
    idToken: { ...ana, typ: 'ID', azp: 'svc', acr: '1', at_hash: 'x', sid: 'x', email_verified: true },
    userinfo: { ...ana, email_verified: true },
    token: { refresh_expires_in: 1_800, refresh_token: 'rt', 'not-before-policy': 0, session_state: 'x', scope: 'openid email profile' },
    back: { iss: '$/realms/casa', session_state: randomUUID() },
  },
  zitadel: {
    configured: '',
    metadata: {
      issuer: '$',
      ...endpoints('/oauth/v2/authorize', '/oauth/v2/token', '/oidc/v1/userinfo', '/oauth/v2/keys'),
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      id_token_signing_alg_values_supported: ['EdDSA', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'],
    },
    // Every client of the project is in the audience.
    idToken: { aud: ['2704@casa', 'svc', '2700'], azp: 'svc', client_id: 'svc', amr: ['password'], auth_time: 1, at_hash: 'x' },
    userinfo: { ...ana, email_verified: true, locale: null, updated_at: 1 },
    token: { expires_in: 43_199 },
  },
  hydra: {
    configured: '/',
    metadata: {
      issuer: '$/',
      ...endpoints('/oauth2/auth', '/oauth2/token', '/userinfo', '/.well-known/jwks.json'),
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'none'],
      ...isRs256,
      userinfo_signing_alg_values_supported: ['none', 'RS256'],
    },
    idToken: { aud: ['svc'], at_hash: 'x', auth_time: 1, rat: 1, jti: randomUUID(), sid: randomUUID() },
    userinfo: { ...ana, aud: ['svc'], auth_time: 1, iat: 1, iss: '$/', rat: 1 },
    token: { access_token: 'ory_at_x', token_type: 'bearer', scope: 'openid profile email', expires_in: 3_599 },
  },
  cognito: {
    configured: '/eu-west-1_AbCdEfGhI',
    metadata: {
      issuer: '$/eu-west-1_AbCdEfGhI',
      ...endpoints('/oauth2/authorize', '/oauth2/token', '/oauth2/userInfo', '/eu-west-1_AbCdEfGhI/.well-known/jwks.json'),
      ...methods,
      ...isRs256,
    },
    idToken: {
      'cognito:username': 'ana',
      token_use: 'id',
      origin_jti: 'x',
      event_id: 'x',
      email: ana.email,
      email_verified: true,
      auth_time: 1,
    },
    userinfo: { username: 'ana', email: ana.email, email_verified: 'true' },
    token: { expires_in: 3_600, refresh_token: 'rt' },
  },
  auth0: {
    configured: '/',
    metadata: {
      issuer: '$/',
      ...endpoints('/authorize', '/oauth/token', '/userinfo', '/.well-known/jwks.json'),
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      id_token_signing_alg_values_supported: ['HS256', 'RS256', 'PS256'],
    },
    idToken: {
      sub: 'auth0|65f0',
      nickname: 'ana',
      name: ana.email,
      updated_at: '2026-01-01T00:00:00Z',
      email: ana.email,
      email_verified: true,
    },
    userinfo: { sub: 'auth0|65f0', nickname: 'ana', email: ana.email, email_verified: true },
    token: { scope: 'openid profile email', expires_in: 86_400 },
  },
  entra: {
    configured: '/8a1c/v2.0',
    metadata: {
      issuer: '$/8a1c/v2.0',
      ...endpoints('/8a1c/oauth2/v2.0/authorize', '/8a1c/oauth2/v2.0/token', '/oidc/userinfo', '/8a1c/discovery/v2.0/keys'),
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'private_key_jwt',
        'client_secret_basic',
        'self_signed_tls_client_auth',
      ],
      ...isRs256,
    },
    keys: 'bare',
    idToken: {
      nbf: 1,
      preferred_username: 'ana',
      name: 'Ana Souza',
      email: ana.email,
      oid: 'x',
      rh: 'x',
      tid: '8a1c',
      uti: 'x',
      ver: '2.0',
    },
    userinfo: { name: 'Ana Souza', email: ana.email, picture: 'https://graph.example/photo' },
    token: { scope: 'openid profile email', expires_in: 3_927, ext_expires_in: 3_927 },
    back: { session_state: randomUUID() },
  },
  google: {
    configured: '',
    metadata: {
      issuer: '$',
      ...endpoints('/o/oauth2/v2/auth', '/token', '/v1/userinfo', '/oauth2/v3/certs'),
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      ...isRs256,
    },
    idToken: { azp: 'svc', at_hash: 'x', hd: 'example.org', email: ana.email, email_verified: true, name: 'Ana Souza' },
    userinfo: { name: 'Ana Souza', email: ana.email, email_verified: true, hd: 'example.org' },
    token: { scope: 'openid https://www.googleapis.com/auth/userinfo.email', expires_in: 3_599 },
    back: { scope: 'email openid', authuser: '0', hd: 'example.org', prompt: 'consent' },
  },
  dex: {
    configured: '/dex',
    metadata: {
      issuer: '$/dex',
      ...endpoints('/dex/auth', '/dex/token', '/dex/userinfo', '/dex/keys'),
      ...methods,
      ...isRs256,
    },
    idToken: { ...ana, sub: 'CgNhbmESBGxkYXA', at_hash: 'x', c_hash: 'x', email_verified: true },
    userinfo: { ...ana, sub: 'CgNhbmESBGxkYXA', iss: '$/dex', aud: 'svc', exp: 4_000_000_000, iat: 1, email_verified: true },
    token: { token_type: 'bearer', expires_in: 86_399 },
  },
} satisfies Record<string, Form>;
