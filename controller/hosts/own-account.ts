/**
 * Whether the apps of a person of a `local` server run as an account of that person. They do when the portal runs as root, an account of
 * that name exists, and its home and this installation can be reached by it. Only root can change what decides this, so an account can't
 * make root run its apps. Decision: docs/decisions/0151-people-of-a-local-server.md
 */
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { lookUpAccounts, type Account } from '../../schema/account-lookup.ts';
import type { Words } from '../../schema/texts/reasons.ts';
import { isAbsent } from './package-folder.ts';

export type OwnAccount =
  /** Its home: where its apps live, that of the account, or the one below the server's prefix. */
  | { readonly kind: 'account'; readonly account: Account }
  /** It was there once, and the portal does not take its place. */
  | { readonly kind: 'gone'; readonly message: string }
  /** The portal's own account runs it. */
  | { readonly kind: 'portal'; readonly why: Words };

/** Folder of the programs that an account has to reach; as deep in the bundle of `svc validate`. */
export const programsDir = path.resolve(import.meta.dirname, '../../bin');

const asPortal = (pt: string, en: string): OwnAccount => ({ kind: 'portal', why: { pt, en } });

const notRoot = asPortal('o portal não roda como root', 'the portal does not run as root');

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** `prefix` as the Server document says it; undefined: every account has its own home. Rejects when the system does not say. */
export async function ownAccounts(names: readonly string[], prefix: string | undefined): Promise<ReadonlyMap<string, OwnAccount>> {
  if (!isRoot() || names.length === 0) return new Map(names.map((name) => [name, notRoot]));
  const known = await lookUpAccounts(names);
  const obstacle = await obstacleOf(prefix);
  const found = new Map<string, OwnAccount>();
  for (const name of names) found.set(name, await judge(name, known.get(name), prefix, obstacle));
  return found;
}

/** Returns the obstacle that keeps every account out; null when there is none. */
async function obstacleOf(prefix: string | undefined): Promise<OwnAccount | null> {
  if (prefix !== undefined && !path.isAbsolute(prefix)) {
    const pt = `o prefixo ${prefix} fica na pasta de estado do portal, onde só ele entra`;
    return asPortal(pt, `the prefix ${prefix} is in the portal's state folder, which other accounts can't enter`);
  }
  const closed = (await closedFolder(programsDir, false)) ?? (prefix === undefined ? null : await closedFolder(`${prefix}/home`, true));
  return closed === null ? null : asPortal(`outras contas não entram em ${closed}`, `other accounts can't enter ${closed}`);
}

async function judge(
  name: string,
  known: Account | undefined,
  prefix: string | undefined,
  obstacle: OwnAccount | null,
): Promise<OwnAccount> {
  const home = prefix === undefined ? known?.home : `${prefix}/home/${name}`;
  const owner = home === undefined ? null : await ownerOf(home, prefix !== undefined);
  if (known === undefined || home === undefined) {
    if (owner === null || owner === 0)
      return asPortal(`não há conta ${name}: adduser ${name} a cria`, `there is no account ${name}: adduser ${name} makes it`);
    const message = `there is no account ${name} now, and its home ${home} belongs to the uid ${owner}: nothing of it runs as root`;
    return { kind: 'gone', message };
  }
  if (known.uid === 0) return asPortal(`a conta ${name} é root`, `the account ${name} is root`);
  if (obstacle !== null) return obstacle;
  const account = { ...known, home };
  // Below a prefix the home is the portal's to make.
  if (owner === known.uid || (prefix !== undefined && (owner === null || (owner === 0 && (await isEmpty(home)))))) {
    return { kind: 'account', account };
  }
  if (owner === null || owner === 0) {
    const pt = `a casa ${home} não é da conta ${name}; pare os aplicativos, e depois: chown -R ${name}: ${home}`;
    return asPortal(pt, `the home ${home} does not belong to the account ${name}; stop the apps, then: chown -R ${name}: ${home}`);
  }
  return { kind: 'gone', message: `the home ${home} of the account ${name} belongs to the uid ${owner}` };
}

/** Uid of a folder; null when there is none. Below a prefix the last name is never a link. */
async function ownerOf(folder: string, isOurs: boolean): Promise<number | null> {
  try {
    const found = await (isOurs ? lstat(folder) : stat(folder));
    return found.isDirectory() ? found.uid : null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0;
}

/** The first folder on the path that others can't pass; `rootOnly`: or that an account other than root can replace. Null: none. */
async function closedFolder(folder: string, rootOnly: boolean): Promise<string | null> {
  const names = path.resolve(folder).split('/').filter(Boolean);
  for (let count = 0; count <= names.length; count += 1) {
    const at = `/${names.slice(0, count).join('/')}`;
    const found = await stat(at).catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    // The portal makes the rest.
    if (found === null) return null;
    if ((found.mode & 0o001) === 0) return at;
    const isOpenToOthers = (found.mode & 0o022) !== 0 && (found.mode & 0o1000) === 0;
    if (rootOnly && (found.uid !== 0 || isOpenToOthers)) return at;
  }
  return null;
}
