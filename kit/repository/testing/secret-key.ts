/** A secret key as `minisign -G -W` makes it, for tests. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';

export function writeSecretKey(file: string, mode = 0o600): void {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const head = Buffer.concat([Buffer.from('Ed\0\0B2'), Buffer.alloc(48)]);
  const bytes = Buffer.concat([head, randomBytes(8), Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url'), Buffer.alloc(32)]);
  writeFileSync(file, `untrusted comment: a key of a test\n${bytes.toString('base64')}\n`, { mode });
}
