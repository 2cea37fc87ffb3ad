/** Opaque 256-bit secrets: made here, handed out once, kept only as sha256. */
import { hash, randomBytes } from 'node:crypto';

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Hex sha256: what the store keeps. Looking a secret up by its hash leaks nothing through timing about the secret itself. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** A short name for a hash, for use in an address; reveals nothing of the hash. */
export function shortHash(of: string): string {
  return hash('sha256', `id ${of}`, 'base64url').slice(0, 22);
}

export function isSecretShape(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
