/**
 * The credential of the portal at a server: its own key (portal-key.ts), or the one that the Server document
 * refers to. A key is read at each connection, so a file may be replaced. Decision: docs/decisions/0063-how-the-portal-signs-in.md
 */
import path from 'node:path';
import type { ServerDocument } from '../../../schema/desired/documents.ts';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../../schema/plain-file.ts';
import { limits } from '../../../schema/limits.ts';
import type { SshCredential } from './connect.ts';
import { keyFile, parsedKey, portalKeys, publicLineOf, readIfThere, unreadable, withoutComment } from './portal-key.ts';

type SshSpec = Extract<ServerDocument['spec'], { readonly ssh: unknown }>['ssh'];

/** Rejects SECRET_UNREADABLE, naming the reference and never its value. `readOnly`: reads only and makes no key (`svc plan`). */
export async function credentialOf(
  key: SshSpec['key'],
  stateDir: string,
  environment: NodeJS.ProcessEnv,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<SshCredential> {
  if (key === undefined) {
    if (readOnly && (await readIfThere(keyFile(stateDir))) === null) throw new SvcError('SSH_REFUSED', 'the portal has no key yet');
    const { current, next } = await portalKeys(stateDir);
    return { kind: 'key', privateKey: current.privateKey, ...(next === null ? {} : { next: next.privateKey }) };
  }
  if ('agent' in key) return { kind: 'agent', socket: variable(key.agent, environment) };
  const place = 'env' in key ? `the variable ${key.env}` : key.file;
  const privateKey = 'env' in key ? Buffer.from(variable(key.env, environment)) : await readKey(path.resolve(stateDir, key.file));
  if (parsedKey(privateKey)?.isPrivateKey() !== true) {
    throw unreadable(`${place} holds no private key that can be used (one with a passphrase needs an agent)`);
  }
  return { kind: 'key', privateKey };
}

function variable(name: string, environment: NodeJS.ProcessEnv): string {
  const value = environment[name];
  if (value === undefined || value === '') throw unreadable(`the variable ${name}, which Server.spec.ssh.key names, is not set`);
  return value;
}

async function readKey(file: string): Promise<Buffer> {
  const named = `${file}, which Server.spec.ssh.key names,`;
  let key: Buffer;
  try {
    key = await readPlainFile(file, limits.accountFileBytesMax);
  } catch (error) {
    throw unreadable(`${named} can't be read: ${whyUnread(error)}`);
  }
  if (key.length > limits.accountFileBytesMax) throw unreadable(`${named} is too large for a key`);
  return key;
}

/** `TYPE KEY` as authorized_keys has it; null for what an agent holds. */
export function publicKeyOf(credential: SshCredential): string | null {
  return credential.kind === 'key' ? withoutComment(publicLineOf(credential.privateKey)) : null;
}

/** Where it is found, for people: a file where there is one. */
export function publicKeyAt(key: SshSpec['key'], stateDir: string): string {
  if (key === undefined) return `${keyFile(stateDir)}.pub`;
  if ('agent' in key) return `a key of the agent at $${key.agent} (ssh-add -L)`;
  return `the public part of ${'env' in key ? `the key in $${key.env}` : path.resolve(stateDir, key.file)} (ssh-keygen -y)`;
}
