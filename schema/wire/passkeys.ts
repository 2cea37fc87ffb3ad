/** Passkeys on the wire; the fields of WebAuthn keep its names, and its bytes are base64url. Decision: docs/decisions/0384-passkeys.md */
import { limits } from '../limits.ts';
import { plainNameSource } from '../plain-line.ts';
import { type Wire, closed, count, flag, list, oneOf, text } from '../static.ts';

const bytes = (charsMax: number) => ({ type: 'string', minLength: 1, maxLength: charsMax, pattern: '^[\\w-]+$' }) as const;
const credentialId = bytes(limits.passkeyIdCharsMax);
const clientDataJSON = bytes(4_096);
const name = { type: 'string', minLength: 1, maxLength: limits.passkeyNameCharsMax, pattern: plainNameSource } as const;
/** A browser may know others, which say nothing to this portal. */
const transports = { type: 'array', maxItems: 8, items: { type: 'string', maxLength: 32, pattern: '^[a-z-]+$' } } as const;

export const passkeyAnswer = closed({
  id: credentialId,
  clientDataJSON,
  authenticatorData: bytes(2_048),
  signature: bytes(2_048),
  userHandle: bytes(128),
});
export type PasskeyAnswer = Wire<typeof passkeyAnswer>;

export const passkeyMakeBody = closed({
  nome: name,
  passkey: closed({ id: credentialId, clientDataJSON, attestationObject: bytes(limits.passkeyAttestationCharsMax), transports }),
});
export type PasskeyMade = Wire<typeof passkeyMakeBody>['passkey'];

export const passkeyNameBody = closed({ nome: name });
export const passkeyParams = closed({ id: { type: 'string', pattern: '^[\\w-]{22}$' } });

const row = closed({
  /** For routes; opens nothing. */
  id: text,
  nome: text,
  /** Other devices of the person have it, too. */
  copiada: flag,
  criadaEm: count,
  /** 0: never. */
  usadaEm: count,
});
export type PasskeyRow = Wire<typeof row>;
export const passkeyRow = row;
/** `podeCriar`: the sign-in is recent enough to make another one. */
export const passkeysAnswer = closed({ passkeys: list(row), podeCriar: flag });
export type PasskeysAnswer = Wire<typeof passkeysAnswer>;
export const passkeyEndedAnswer = closed({ encerradas: count });

/** `PublicKeyCredentialRequestOptionsJSON`: any passkey of the portal. */
export const passkeyQuestion = closed({ challenge: text, rpId: text, timeout: count, userVerification: oneOf(['required']) });
export type PasskeyQuestion = Wire<typeof passkeyQuestion>;

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const passkeyRequest = closed({
  challenge: text,
  rp: closed({ id: text, name: text }),
  user: closed({ id: text, name: text, displayName: text }),
  pubKeyCredParams: list(closed({ type: oneOf(['public-key']), alg: { type: 'integer' } })),
  excludeCredentials: list(closed({ type: oneOf(['public-key']), id: text, transports: list(text) })),
  authenticatorSelection: closed({ residentKey: oneOf(['required']), userVerification: oneOf(['required']) }),
  attestation: oneOf(['none']),
  timeout: count,
});
export type PasskeyRequest = Wire<typeof passkeyRequest>;
