/**
 * The key of the portal's own in STATE/ssh: `id_ed25519`, made by the first process that needs it, and while it is being changed the new one beside it,
 * `id_ed25519.next`. As long as both are there every sign-in offers both, so a server that knows one of them is reached.
 * Decisions: docs/decisions/0063-how-the-portal-signs-in.md, 0415-keys-are-changed-beside.md
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import ssh2 from 'ssh2';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../../schema/plain-file.ts';
import { syncFolder } from '../../../schema/sync-folder.ts';

export interface PortalKey {
  readonly privateKey: Buffer;
  /** The line for authorized_keys. */
  readonly publicLine: string;
}

export interface PortalKeys {
  readonly current: PortalKey;
  /** Takes the place of the current one once every server knows it; null: no change is under way. */
  readonly next: PortalKey | null;
}

export const keyFile = (stateDir: string): string => path.join(stateDir, 'ssh/id_ed25519');
const nextFile = (stateDir: string): string => `${keyFile(stateDir)}.next`;

/** The current one is made when there is none. */
export async function portalKeys(stateDir: string): Promise<PortalKeys> {
  // In this order: the new one becomes the current one by a rename, and one of the two reads finds it.
  const next = await readIfThere(nextFile(stateDir));
  const current = await portalKey(stateDir);
  const isOther = next !== null && !next.equals(current.privateKey);
  return { current, next: isOther ? { privateKey: next, publicLine: publicLineOf(next) } : null };
}

/** STATE/ssh/id_ed25519, 0600, and its public line in id_ed25519.pub. */
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
    await keepPublicLine(file, publicLine);
    return { privateKey, publicLine };
  }
}

/**
 * Writes the public line beside the key. A file with another key is left from a change that was cut off; somebody's own comment on the line
 * stays.
 */
async function keepPublicLine(file: string, publicLine: string): Promise<void> {
  const there = await readIfThere(`${file}.pub`);
  if (there !== null && String(there).includes(publicLine.split(' ')[1] ?? '')) return;
  if (there !== null) await rm(`${file}.pub`, { force: true });
  await putNew(`${file}.pub`, `${publicLine}\n`, 0o644);
}

/** Makes a key that can be read: ssh2 makes an unreadable one in 256, since it drops the zeros at the beginning of the public half. */
export function newKey(make: () => string = () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'svc-portal' }).private): string {
  for (;;) {
    const made = make();
    if (parsedKey(Buffer.from(made)) !== null) return made;
  }
}

/** From now on both are offered. Answers the one that is there, if another process was first. */
export async function putNextKey(stateDir: string, privateKey: string): Promise<PortalKey> {
  const file = nextFile(stateDir);
  await putNew(file, privateKey, 0o600);
  const kept = (await readIfThere(file)) ?? Buffer.from(privateKey);
  await keepPublicLine(file, publicLineOf(kept));
  return { privateKey: kept, publicLine: publicLineOf(kept) };
}

/** The next one is the current one, and the one before is gone. Nothing to do without a next one. */
export async function takeNextKey(stateDir: string): Promise<void> {
  const file = keyFile(stateDir);
  if ((await readIfThere(nextFile(stateDir))) === null) return;
  await rename(nextFile(stateDir), file);
  await rm(`${nextFile(stateDir)}.pub`, { force: true });
  await portalKey(stateDir);
  await syncFolder(path.dirname(file));
}

/** When the key came to be; null: there is none yet. */
export async function keyMadeAtMs(stateDir: string): Promise<number | null> {
  try {
    return (await stat(keyFile(stateDir))).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(`the portal's own key, ${keyFile(stateDir)}, can't be read: ${whyUnread(error)}`);
  }
}

export function unreadable(message: string): SvcError {
  return new SvcError('SECRET_UNREADABLE', message, {
    fix: {
      pt: 'na máquina do portal, corrija o que a mensagem diz, ou ssh.key no documento Server',
      en: "on the portal's machine, mend what the message names, or ssh.key in the Server document",
    },
  });
}

export async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readPlainFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(`the portal's own key, ${file}, can't be read: ${whyUnread(error)}`);
  }
}

export function parsedKey(privateKey: Buffer): ssh2.ParsedKey | null {
  const parsed = ssh2.utils.parseKey(privateKey);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return key === undefined || key instanceof Error ? null : key;
}

export function publicLineOf(privateKey: Buffer): string {
  const key = parsedKey(privateKey);
  if (key === null) throw unreadable("the portal's own key can't be read: state/ssh/id_ed25519 is damaged");
  return `${key.type} ${key.getPublicSSH().toString('base64')} svc-portal`;
}

/** `TYPE KEY`. */
export const withoutComment = (publicLine: string): string => publicLine.split(' ', 2).join(' ');

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
  await syncFolder(path.dirname(file));
}
