/**
 * A real OpenID Connect provider (oidc-provider) on a free port of 127.0.0.1. Every visitor is signed in as `account` without a question. Its
 * answers can be changed on their way out, with signatures that are right: it is the attacker's provider then.
 */
// oxlint-disable-next-line typescript/triple-slash-reference -- the browser tests, which are checked apart, use this file too
/// <reference path="./oidc-provider.d.ts" />
import { createSign, generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Provider } from 'oidc-provider';

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Subject of who comes next; null: the person says no. */
  account: string | null;
  /** Claims by subject. */
  readonly claims: Map<string, Record<string, unknown>>;
  /** Changes the claims of the ID token, which is signed again. */
  idToken: ((claims: Record<string, unknown>) => Record<string, unknown>) | null;
  /** Signs with a key that the provider does not publish. */
  forge: boolean;
  /** Takes a request itself; true: it did. */
  intercept: ((req: http.IncomingMessage, res: http.ServerResponse) => boolean) | null;
  /** Requests that came, by path. */
  readonly seen: string[];
  /** A browser goes to the address and comes back to the portal with this one. */
  visit(address: string): Promise<URL>;
  /** Ends it; `again` starts it on the same port. */
  close(): Promise<void>;
  again(): Promise<void>;
}

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });

export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const [key, foreignKey] = [newKey(), newKey()];
  const sockets = new Set<Socket>();
  const server = http.createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const client = { client_id: 'svc', client_secret: 'a-secret-of-the-client-0123456789', redirect_uris: [redirectUri] };
  const made: IdentityProvider = {
    issuer,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    account: 'subject-of-ana',
    claims: new Map(),
    idToken: null,
    forge: false,
    intercept: null,
    seen: [],
    visit: (address) => visit(address, redirectUri),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
    again: () => listen(port),
  };
  const provider = new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a-key-of-cookies'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'groups'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: async (_ctx: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ ...made.claims.get(sub), sub }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
  });
  provider.use(async (ctx, next) => {
    await next();
    const body = ctx.body as { id_token?: string } | undefined;
    if (ctx.oidc?.route === 'token' && body?.id_token !== undefined && (made.idToken || made.forge)) {
      const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
      const signer = made.forge ? foreignKey : key;
      ctx.body = {
        ...body,
        id_token: signed(made.idToken?.(claims) ?? claims, signer.privateKey.export({ format: 'pem', type: 'pkcs8' })),
      };
    }
  });
  const callback = provider.callback();
  server.on('request', (req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    made.seen.push(path);
    if (made.intercept?.(req, res) === true) return;
    if (path.startsWith('/interaction/')) {
      finish(provider, made, req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
    } else callback(req, res);
  });
  return made;
}

async function finish(
  provider: Provider,
  { account }: IdentityProvider,
  req: http.IncomingMessage,
  res: http.ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(req, res);
  if (account === null) return await provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'no' });
  const grant = new provider.Grant({ accountId: account, clientId: params.client_id });
  grant.addOIDCScope('openid profile email');
  await provider.interactionFinished(req, res, { login: { accountId: account }, consent: { grantId: await grant.save() } });
}

function signed(claims: Record<string, unknown>, key: string | Buffer): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'RS256', kid: 'k1' })}.${part(claims)}`;
  return `${input}.${createSign('sha256').update(input).sign(key, 'base64url')}`;
}

/** A browser with a jar of its own. */
async function visit(address: string, redirectUri: string): Promise<URL> {
  const jar = new Map<string, string>();
  let current = new URL(address);
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(current, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${current.href} answered ${answer.status}: ${text}`);
    current = new URL(location, current);
    if (current.href.startsWith(redirectUri)) return current;
  }
  throw new Error(`too many redirects at ${current.href}`);
}
