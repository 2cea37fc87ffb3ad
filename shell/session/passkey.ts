/** Passkeys in the page: the browser's questions between those of the portal. Decision: docs/decisions/0384-passkeys.md */
import type { PasskeyRow } from '../../schema/wire/passkeys.ts';
import { text } from '../i18n/i18n.ts';
import { call, send, signIn } from './api.ts';
import { fromBase64url, toBase64url } from './base64url.ts';
import { sayError } from './say-error.ts';

/** The browser asked the person, and made or used none. */
export class PasskeyStopped extends Error {
  /** `PASSKEY_HERE`: this device has one of this portal already. */
  readonly code: 'PASSKEY_STOPPED' | 'PASSKEY_HERE';

  constructor(code: PasskeyStopped['code'], cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

export const listPasskeys = () => call('GET /api/passkeys');
export const renamePasskey = async (id: string, nome: string): Promise<void> =>
  void (await send('PATCH /api/passkeys/:id', { params: { id }, body: { nome } }));
export const removePasskey = async (id: string): Promise<void> => void (await send('DELETE /api/passkeys/:id', { params: { id } }));

async function asked(question: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const given = await question();
    if (given instanceof PublicKeyCredential) return given;
  } catch (error) {
    throw new PasskeyStopped(
      error instanceof DOMException && error.name === 'InvalidStateError' ? 'PASSKEY_HERE' : 'PASSKEY_STOPPED',
      error,
    );
  }
  throw new PasskeyStopped('PASSKEY_STOPPED', null);
}

/** Rejects PasskeyStopped, or as the portal refuses it. */
export async function enterByPasskey(): Promise<void> {
  const { challenge, ...question } = await call('POST /api/sessao/passkey', { body: {} });
  const { id, response } = await asked(() =>
    navigator.credentials.get({ publicKey: { ...question, challenge: fromBase64url(challenge) } }),
  );
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  await signIn({
    passkey: {
      id,
      clientDataJSON: toBase64url(clientDataJSON),
      authenticatorData: toBase64url(authenticatorData),
      signature: toBase64url(signature),
      userHandle: toBase64url(userHandle ?? new ArrayBuffer(0)),
    },
  });
}

/** Rejects PasskeyStopped, or as the portal refuses it. */
export async function makePasskey(nome: string): Promise<PasskeyRow> {
  const { challenge, user, excludeCredentials, pubKeyCredParams, ...request } = await call('POST /api/passkeys/pedido', { body: {} });
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...request,
    pubKeyCredParams: [...pubKeyCredParams],
    challenge: fromBase64url(challenge),
    user: { ...user, id: fromBase64url(user.id) },
    excludeCredentials: excludeCredentials.map(({ id, type, transports }) => ({
      id: fromBase64url(id),
      type,
      transports: [...transports] as AuthenticatorTransport[],
    })),
  };
  const { id, response } = await asked(() => navigator.credentials.create({ publicKey }));
  const { clientDataJSON, attestationObject, ...made } = partsOf(response as AuthenticatorAttestationResponse);
  return await call('POST /api/passkeys', {
    body: {
      nome,
      passkey: { id, clientDataJSON: toBase64url(clientDataJSON), attestationObject: toBase64url(attestationObject), ...made },
    },
  });
}

/** Some browsers do not say how they reached it. */
function partsOf(response: AuthenticatorAttestationResponse) {
  const transports = 'getTransports' in response ? response.getTransports().slice(0, 8) : [];
  return { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject, transports };
}

/** A failure with a passkey of the person, in words. */
export function sayPasskeyTrouble(error: unknown): string {
  if (error instanceof PasskeyStopped) return text(error.code === 'PASSKEY_HERE' ? 'passkeys.here' : 'passkeys.stopped');
  return text('tasks.error', { erro: sayError(error) });
}
