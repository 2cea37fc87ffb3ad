/** Names of accounts and their numbers, by getent. */
import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';

export interface AccountIds {
  readonly uid: number;
  readonly gid: number;
}

/** The number itself where the account has no name. */
export const accountName = (uid: number): string => ownName(uid) ?? fieldsOf(`${uid}`)?.[0] ?? `${uid}`;

/** Name of the account that this process runs as; asks no program. */
function ownName(uid: number): string | null {
  try {
    return uid === process.getuid?.() ? userInfo().username : null;
  } catch {
    // It has no name.
    return null;
  }
}

/** Null: there is no such account. */
export function accountIds(name: string): AccountIds | null {
  const fields = fieldsOf(name);
  return fields === null ? null : { uid: Number(fields[2]), gid: Number(fields[3]) };
}

function fieldsOf(account: string): readonly string[] | null {
  try {
    return execFileSync('getent', ['passwd', account], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .trim()
      .split(':');
  } catch {
    return null;
  }
}
