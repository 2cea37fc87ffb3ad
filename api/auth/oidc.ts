/**
 * Signing in at an OpenID Connect provider: authorization code with PKCE, state and nonce. A single random cookie is kept between going there and
 * coming back; state, nonce and verifier are made from it, so nothing is stored and only the browser that went can come back. Source: RFC 9700, RFC
 * 9207; OpenID Connect Core 3.1. Decision: docs/decisions/0072-openid-connect.md
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Configuration } from 'openid-client';
import type { Store } from '../../store/store.ts';
import { personName } from '../../schema/account-name.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { OidcSettings, PeopleCommands, PeopleView } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { isOtherSecret, refusalOf, type AskedFor } from './oidc-causes.ts';
import { createProviders, plainIssuer, type Library } from './oidc-discovery.ts';
import type { Site } from '../http/hosts.ts';
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
  readonly commands: Pick<PeopleCommands, 'arrived'>;
  readonly store: Pick<Store, 'value' | 'putValue'>;
}

export function createOidc(deps: OidcDeps): Oidc {
  const { site, clock, people } = deps;
  const providers = createProviders(clock);
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
      let asked: AskedFor = 'token';
      try {
        const tokens = await library.authorizationCodeGrant(config, address, {
          expectedState: stateOf(settings, secret, question),
          expectedNonce: made(secret, 'nonce', question),
          pkceCodeVerifier: made(secret, 'verifier', question),
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new SvcError('OIDC_REFUSED', 'the provider sent no ID token');
        // The library compares it where there are several audiences only. Source: OpenID Connect Core 3.1.3.7, 5
        if ((claims.azp ?? settings.clientId) !== settings.clientId)
          throw new SvcError('OIDC_REFUSED', 'the ID token of the provider was issued to another client (azp)');
        asked = 'userinfo';
        const info = isWhole(settings, claims) ? null : await userInfo(library, config, tokens.access_token, claims.sub);
        // An address and whether it was verified come from one answer.
        const own = info !== null && isNamed(settings, info) ? info : claims;
        return await personOf(deps, settings, { ...ofPeople(settings, claims, info), ...own, sub: claims.sub });
      } catch (error) {
        // It may have been mended where the document says.
        if (asked === 'token' && isOtherSecret(error)) providers.forget();
        throw refusalOf(error, { asked, redirectUri, scopes: settings.scopes });
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

const isNamed = ({ claim }: OidcSettings, claims: Readonly<Record<string, unknown>>): boolean => (claims[claim] ?? null) !== null;

/** Whether the ID token alone names the person, and their groups. */
const isWhole = (settings: OidcSettings, claims: Readonly<Record<string, unknown>>): boolean =>
  isNamed(settings, claims) &&
  settings.claimsOfPeople.every((name) => (claims[name] ?? null) !== null) &&
  (settings.claim !== 'email' || (claims['email_verified'] ?? null) !== null);

/** The claims that People documents ask for, and the name: of either answer. */
function ofPeople(
  { claimsOfPeople }: OidcSettings,
  claims: Record<string, unknown>,
  info: Record<string, unknown> | null,
): Record<string, unknown> {
  return Object.fromEntries([...claimsOfPeople, 'name'].map((name) => [name, claims[name] ?? info?.[name]]));
}

/** Null when the provider has no such endpoint. */
async function userInfo(
  library: Library,
  config: Configuration,
  accessToken: string,
  subject: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return null;
  return await library.fetchUserInfo(config, accessToken, subject);
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
async function personOf(deps: OidcDeps, { issuer, claim, claimsOfPeople }: OidcSettings, claims: Claims): Promise<string> {
  const { people, commands, store } = deps;
  const login = claims[claim] ?? null;
  if (login === null) throw new SvcError('OIDC_NO_PERSON', `the provider sends no claim ${claim}, neither in the ID token nor as userinfo`);
  if (typeof login !== 'string' || login === '') throw new SvcError('OIDC_NO_PERSON', `the provider's claim ${claim} is not a text`);
  if (claim === 'email') checkVerified(claims['email_verified'] ?? null, login);
  const usuarioOf = (): string | undefined => people.all().find((person) => person.login === login)?.usuario;
  const identity = identityOf(issuer, claims.sub);
  // Before anything is believed of them: the claims of whoever has the login now say nothing of the person who had it.
  const first = usuarioOf() ?? (claimsOfPeople.length > 0 ? personName(login) : undefined);
  if (first !== undefined) await checkIdentity(deps, identity, first, login);
  const nome = typeof claims['name'] === 'string' ? claims['name'] : '';
  const why = await commands.arrived({ login, nome, claims });
  const noPerson = `no Person has the login ${JSON.stringify(login.slice(0, 128))}`;
  if (why !== null) throw new SvcError('OIDC_NO_PERSON', `${noPerson}: ${why}`, { login });
  const usuario = usuarioOf();
  if (usuario === undefined) throw new SvcError('OIDC_NO_PERSON', noPerson, { login });
  if (usuario !== first) await checkIdentity(deps, identity, usuario, login);
  const ownerName = ownerNameOf(identity);
  if ((await store.value(identityName(usuario))) !== identity) await store.putValue(identityName(usuario), identity);
  if ((await store.value(ownerName)) !== usuario) await store.putValue(ownerName, usuario);
  return usuario;
}

/** Claims can be changed at the provider, the subject never: who came first under a login stays the one (until an admin forgets it). Rejects OIDC_OTHER_IDENTITY. */
async function checkIdentity({ people, store }: OidcDeps, identity: string, usuario: string, login: string): Promise<void> {
  const [bound, owner] = [(await store.value(identityName(usuario))) ?? '', (await store.value(ownerNameOf(identity))) ?? ''];
  const isOther = bound !== '' && bound !== identity && issuerOf(bound) === issuerOf(identity);
  // Unknown states belong to no browser.
  const isOwned = owner !== '' && owner !== usuario && people.find(owner) !== null && (await store.value(identityName(owner))) === identity;
  if (!isOther && !isOwned) return;
  throw new SvcError('OIDC_OTHER_IDENTITY', `${usuario} signed in as another identity before; svc sessions ${usuario} --forget`, { login });
}

const identityOf = (issuer: string, sub: string): string => JSON.stringify([plainIssuer(issuer), sub]);

const ownerNameOf = (identity: string): string => `oidc/subject/${createHash('sha256').update(identity).digest('hex')}`;

/** Some providers send it as text. Rejects OIDC_NO_PERSON. */
function checkVerified(verified: unknown, login: string): void {
  if (verified === true || verified === 'true') return;
  const why =
    verified === null
      ? 'does not say whether the e-mail address is verified (claim email_verified): sign in by another claim'
      : 'did not verify the e-mail address';
  throw new SvcError('OIDC_NO_PERSON', `the provider ${why}`, { login });
}

function identityName(person: string): string {
  return `oidc/person/${person}`;
}

function issuerOf(identity: string): unknown {
  return (JSON.parse(identity) as readonly unknown[])[0];
}
