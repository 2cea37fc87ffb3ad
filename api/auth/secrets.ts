/** Opaque 256-bit secrets: made here, handed out once, kept only as sha256. */
import { hash, randomBytes } from 'node:crypto';
import type { Store } from '../../store/store.ts';

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

/** A key of the portal's own, made at first use and kept in the store, so that what it signed is good after a restart. */
export function storedKey(store: Pick<Store, 'value' | 'keepValue'>, name: string): () => Promise<Buffer> {
  let key: Promise<Buffer> | null = null;
  const read = async (): Promise<Buffer> => {
    const kept = (await store.value(name)) ?? (await store.keepValue(name, randomBytes(32).toString('base64url')));
    return Buffer.from(kept, 'base64url');
  };
  return () => {
    key ??= read().catch((error: unknown) => {
      key = null;
      throw error;
    });
    return key;
  };
}
