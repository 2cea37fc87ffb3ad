/**
 * A provider as its own metadata describes it. Everything that would make each sign-in fail later is refused here, with its cause.
 * Source: OpenID Connect Discovery 1.0. Decision: docs/decisions/0072-openid-connect.md
 */
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { OidcSettings } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { quoted, unreachable } from './oidc-causes.ts';
import { fetchBounded } from './oidc-fetch.ts';

export type Library = typeof import('openid-client');

export interface Provider {
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
export function createProviders(clock: Clock): Providers {
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

const wellKnown = '/.well-known/openid-configuration';

/** Without the slash at its end, which many providers write in one place and not in another: the address of the metadata is the same. */
export const plainIssuer = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).href : issuer).replace(/\/$/, '');

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Provider> {
  // Loaded by those who use it: it costs a portal without a provider nothing.
  const library = await import('openid-client');
  const secret = await clientSecret();
  const expected = plainIssuer(issuer.endsWith(wellKnown) ? issuer.slice(0, -wellKnown.length) : issuer);
  const isLocal = issuer.startsWith('http:');
  const timeout = limits.oidcAnswerMsMax / 1_000;
  // Signatures are checked although the token comes over TLS. The schema of the document lets http through to this machine only.
  // oxlint-disable-next-line typescript/no-deprecated -- marked to keep it from other uses
  const execute = [library.enableNonRepudiationChecks, ...(isLocal ? [library.allowInsecureRequests] : [])];
  let metadata: ServerMetadata;
  try {
    const options = { timeout, execute, [library.customFetch]: fetchBounded };
    metadata = (await library.discovery(new URL(`${expected}${wellKnown}`), clientId, secret, undefined, options)).serverMetadata();
  } catch (error) {
    throw new SvcError('OIDC_UNREACHABLE', `the provider ${issuer} does not answer as one: ${unreachable(error)}`, {}, { cause: error });
  }
  const finding = findingOf(expected, isLocal, metadata);
  if (finding !== null) throw new SvcError('OIDC_UNREACHABLE', `the provider ${issuer} can't be used: ${finding}`);
  const client = { client_secret: secret, [library.clockTolerance]: limits.oidcSkewMsMax / 1_000 };
  const config = new library.Configuration(withUserInfoAlgorithms(metadata), clientId, client, clientAuth(library, secret));
  config.timeout = timeout;
  config[library.customFetch] = fetchBounded;
  for (const extension of execute) extension(config);
  return { library, config };
}

/** A sentence about what keeps this portal from signing in there; null: nothing. */
export function findingOf(expected: string, isLocal: boolean, metadata: ServerMetadata): string | null {
  const { issuer } = metadata;
  if (issuer.includes('{tenantid}')) {
    return 'this address is for the accounts of all tenants: write the one with the id of your tenant';
  }
  if (plainIssuer(issuer) !== expected && !isAliasOfTenant(expected, issuer)) {
    return `its metadata is of another issuer, ${quoted(issuer)}: signIn.oidc.issuer must be as the provider writes it`;
  }
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const) {
    const address: unknown = metadata[name];
    if (address === undefined && name === 'userinfo_endpoint') continue;
    if (typeof address !== 'string' || !URL.canParse(address)) return `its metadata has no ${name}`;
    if (!isLocal && new URL(address).protocol !== 'https:') {
      return `its metadata names ${name} without https (${quoted(address)}): the provider does not know that it is reached by https`;
    }
  }
  const algorithms = metadata.id_token_signing_alg_values_supported;
  if (Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every((each) => /^(?:HS|none$)/.test(each))) {
    return `it signs ID tokens with ${algorithms.join(', ')} only: choose a key pair (RS256 or ES256) for this client there`;
  }
  return null;
}

/** Microsoft answers for a tenant's name, or for a policy, with the id of the tenant. Both are the same authority. */
function isAliasOfTenant(expected: string, issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const [asked, named] = [new URL(expected), new URL(issuer)];
  if (asked.protocol !== 'https:' || named.protocol !== 'https:') return false;
  if (asked.host.endsWith('.b2clogin.com')) return asked.host === named.host;
  return asked.host === 'login.microsoftonline.com' && [asked.host, 'sts.windows.net'].includes(named.host);
}

/** A provider that signs its userinfo without saying how does it as it signs ID tokens; the signature is checked with its keys. */
function withUserInfoAlgorithms(metadata: ServerMetadata): ServerMetadata {
  const said = metadata.userinfo_signing_alg_values_supported ?? metadata.id_token_signing_alg_values_supported;
  return { ...metadata, userinfo_signing_alg_values_supported: said ?? ['RS256'] };
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
