/**
 * Signing in at an OpenID Connect provider: authorization code with PKCE, state and nonce. What has to be remembered between going
 * there and coming back is one random cookie; state, nonce and verifier are made from it, so nothing is stored and only the browser
 * that went can come back. Source: RFC 9700, RFC 9207; OpenID Connect Core 3.1. Decision: docs/decisions/0072-openid-connect.md
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ClientAuth, Configuration } from 'openid-client';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { OidcSettings, PeopleView } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Site } from '../hosts.ts';
import { newSecret } from './secrets.ts';

export const oidcReturnPath = '/api/sessao/oidc/retorno';

export interface Oidc {
  /** Where the browser goes, and the secret that its cookie keeps (an earlier one is used on). Rejects SIGN_IN_METHOD, OIDC_UNREACHABLE. */
  begin(secret: string | null): Promise<{ readonly location: string; readonly secret: string }>;
  /** Whether this answer belongs to a recent request of this browser. Sends nothing. */
  isOwn(secret: string | null, state: string | null): boolean;
  /** The person that the provider names. `query` as it came. Rejects OIDC_…; call `isOwn` first. */
  finish(secret: string, query: URLSearchParams): Promise<string>;
  /** The person may come as another identity the next time. */
  forget(person: string): Promise<void>;
}

export interface OidcDeps {
  readonly site: Site;
  readonly clock: Clock;
  readonly people: PeopleView;
  readonly store: Pick<Store, 'value' | 'putValue'>;
}

export function createOidc(deps: OidcDeps): Oidc {
  const { site, clock, people } = deps;
  const providers = createProviders(deps);
  const redirectUri = `${site.origin}${oidcReturnPath}`;
  return {
    begin: async (kept) => {
      const settings = settingsOf(people);
      const { library, config } = await providers.of(settings);
      const secret = kept ?? newSecret();
      const question = `${clock.nowMs().toString(36)}.${randomBytes(12).toString('base64url')}`;
      const location = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: ['openid', ...settings.scopes].join(' '),
        state: stateOf(settings, secret, question),
        nonce: made(secret, 'nonce', question),
        code_challenge: createHash('sha256')
          .update(made(secret, 'verifier', question))
          .digest('base64url'),
        code_challenge_method: 'S256',
      });
      return { location: location.href, secret };
    },
    isOwn: (secret, state) => {
      const { oidc } = people.signIn();
      const question = questionOf(state);
      if (secret === null || state === null || question === null || oidc === null) return false;
      const ageMs = clock.nowMs() - parseInt(question, 36);
      return same(stateOf(oidc, secret, question), state) && ageMs >= -sharedLimits.portalsSkewMsMax && ageMs < limits.oidcBeginMs;
    },
    finish: async (secret, query) => {
      const settings = settingsOf(people);
      const state = query.get('state');
      const question = questionOf(state) ?? '';
      const { library, config } = await providers.of(settings);
      const address = new URL(`${redirectUri}?${query.toString()}`);
      try {
        const tokens = await library.authorizationCodeGrant(config, address, {
          expectedState: stateOf(settings, secret, question),
          expectedNonce: made(secret, 'nonce', question),
          pkceCodeVerifier: made(secret, 'verifier', question),
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new SvcError('OIDC_REFUSED', 'the provider sent no ID token');
        const own = settings.claim in claims ? claims : await library.fetchUserInfo(config, tokens.access_token, claims.sub);
        return await personOf(deps, settings, { ...own, sub: claims.sub });
      } catch (error) {
        // It may have been mended where the document says.
        if (isOtherSecret(error)) providers.forget();
        throw coded(error);
      }
    },
    forget: async (person) => await deps.store.putValue(identityName(person), ''),
  };
}

function settingsOf(people: Pick<PeopleView, 'signIn'>): OidcSettings {
  const { oidc } = people.signIn();
  if (!oidc) throw new SvcError('SIGN_IN_METHOD', 'this portal has no OpenID Connect provider');
  return oidc;
}

type Library = typeof import('openid-client');

interface Provider {
  readonly library: Library;
  readonly config: Configuration;
}

interface Providers {
  readonly of: (settings: OidcSettings) => Promise<Provider>;
  /** Asked anew soon, with the secret of then. */
  readonly forget: () => void;
}

/**
 * The provider's metadata, fetched once for all sign-ins and cached; a failure is cached for a moment, so that sign-in attempts can't make
 * the portal ask all the time. A changed document is another provider.
 */
