/**
 * Publishing tokens of a repository folder: `.svc/tokens.json` (0600) holds the sha256 of each, never a token. A token is printed
 * once, when it is made. Decision: docs/decisions/0055-repository-on-disk.md
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { repositoryPaths } from '../../kit/repository/layout/paths.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import { isSecretShape, newSecret, secretHash } from '../auth/secrets.ts';

interface Token {
  readonly hash: string;
  /** Ids of apps and names of engines that it publishes; null: all. */
  readonly only: readonly string[] | null;
  readonly createdAt: string;
}

const prefix = 'svcp_';

const fileOf = (root: string): string => path.join(root, repositoryPaths.tokens);

/** Makes a token and returns it: it can't be read again. One at a time: the caller holds the lock of the repository. */
export async function createToken(root: string, only: readonly string[] | null, nowMs: number): Promise<string> {
  const secret = newSecret();
  const tokens = await readTokens(root);
  const folder = path.dirname(fileOf(root));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const temporary = `${fileOf(root)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  const next: Token = { hash: secretHash(secret), only, createdAt: new Date(nowMs).toISOString() };
  try {
    await handle.writeFile(`${JSON.stringify({ tokens: [...tokens, next] }, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, fileOf(root));
  return prefix + secret;
}

/**
 * Rejects UNAUTHENTICATED without a known token, FORBIDDEN when it is not valid for `name` or when publishing is off. The file is read each
 * time: a token that was removed from it is refused at once.
 */
export async function admitPublisher(root: string, authorization: string | undefined, name: string): Promise<void> {
  const tokens = await readTokens(root);
  if (tokens.length === 0) throw new SvcError('FORBIDDEN', 'publishing is off here: svc repository DIR --new-token makes a token');
  const secret = /^Bearer +svcp_([A-Za-z0-9_-]+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  const offered = Buffer.from(isSecretShape(secret) ? secretHash(secret) : '0'.repeat(64), 'hex');
  const token = isSecretShape(secret) ? tokens.find(({ hash }) => timingSafeEqual(Buffer.from(hash, 'hex'), offered)) : undefined;
  if (!token) throw new SvcError('UNAUTHENTICATED', 'publishing needs a token: Authorization: Bearer svcp_…');
  if (token.only !== null && !token.only.includes(name)) {
    throw new SvcError('FORBIDDEN', `this token publishes ${token.only.join(', ')} and not ${name}`);
  }
}

async function readTokens(root: string): Promise<readonly Token[]> {
  let text: string;
  try {
    text = String(await readPlainFile(fileOf(root)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const tokens = tokensIn(text);
  if (tokens === null) throw new SvcError('REPOSITORY_INVALID', '.svc/tokens.json does not have the expected shape');
  return tokens;
}

/** Null when the line is not in our format; its content is never repeated. */
function tokensIn(text: string): readonly Token[] | null {
  try {
    const { tokens } = JSON.parse(text) as { readonly tokens?: unknown };
    return Array.isArray(tokens) && tokens.every((each) => isToken(each)) ? tokens : null;
  } catch {
    return null;
  }
}

function isToken(value: unknown): value is Token {
  const { hash, only } = (value ?? {}) as Partial<Token>;
  const names = only === null || (Array.isArray(only) && only.every((each) => typeof each === 'string'));
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) && names;
}
