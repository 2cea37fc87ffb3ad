/** Signs a tarball with a secret key of minisign (`minisign -G -W`). Decision: docs/decisions/0435-signed-versions.md */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { SvcError } from '../../../schema/errors.ts';
import { openPlainFile } from '../../../schema/plain-file.ts';
import { hashFile } from '../../install/tree.ts';
import { type Claim, claimText, keyName } from '../layout/signature.ts';

export interface SigningKey {
  readonly keyId: Buffer;
  readonly key: KeyObject;
  /** The line for `chave`. */
  readonly publicKey: string;
}

const keyFileBytesMax = 4_096;

/** Rejects BAD_REQUEST for a file that others may read, that has a password, or that is no key. */
export async function readSigningKey(file: string): Promise<SigningKey> {
  const refuse = (why: string): never => {
    throw new SvcError('BAD_REQUEST', `--key ${file}: ${why}`);
  };
  const { handle, stats } = await openPlainFile(file);
  try {
    if ((stats.mode & 0o077) !== 0) return refuse(`others may read it (mode ${(stats.mode & 0o777).toString(8)}): chmod 600 ${file}`);
    if (stats.size > keyFileBytesMax) return refuse('it is too large for a key');
    const [, line = ''] = (await handle.readFile('latin1')).split('\n');
    const bytes = Buffer.from(line.trim(), 'base64');
    if (bytes.length !== 158 || bytes.toString('latin1', 0, 2) !== 'Ed')
      return refuse('expected a secret key of minisign; minisign -G -W makes one');
    if (bytes[2] !== 0 || bytes[3] !== 0)
      return refuse('it has a password; minisign -C -W takes it away, or minisign -G -W makes another key');
    const [keyId, seed, point] = [bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126)];
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: seed.toString('base64url'), x: point.toString('base64url') };
    const publicKey = Buffer.concat([Buffer.from('Ed'), keyId, point]).toString('base64');
    return { keyId, key: createPrivateKey({ key: jwk, format: 'jwk' }), publicKey };
  } finally {
    await handle.close();
  }
}

/** The text of its `.minisig`. */
export async function signTarball(file: string, claim: Claim, { keyId, key }: SigningKey): Promise<string> {
  const ofTarball = sign(null, Buffer.from(await hashFile(file, 'blake2b512'), 'hex'), key);
  const comment = claimText(claim);
  const ofComment = sign(null, Buffer.concat([ofTarball, Buffer.from(comment)]), key);
  const first = Buffer.concat([Buffer.from('ED'), keyId, ofTarball]).toString('base64');
  return `untrusted comment: signature by the key ${keyName(keyId)}\n${first}\ntrusted comment: ${comment}\n${ofComment.toString('base64')}\n`;
}