function createProviders({ clock }: OidcDeps): Providers {
  let known: { readonly of: string; untilMs: number; readonly provider: Promise<Provider> } | null = null;
  const shorten = (one: typeof known): void => {
    if (one) one.untilMs = Math.min(one.untilMs, clock.monotonicMs() + limits.oidcRetryMs);
  };
  return {
    of: async (settings) => {
      const of = JSON.stringify([settings.issuer, settings.clientId, settings.clientSecretFrom]);
      if (known?.of === of && clock.monotonicMs() < known.untilMs) return await known.provider;
      const asked = { of, untilMs: clock.monotonicMs() + limits.oidcMetadataMs, provider: discover(settings) };
      known = asked;
      asked.provider.catch(() => shorten(asked));
      return await asked.provider;
    },
    forget: () => shorten(known),
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Provider> {
  // Loaded by those who use it: it costs a portal without a provider nothing.
  const library = await import('openid-client');
  const secret = await clientSecret();
  try {
    const config = await library.discovery(new URL(issuer), clientId, secret, clientAuth(library, secret), {
      timeout: limits.oidcAnswerMsMax / 1_000,
      // Signatures are checked although the token comes over TLS. The schema of the document lets http through to this machine only.
      // oxlint-disable-next-line typescript/no-deprecated -- marked to keep it from other uses
      execute: [library.enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : [])],
    });
    return { library, config };
  } catch (error) {
    throw new SvcError('OIDC_UNREACHABLE', `the provider ${issuer} does not answer as one: ${wordOf(error)}`, {}, { cause: error });
  }
}

/** As the provider's metadata says, which without a word about it means `client_secret_basic`. Source: OpenID Connect Discovery 1.0, 3. */
function clientAuth(library: Library, secret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = offered.includes('client_secret_post') && !offered.includes('client_secret_basic');
    (isPost ? post : basic)(server, client, body, headers);
  };
}

/** `<time>.<random>.<mac>`; the mac is for this browser and this provider: an answer of another one is not taken. */
function stateOf({ issuer, clientId }: OidcSettings, secret: string, question: string): string {
  return `${question}.${made(secret, `state\n${issuer}\n${clientId}`, question)}`;
}

function questionOf(state: string | null): string | null {
  return /^([0-9a-z]{1,11}\.[\w-]{16})\.[\w-]{43}$/.exec(state ?? '')?.[1] ?? null;
}

function made(secret: string, what: string, question: string): string {
  return createHmac('sha256', secret).update(`${what}\n${question}`).digest('base64url');
}

function same(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Rejects OIDC_NO_PERSON or OIDC_OTHER_IDENTITY. */
async function personOf({ people, store }: OidcDeps, { issuer, claim }: OidcSettings, claims: Claims): Promise<string> {
  const login = claims[claim];
  if (typeof login !== 'string' || login === '') throw new SvcError('OIDC_NO_PERSON', `the provider sends no claim ${claim}`);
  // A request can name any address in its Host header; the provider checks the redirect address.
  if (claim === 'email' && claims['email_verified'] !== true) {
    throw new SvcError('OIDC_NO_PERSON', 'the provider did not verify the e-mail address');
  }
  const usuario = people.all().find((person) => person.login === login)?.usuario;
  if (usuario === undefined) throw new SvcError('OIDC_NO_PERSON', `no Person has the login ${JSON.stringify(login.slice(0, 128))}`);
  // Claims can be changed at the provider, the subject never: who came first under a login stays the one (until an admin forgets it).
  const identity = JSON.stringify([issuer, claims.sub]);
  const ownerName = `oidc/subject/${createHash('sha256').update(identity).digest('hex')}`;
  const [bound, owner] = [(await store.value(identityName(usuario))) ?? '', (await store.value(ownerName)) ?? ''];
  const isOther = bound !== '' && bound !== identity && issuerOf(bound) === issuer;
  // Unknown states belong to no browser.
  const isOwned = owner !== '' && owner !== usuario && people.find(owner) !== null && (await store.value(identityName(owner))) === identity;
  if (isOther || isOwned) {
    throw new SvcError('OIDC_OTHER_IDENTITY', `${usuario} signed in as another identity before; svc sessions ${usuario} --forget`);
  }
  if (bound !== identity) await store.putValue(identityName(usuario), identity);
  if (owner !== usuario) await store.putValue(ownerName, usuario);
  return usuario;
}

function identityName(person: string): string {
  return `oidc/person/${person}`;
}

function issuerOf(identity: string): unknown {
  return (JSON.parse(identity) as readonly unknown[])[0];
}

/** What openid-client throws holds answers and tokens: only its code goes on. */
function coded(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const word = wordOf(error);
  return isUnreachable(error)
    ? new SvcError('OIDC_UNREACHABLE', `the provider did not answer: ${word}`)
    : new SvcError('OIDC_REFUSED', `the answer of the provider is not taken: ${word}`);
}

function isUnreachable(error: unknown): boolean {
  const { name, code, cause } = error as { readonly name?: string; readonly code?: string; readonly cause?: { readonly status?: number } };
  return (
    (cause?.status ?? 0) >= 500 ||
    code === 'OAUTH_TIMEOUT' ||
    name === 'TimeoutError' ||
    name === 'AbortError' ||
    (error instanceof TypeError && error.message === 'fetch failed')
  );
}

/** As the body says, or, with a challenge in the head, the status alone. Source: RFC 6749 5.2 */
const isOtherSecret = (error: unknown): boolean =>
  wordOf(error) === 'invalid_client' || (error as { readonly status?: unknown }).status === 401;

/** The OAuth error, or a code of the library or of the network. */
function wordOf(error: unknown): string {
  const {
    error: oauth,
    code,
    cause,
  } = error as { readonly error?: unknown; readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  // A 401 says it in its head.
  const challenge = Array.isArray(cause) ? (cause as readonly { readonly parameters?: { readonly error?: unknown } }[])[0] : undefined;
  const word =
    [oauth, challenge?.parameters?.error, cause?.code, code].find((one): one is string => typeof one === 'string') ?? 'no reason given';
  return word.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 80);
}
