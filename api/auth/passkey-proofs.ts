/**
 * Answers of a browser for a passkey, read by @simplewebauthn/server. Origin and relying party are compared as wholes. Only attestation "none" is read:
 * of the others the library would fetch what a certificate names. Decision: docs/decisions/0384-passkeys.md
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { PasskeyAnswer, PasskeyMade } from '../../schema/wire/passkeys.ts';
import type { StoredPasskey } from '../../store/store.ts';
import type { Site } from '../http/hosts.ts';

/** Loaded with the first passkey: most portals have none. */
const library = async () => await import('@simplewebauthn/server');
const helpers = async () => await import('@simplewebauthn/server/helpers');

export interface Right {
  readonly challenge: string;
  readonly counter: number;
  readonly isBackedUp: boolean;
}

interface Made extends Right {
  readonly id: string;
  readonly publicKey: string;
}

/** Names the person to authenticators, which give it back: a hash, so that it says no name. */
export function handleOf(person: string): string {
  return createHash('sha256').update(`svc passkey\n${person}`).digest('base64url');
}

const parts = { type: 'public-key', clientExtensionResults: {} } as const;

/** Null: it is no answer to an own challenge, of another origin or name, without its person, or of no form that is known. */
export async function readMade(
  { origin, hostname }: Pick<Site, 'origin' | 'hostname'>,
  { id, clientDataJSON, attestationObject, transports }: PasskeyMade,
  { isOwn, algorithms }: { readonly isOwn: (challenge: string) => boolean; readonly algorithms: readonly number[] },
): Promise<Made | null> {
  const { verifyRegistrationResponse } = await library();
  const { decodeAttestationObject } = await helpers();
  let challenge = '';
  try {
    if (decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url'))).get('fmt') !== 'none') return null;
    const { verified: isRight, registrationInfo } = await verifyRegistrationResponse({
      response: { ...parts, id, rawId: id, response: { clientDataJSON, attestationObject, transports: [...transports] as [] } },
      expectedChallenge: (sent) => isOwn((challenge = sent)),
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
    });
    if (!isRight || registrationInfo.credential.id !== id) return null;
    const { credential, credentialBackedUp: isBackedUp } = registrationInfo;
    return { id, publicKey: Buffer.from(credential.publicKey).toString('base64url'), counter: credential.counter, isBackedUp, challenge };
  } catch {
    return null;
  }
}

/** Null as `readMade`, or it is not signed by the passkey. Its counter is the caller's to compare. */
export async function verified(
  { origin, hostname }: Pick<Site, 'origin' | 'hostname'>,
  { id, userHandle, ...response }: PasskeyAnswer,
  { known, isOwn }: { readonly known: StoredPasskey; readonly isOwn: (challenge: string) => boolean },
): Promise<Right | null> {
  const [own, sent] = [Buffer.from(handleOf(known.person)), Buffer.from(userHandle)];
  if (own.length !== sent.length || !timingSafeEqual(own, sent)) return null;
  const { verifyAuthenticationResponse } = await library();
  let challenge = '';
  try {
    const { verified: isRight, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...parts, id, rawId: id, response: { ...response, userHandle } },
      expectedChallenge: (given) => isOwn((challenge = given)),
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')), counter: 0 },
    });
    if (!isRight) return null;
    return { challenge, counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
  } catch {
    return null;
  }
}
