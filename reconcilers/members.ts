/**
 * Finds the accounts of a server that are people of a People document: members of the group with an account that people use. A missing account does
 * not mean that its person left: directories forget people for a moment. Decision: docs/decisions/0398-people-of-the-system.md
 */
import { isAccountName, personName } from '../schema/account-name.ts';
import { isGroupName } from '../schema/desired/group.ts';
import { isObjectName } from '../schema/desired/schema.ts';
import { asPlainLine } from '../schema/plain-line.ts';
import { limits } from './limits.ts';

export interface SeenAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** As the account has it: the full name, and more behind a comma. */
  readonly gecos: string;
  readonly shell: string;
  /** Names of all its groups, the primary one first. */
  readonly groups: readonly string[];
}

export interface SeenAccounts {
  /** Null: none was asked for. */
  readonly group: { readonly gid: number; readonly members: readonly string[] } | null;
  /** Accounts below are the system's. */
  readonly uidMin: number;
  /** The accounts that the server found, out of those that were listed or asked for. */
  readonly accounts: readonly SeenAccount[];
  /** The server asks a directory (LDAP, SSSD) for accounts, and none of the accounts is from there: it may be away. */
  readonly directoryIsSilent: boolean;
}

export interface Member {
  /** Name of the Person. */
  readonly name: string;
  /** Their login, too. */
  readonly account: string;
  readonly nome: string;
  readonly groups: readonly string[];
}

export interface LeftOut {
  readonly name: string;
  readonly why: string;
}

export interface Members {
  readonly members: readonly Member[];
  /** Accounts of people who stay as they are: nothing was seen of them. */
  readonly unseen: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** Returns the members of the group. `known`: accounts that are people of the document now. */
export function membersOfGroup(seen: SeenAccounts, known: ReadonlySet<string>): Members {
  const { group, accounts, directoryIsSilent } = seen;
  const listed = new Set(group?.members);
  const found = new Set(accounts.map(({ name }) => name));
  const inGroup = accounts.filter(({ name, gid }) => listed.has(name) || gid === group?.gid);
  const missing = [...listed].filter((name) => !found.has(name));
  const silent = directoryIsSilent ? [...known].filter((name) => !found.has(name) && !listed.has(name)) : [];
  return judged(seen, inGroup, missing, silent, known);
}

/** Returns the members that are named one by one, out of the accounts that exist. */
export function membersByName(seen: SeenAccounts, asked: readonly string[], known: ReadonlySet<string>): Members {
  const names = new Set(asked);
  const found = new Set(seen.accounts.map(({ name }) => name));
  return judged(
    seen,
    seen.accounts.filter(({ name }) => names.has(name)),
    asked.filter((name) => !found.has(name)),
    [],
    known,
  );
}

function judged(
  { uidMin }: SeenAccounts,
  accounts: readonly SeenAccount[],
  missing: readonly string[],
  silent: readonly string[],
  known: ReadonlySet<string>,
): Members {
  const members: Member[] = [];
  const leftOut: LeftOut[] = [];
  for (const account of accounts) {
    const why = refusalOf(account, uidMin);
    if (why === null) members.push(memberOf(account));
    else leftOut.push({ name: account.name, why });
  }
  for (const name of missing) if (!known.has(name)) leftOut.push({ name, why: 'the server has no such account' });
  return { members, unseen: [...missing.filter((name) => known.has(name)), ...silent], leftOut };
}

/** Why nobody is to sign in as the account; null: somebody may. */
export function refusalOf({ name, uid, shell }: SeenAccount, uidMin: number): string | null {
  if (uid === 0 || name === 'root') return 'it is root';
  if (uid < uidMin) return `a system account (uid ${uid}, people begin with ${uidMin})`;
  if (/(?:^|\/)(?:nologin|false)$/.test(shell)) return `its shell lets nobody in (${asPlainLine(shell)})`;
  if (!isAccountName(name) || !isObjectName(personName(name)))
    return 'its name can not be that of a person: letters, digits, ".", "_" and "-" before any "@"';
  return null;
}

function memberOf({ name, gecos, groups }: SeenAccount): Member {
  // The group that many systems make for one account alone says nothing.
  const own = groups.filter((group, at) => !(at === 0 && group === name) && isGroupName(group));
  return { name: personName(name), account: name, nome: fullName(gecos, name), groups: [...new Set(own)].sort() };
}

/** Source: passwd(5): the first of the fields between commas; `&` stands for the name of the account with a capital letter. */
function fullName(gecos: string, name: string): string {
  const first = gecos.replace(/,.*$/s, '');
  const capital = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return cutName(first.replaceAll('&', capital)) || name;
}

/** As `Person.spec.nome` takes it; '' when nothing of it is left. */
export function cutName(text: string): string {
  return asPlainLine(asPlainLine(text).slice(0, limits.personNameCharsMax));
}
