/** Reads what a `{ env: NAME }` or `{ file: PATH }` of a document names, at the moment when it is needed. Its value is never logged. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { SecretReference } from '../../schema/desired/schema.ts';
import { SvcError } from '../../schema/errors.ts';
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
  try {
    // A pipe would be waited for.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > limits.secretReferenceBytesMax) throw new Error('no file of a secret');
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SvcError('SECRET_UNREADABLE', `the file ${named} can't be read: ${code ?? message}`);
  }
}
