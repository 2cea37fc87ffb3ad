/**
 * Why a provider's answer is not taken, as a sentence for the portal's log. Errors of openid-client hold whole answers and tokens: only codes,
 * addresses of endpoints, issuers, clients and times go on.
 */
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { tooLarge } from './oidc-fetch.ts';

/** Which answer was waited for. */
export type AskedFor = 'token' | 'userinfo';

interface Asked {
  readonly asked: AskedFor;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

/** Text of a provider, as part of a sentence. */
export const quoted = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? printable(value) : (value ?? null)).slice(0, 202);

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);

export function refusalOf(error: unknown, asked: Asked): SvcError {
  if (error instanceof SvcError) return error;
  return isUnreachable(error)
    ? new SvcError('OIDC_UNREACHABLE', `the provider did not answer: ${unreachable(error)}`)
    : new SvcError('OIDC_REFUSED', `the answer of the provider is not taken: ${sentenceOf(error, asked)}`);
}

/** The body says it, or, with a challenge in the head, the status alone. Source: RFC 6749 5.2 */
export const isOtherSecret = (error: unknown): boolean =>
  wordOf(error) === 'invalid_client' || (error as { readonly status?: unknown }).status === 401;

const passing = new Set(['server_error', 'temporarily_unavailable']);

function isUnreachable(error: unknown): boolean {
  const { name, code, cause } = error as { readonly name?: string; readonly code?: string; readonly cause?: { readonly status?: number } };
  return (
    (cause?.status ?? 0) >= 500 ||
    code === 'OAUTH_TIMEOUT' ||
    name === 'TimeoutError' ||
    name === 'AbortError' ||
    passing.has(wordOf(error)) ||
    (error instanceof TypeError && error.message === 'fetch failed')
  );
}

const largeAnswer = `it answers more than ${limits.oidcAnswerBytesMax / 1_024 ** 2} MiB`;

/** The cause of a request without an answer, or with an answer of another kind. */
export function unreachable(error: unknown): string {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  if (code === 'OAUTH_TIMEOUT') return `no answer within ${limits.oidcAnswerMsMax / 1_000} s`;
  if (cause instanceof Response) return answerOf(cause);
  const word = wordOf(error);
  if (word === tooLarge) return largeAnswer;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(word)) {
    return `its certificate is not trusted (${word}): renew it, or name its authority with NODE_EXTRA_CA_CERTS`;
  }
  return code === 'OAUTH_PARSE_ERROR' ? `it sends no JSON (${word})` : word;
}

function answerOf(answer: Response): string {
  const where = answer.headers.get('location');
  if (answer.status >= 300 && answer.status < 400) return `it answers ${answer.status} and leads to ${quoted(where?.split('?')[0])}`;
  if (answer.status === 200) return `it sends ${quoted(answer.headers.get('content-type'))}, not JSON (OAUTH_RESPONSE_IS_NOT_JSON)`;
  return `it answers ${answer.status} (OAUTH_RESPONSE_IS_NOT_CONFORM)`;
}

type Details = Readonly<Record<string, unknown>>;

/** The library's finding, below the error that it throws. */
function found(error: unknown): { readonly message: string; readonly details: Details } {
  const { cause } = error as { readonly cause?: unknown };
  const { message, cause: details } = (cause ?? {}) as { readonly message?: unknown; readonly cause?: unknown };
  return { message: typeof message === 'string' ? message : '', details: (details ?? {}) as Details };
}

function sentenceOf(error: unknown, asked: Asked): string {
  const word = wordOf(error);
  const said = oauthSentence(error, word, asked);
  if (said !== null) return `${said} (${word})`;
  const { cause } = error as { readonly cause?: unknown };
  if (cause instanceof Response) return answerOf(cause);
  const { message, details } = found(error);
  const sentence = checks[word]?.(details, message);
  // The library's own sentences hold no value of an answer.
  return sentence === undefined ? [message, word].filter((each) => each !== '').join(': ') : `${sentence} (${word})`;
}

/** The provider's own refusal. Source: RFC 6749 4.1.2.1, 5.2; RFC 6750 3.1 */
function oauthSentence(error: unknown, word: string, { asked, redirectUri, scopes }: Asked): string | null {
  if (asked === 'userinfo' && Array.isArray((error as { readonly cause?: unknown }).cause)) {
    return 'its userinfo endpoint refuses the access token that it gave';
  }
  if (isOtherSecret(error) || word === 'unauthorized_client') return "it does not take the client's id or secret";
  if (word === 'access_denied') return 'the person, or a rule of the provider, said no';
  if (word === 'invalid_scope') return `it does not know, or does not allow, one of the scopes openid ${scopes.join(' ')}`;
  if (word === 'invalid_grant' || word === 'redirect_uri_mismatch') {
    return `it does not take the code: used before, too old, or registered there with another redirect address than ${redirectUri}`;
  }
  return null;
}

const claimOf = ({ claims, claim }: Details): unknown => (claims as Details | undefined)?.[String(claim)];

/** By the code of the library. */
const checks: Readonly<Record<string, (details: Details, message: string) => string | undefined>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: (details) => {
    const offSeconds = Math.abs(Number(claimOf(details)) - Number(details['now']));
    const what = details['claim'] === 'nbf' ? `begins to be valid in ${offSeconds} s` : `ran out ${offSeconds} s ago`;
    return `its token ${what}, by the clock of this machine: compare both clocks (up to ${limits.oidcSkewMsMax / 1_000} s are taken)`;
  },
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: (details, message) => {
    if (details['claim'] === 'nonce') return 'its ID token is of another sign-in (nonce)';
    const it = `its token has ${String(details['claim'])} ${quoted(claimOf(details))}`;
    return details['expected'] === undefined ? `${it}: ${message}` : `${it} where ${quoted(details['expected'])} is expected`;
  },
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: ({ attribute }) => `its userinfo is about somebody else (${String(attribute)})`,
  OAUTH_KEY_SELECTION_FAILED: ({ header, jwks_uri: from }) =>
    `no one key at ${quoted(String(from))} fits a token signed with ${quoted((header as Details)['alg'])}, kid ${quoted((header as Details)['kid'])}`,
  OAUTH_UNSUPPORTED_OPERATION: (details, message) => {
    if (message.includes('JWE')) return 'it encrypts its tokens: switch that off for this client there';
    const { alg } = details;
    return alg === undefined ? message : `it signs with ${quoted(alg)}: choose a key pair (RS256 or ES256) for this client there`;
  },
  OAUTH_INVALID_RESPONSE: ({ header, expected }, message) =>
    header === undefined || expected === undefined
      ? message
      : `it signs with ${quoted((header as Details)['alg'])}, its metadata offers ${quoted(expected)}`,
  OAUTH_HTTP_REQUEST_FORBIDDEN: () => 'it names an address without https',
  [tooLarge]: () => largeAnswer,
};

/** The OAuth error, or a code of the library or of the network. */
function wordOf(error: unknown): string {
  const {
    error: oauth,
    code,
    cause,
  } = error as {
    readonly error?: unknown;
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown; readonly message?: unknown };
  };
  // A 401 says it in its head.
  const challenge = Array.isArray(cause) ? (cause as readonly { readonly parameters?: { readonly error?: unknown } }[])[0] : undefined;
  const word =
    [oauth, challenge?.parameters?.error, cause?.code, code, cause?.message].find((one): one is string => typeof one === 'string') ??
    'no reason given';
  return printable(word).slice(0, 80);
}
