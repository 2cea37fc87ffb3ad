/**
 * Signatures of packages, in the format of minisign: an Ed25519 signature of the tarball's BLAKE2b-512, and a second one of the first and of the
 * trusted comment, which here is the claim of what the tarball is. The claim can be judged without the tarball; whoever has the tarball judges both.
 * Decision: docs/decisions/0435-signed-versions.md
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import { namePatterns } from './paths.ts';

export interface Claim {
  readonly app: string;
  readonly version: string;
  /** Hash of the tarball, in lowercase hex. */
  readonly sha256: string;
}

interface Signature {
  readonly keyId: Buffer;
  readonly ofTarball: Buffer;
  readonly comment: string;
  readonly ofComment: Buffer;
}

const lines = /^untrusted comment: [^\r\n]*\n([A-Za-z0-9+/]{99}=)\ntrusted comment: ([^\r\n]*)\n([A-Za-z0-9+/]{86}==)\n?$/;
const claims = new RegExp(`^svc-app (${inner(namePatterns.id)}) (${inner(namePatterns.version)}) sha256:([0-9a-f]{64})$`);

function inner(anchored: string): string {
  return anchored.slice(1, -1);
}

export const claimText = ({ app, version, sha256 }: Claim): string => `svc-app ${app} ${version} sha256:${sha256}`;

/** As `minisign` prints it: the bytes of the number, highest first. */
export const keyName = (id: Uint8Array): string => Buffer.from(id.toReversed()).toString('hex').toUpperCase();

function refuse(why: string): never {
  throw new SvcError('SIGNATURE_REFUSED', `the signature is refused: ${why}`);
}

/** Throws SIGNATURE_REFUSED for anything but four lines of minisign, prehashed. */
export function readSignature(text: string): Signature {
  const found = text.length > limits.signatureBytesMax ? null : lines.exec(text);
  if (found === null) return refuse('it is not the four lines that minisign writes');
  const [, first = '', comment = '', second = ''] = found;
  const bytes = Buffer.from(first, 'base64');
  const ofComment = Buffer.from(second, 'base64');
  if (bytes.toString('base64') !== first || ofComment.toString('base64') !== second) return refuse('its base64 is not the plain one');
  const algorithm = bytes.toString('latin1', 0, 2);
  if (algorithm === 'Ed') return refuse('it has the legacy format (minisign -l), which signs no digest: sign it without -l');
  if (algorithm !== 'ED') return refuse('its algorithm is unknown');
  return { keyId: bytes.subarray(2, 10), ofTarball: bytes.subarray(10), comment, ofComment };
}

/** Throws SIGNATURE_REFUSED when the trusted comment says something else. */
export function claimOf({ comment }: Pick<Signature, 'comment'>): Claim {
  const found = claims.exec(comment);
  if (found === null) return refuse('its trusted comment is not "svc-app ID VERSION sha256:HEX"');
  const [, app = '', version = '', sha256 = ''] = found;
  return { app, version, sha256 };
}

/** Throws BAD_REQUEST. */
export function readPublicKey(text: string): { readonly keyId: Buffer; readonly key: KeyObject } {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 42 || bytes.toString('base64') !== text || bytes.toString('latin1', 0, 2) !== 'Ed')
    throw new SvcError('BAD_REQUEST', 'the key: expected a public key of minisign, 56 characters that begin with RW');
  const x = bytes.subarray(10).toString('base64url');
  return { keyId: bytes.subarray(2, 10), key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

/** Judges the claim, and returns it. Throws SIGNATURE_REFUSED. */
export function signedClaim(text: string, publicKey: string): Claim {
  const signature = readSignature(text);
  const { keyId, key } = readPublicKey(publicKey);
  if (!signature.keyId.equals(keyId)) return refuse(`it is by the key ${keyName(signature.keyId)}, expected is ${keyName(keyId)}`);
  const signed = Buffer.concat([signature.ofTarball, Buffer.from(signature.comment)]);
  if (!verify(null, signed, key, signature.ofComment)) return refuse(`the key ${keyName(keyId)} did not sign its trusted comment`);
  return claimOf(signature);
}

/** The same for a claim that is known; returns the name of the key. */
export function checkClaim(text: string, publicKey: string, expected: Claim): string {
  const claim = signedClaim(text, publicKey);
  if (claimText(claim) !== claimText(expected)) return refuse(`it is for "${claimText(claim)}", and this is "${claimText(expected)}"`);
  return keyName(readPublicKey(publicKey).keyId);
}

/** Judges the tarball by its BLAKE2b-512. Throws SIGNATURE_REFUSED. */
export function checkTarball(text: string, publicKey: string, blake2b512: Uint8Array): void {
  const { keyId, key } = readPublicKey(publicKey);
  if (!verify(null, blake2b512, key, readSignature(text).ofTarball)) refuse(`the key ${keyName(keyId)} did not sign these bytes`);
}
