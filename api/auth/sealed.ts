/**
 * Sealed texts, which a portal hands out and reads again without storing anything: JSON, sealed with a key of the store (AES-256-GCM), so that any
 * portal of the store reads it and nobody else does. Decision: docs/decisions/0300-sealed-tickets.md
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-rings.ts';
import { limits } from './limits.ts';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** base64url; another one each time. `purpose` parts what is sealed for different uses with the same key. */
export function seal(ring: KeyRing, purpose: string, value: object): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, ring.current(), iv).setAAD(Buffer.from(purpose));
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, text, cipher.getAuthTag()]).toString('base64url');
}

/** Null: nobody sealed it with a key of the ring, for this purpose. */
export function unseal(ring: KeyRing, purpose: string, sealed: string): unknown {
  // Longer ones are not ours, and each has one spelling.
  if (sealed.length > limits.sealedCharsMax || !/^[A-Za-z0-9_-]+$/.test(sealed)) return null;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.toString('base64url') !== sealed || bytes.length <= ivBytes + tagBytes) return null;
  for (const key of ring.all()) {
    const text = opened(key, purpose, bytes);
    if (text !== null) return JSON.parse(text) as unknown;
  }
  return null;
}

function opened(key: Buffer, purpose: string, bytes: Buffer): string | null {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
