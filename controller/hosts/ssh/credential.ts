/**
 * What the portal signs in with at a server: its own key, made at first use and kept for good, or the one that the Server document
 * refers to. A key is read at each connection, so a file may be replaced. Decision: docs/decisions/0063-how-the-portal-signs-in.md
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import ssh2 from 'ssh2';
import type { ServerDocument } from '../../../schema/desired/documents.ts';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../../schema/plain-file.ts';
import { limits } from '../../../schema/limits.ts';
import type { SshCredential } from './connect.ts';

type SshSpec = Extract<ServerDocument['spec'], { readonly ssh: unknown }>['ssh'];

/** Rejects SECRET_UNREADABLE, naming the reference and never its value. `readOnly`: looks only and makes no key (`svc plan`). */
export async function credentialOf(
  key: SshSpec['key'],
  stateDir: string,
  environment: NodeJS.ProcessEnv,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<SshCredential> {
  if (key === undefined) {
    if (readOnly && (await readIfThere(keyFile(stateDir))) === null) throw new SvcError('SSH_REFUSED', 'the portal has no key yet');
    return { kind: 'key', privateKey: (await portalKey(stateDir)).privateKey };
  }
  if ('agent' in key) return { kind: 'agent', socket: variable(key.agent, environment) };
  const place = 'env' in key ? `the variable ${key.env}` : key.file;
  const privateKey = 'env' in key ? Buffer.from(variable(key.env, environment)) : await readKey(path.resolve(stateDir, key.file));
  if (parsedKey(privateKey)?.isPrivateKey() !== true) {
    throw unreadable(`${place} holds no private key that can be used (one with a passphrase needs an agent)`);
  }
  return { kind: 'key', privateKey };
}

function unreadable(message: string): SvcError {
  return new SvcError('SECRET_UNREADABLE', message, {
    fix: {
      pt: 'na máquina do portal, corrija o que a mensagem diz, ou ssh.key no documento Server',
      en: "on the portal's machine, mend what the message names, or ssh.key in the Server document",
    },
  });
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

export interface PortalKey {
  readonly privateKey: Buffer;
  /** The line for authorized_keys. */
  readonly publicLine: string;
}

/** STATE/ssh/id_ed25519, 0600, and its public line in id_ed25519.pub; made by the first process that needs it. */
export async function portalKey(stateDir: string): Promise<PortalKey> {
  const file = keyFile(stateDir);
  for (;;) {
    const privateKey = await readIfThere(file);
    if (privateKey === null) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await putNew(file, newKey(), 0o600);
      continue;
    }
    const publicLine = publicLineOf(privateKey);
    if ((await readIfThere(`${file}.pub`)) === null) await putNew(`${file}.pub`, `${publicLine}\n`, 0o644);
    return { privateKey, publicLine };
  }
}

/** Of 256 that ssh2 makes one can't be read: it drops the zeros at the beginning of its public half. */
export function newKey(make: () => string = () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'svc-portal' }).private): string {
  for (;;) {
    const made = make();
    if (parsedKey(Buffer.from(made)) !== null) return made;
  }
}

const keyFile = (stateDir: string): string => path.join(stateDir, 'ssh/id_ed25519');

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readPlainFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(`the portal's own key, ${file}, can't be read: ${whyUnread(error)}`);
  }
}

/** `TYPE KEY` as authorized_keys has it; null for what an agent holds. */
export function publicKeyOf(credential: SshCredential): string | null {
  return credential.kind === 'key' ? publicLineOf(credential.privateKey).split(' ', 2).join(' ') : null;
}

/** Where it is found, for people: a file where there is one. */
export function publicKeyAt(key: SshSpec['key'], stateDir: string): string {
  if (key === undefined) return `${keyFile(stateDir)}.pub`;
  if ('agent' in key) return `a key of the agent at $${key.agent} (ssh-add -L)`;
  return `the public part of ${'env' in key ? `the key in $${key.env}` : path.resolve(stateDir, key.file)} (ssh-keygen -y)`;
}

function parsedKey(privateKey: Buffer): ssh2.ParsedKey | null {
  const parsed = ssh2.utils.parseKey(privateKey);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return key === undefined || key instanceof Error ? null : key;
}

function publicLineOf(privateKey: Buffer): string {
  const key = parsedKey(privateKey);
  if (key === null) throw unreadable("the portal's own key can't be read: state/ssh/id_ed25519 is damaged");
  return `${key.type} ${key.getPublicSSH().toString('base64')} svc-portal`;
}

/** Written whole and durably, or not at all; a file that another process made meanwhile stays. */
async function putNew(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
