/**
 * The portal's own ssh key while it is being changed. The new one lies beside the old one and both are offered at every sign-in, so whatever is cut off,
 * a server is reached by the one that it knows. Each server goes through one act (key-change.ts) and has then a mark in the store; when all have it, the new
 * key takes the place of the old one. Decision: docs/decisions/0415-keys-are-changed-beside.md
 */
import { createHash } from 'node:crypto';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import { faultPoint } from '../faults.ts';
import type { Entries, ServerEntry } from '../entries.ts';
import type { Context } from '../context.ts';
import { noKeys, type ServerKeys, type SshKeys } from '../hosts/server/ssh-keys.ts';

/** Which servers take part in a change. */
interface Scope {
  readonly key: string;
  /** Null: all. */
  readonly servers: readonly string[] | null;
}

const scopeName = 'ssh-key-change';
const markName = (server: string): string => `ssh-key/${server}`;

/** SHA256:… of `TYPE KEY`, as `ssh-keygen -l` shows it. */
export const fingerprintOf = (key: string): string =>
  `SHA256:${createHash('sha256')
    .update(Buffer.from(key.split(' ')[1] ?? '', 'base64'))
    .digest('base64')
    .replaceAll('=', '')}`;

/** Whether it is the portal's own key that opens the server. */
export const usesOwnKey = ({ spec }: ServerDocument): boolean => 'ssh' in spec && spec.ssh.key === undefined;

/** Servers that the key opens and that are not given up. */
const keptByKey = ({ servers }: Entries): readonly ServerEntry[] =>
  [...servers.values()].filter(({ placed, lost }) => !lost && usesOwnKey(placed.document));

async function scopeOf({ options: { store } }: Context, next: string): Promise<Scope> {
  const kept = JSON.parse((await store.value(scopeName)) ?? 'null') as Scope | null;
  return kept?.key === next ? kept : { key: next, servers: null };
}

/** Null where the portal signs in with another key than its own. */
export async function keysOf(context: Context, { name, placed }: ServerEntry): Promise<ServerKeys> {
  const { sshKeys, store } = context.options;
  const standing = sshKeys === undefined || !usesOwnKey(placed.document) ? null : await sshKeys.standing();
  if (standing === null) return noKeys;
  const { current, next } = standing;
  if (next === null) return { wanted: null, opening: { key: current, next: null } };
  if ((await store.value(markName(name))) === next) return { wanted: null, opening: { key: next, next: null } };
  const { servers } = await scopeOf(context, next);
  if (servers !== null && !servers.includes(name)) return { wanted: null, opening: { key: current, next: null } };
  return { wanted: next, opening: { key: current, next } };
}

/** The new key was seen to work on all accounts of the server, and the old one to be off. */
export async function markServer(context: Context, server: string, key: string): Promise<void> {
  await context.options.store.putValue(markName(server), key);
  faultPoint('keys/marked');
  await takeWhenDone(context);
}

/** Servers that keep the old key, and whether this change is meant for them. */
export async function serversLeft(
  context: Context,
  next: string,
): Promise<readonly { readonly name: string; readonly isMeant: boolean }[]> {
  const { servers } = await scopeOf(context, next);
  const all = await Promise.all(
    keptByKey(context.entries).map(async ({ name }) => ({
      name,
      isMeant: servers === null || servers.includes(name),
      isDone: (await context.options.store.value(markName(name))) === next,
    })),
  );
  return all.filter(({ isDone }) => !isDone);
}

/** The old key ends once no server needs it. True: it did. */
export async function takeWhenDone(context: Context): Promise<boolean> {
  const { sshKeys, log } = context.options;
  const next = (await sshKeys?.standing())?.next ?? null;
  if (sshKeys === undefined || next === null || (await serversLeft(context, next)).length > 0) return false;
  faultPoint('keys/before-take');
  await sshKeys.take();
  faultPoint('keys/taken');
  log.info({ key: fingerprintOf(next) }, 'every server has the new ssh key: the old one is gone');
  return true;
}

/** Begins a change, or widens the one that is under way; answers the next key. */
export async function beginChange(context: Context, keys: SshKeys, server: string | null): Promise<string> {
  const { store } = context.options;
  const before = (await keys.standing())?.next ?? null;
  if (before !== null) {
    const { servers } = await scopeOf(context, before);
    const wider = server === null || servers === null ? null : [...new Set([...servers, server])];
    await store.putValue(scopeName, JSON.stringify({ key: before, servers: wider } satisfies Scope));
    return before;
  }
  const { privateKey, publicKey } = keys.draw();
  // First: without it a portal that ends in between would go on with all servers.
  await store.putValue(scopeName, JSON.stringify({ key: publicKey, servers: server === null ? null : [server] } satisfies Scope));
  faultPoint('keys/scope-kept');
  const put = await keys.put(privateKey);
  faultPoint('keys/put');
  return put;
}
