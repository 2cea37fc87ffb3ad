/** Reads what a `{ env: NAME }` or `{ file: PATH }` of a document names, at the moment when it is needed. Its value is never logged. */
import path from 'node:path';
import type { SecretReference } from '../../schema/desired/schema.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../schema/plain-file.ts';
import { limits } from '../limits.ts';

/** `dir`: what a relative path starts from, the state folder. Rejects SECRET_UNREADABLE, which names the place only. */
export async function readSecretReference(reference: SecretReference, dir: string, env = process.env): Promise<string> {
  const value = 'env' in reference ? (env[reference.env] ?? '') : await readFile(path.resolve(dir, reference.file), reference.file);
  const secret = value.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  const place = 'env' in reference ? `the variable ${reference.env}` : `the file ${reference.file}`;
  throw new SvcError('SECRET_UNREADABLE', `${place} is ${'env' in reference ? 'not set, or ' : ''}empty`);
}

async function readFile(file: string, named: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readPlainFile(file, limits.secretReferenceBytesMax);
  } catch (error) {
    throw new SvcError('SECRET_UNREADABLE', `the file ${named} can't be read: ${whyUnread(error)}`);
  }
  if (bytes.length > limits.secretReferenceBytesMax)
    throw new SvcError('SECRET_UNREADABLE', `the file ${named} can't be read: it has more than ${limits.secretReferenceBytesMax} bytes`);
  return bytes.toString('utf8');
}
