/** Why a sign-in failed, and what the person can do about it. The code comes from the portal, or from the address after a provider. */
import { language, text, type TextKey } from '../i18n/i18n.ts';
import { problemText } from '../../schema/texts/problems.ts';

export interface Refusal {
  readonly code: string;
  readonly message?: string;
  /** Message of the server itself. */
  readonly told?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

const sentences: Readonly<Record<string, TextKey>> = {
  PASS_REFUSED: 'signin.refused',
  LINK_FROM_APP: 'signin.fromApp',
  MALFORMED_LINK: 'signin.malformed',
  CREDENTIALS_REFUSED: 'signin.wrong',
  PASSWORD_EXPIRED: 'signin.expired',
  SIGN_IN_ASKS_MORE: 'signin.asksMore',
  SIGN_IN_METHOD: 'signin.method',
  PASSWORD_UNCHECKED: 'signin.unchecked',
  ACCOUNT_CLOSED: 'signin.accountClosed',
  PASSKEY_REFUSED: 'signin.passkeyRefused',
  PASSKEY_BEHIND: 'signin.passkeyBehind',
  PASSKEY_STOPPED: 'passkeys.stopped',
  OIDC_UNREACHABLE: 'signin.providerAway',
  OIDC_REFUSED: 'signin.providerRefused',
  OIDC_STATE: 'signin.tooLate',
  OIDC_NO_PERSON: 'signin.noPerson',
  OIDC_OTHER_IDENTITY: 'signin.otherIdentity',
};

/** The part of a refusal that a page may take from its own address. */
export function refusalOf(code: string | null): Refusal | null {
  return code !== null && /^[A-Z_]{1,40}$/.test(code) ? { code } : null;
}

export function sayRefusal({ code, message, told, retryAfterMs }: Refusal): string {
  if (code === 'RATE_LIMITED') return limited(retryAfterMs ?? 60_000);
  const key = sentences[code];
  const said = key === undefined ? text('signin.error', { erro: other(code, message) }) : text(key);
  return told === undefined ? said : `${said} ${text('signin.told', { texto: told })}`;
}

function other(code: string, message: string | undefined): string {
  if (code === 'OFFLINE') return text('error.offline');
  return problemText(code, language.get()) ?? message ?? code;
}

function limited(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 90 ? text('signin.limited', { n: seconds }) : text('signin.limitedMinutes', { n: Math.ceil(seconds / 60) });
}
