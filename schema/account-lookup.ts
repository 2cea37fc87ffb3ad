/** Accounts as the system knows them: those of /etc/passwd and of a directory service (SSSD, winbind, LDAP). */
import { execFile } from 'node:child_process';
import { SvcError } from './errors.ts';
import { limits } from './limits.ts';

export interface Account {
  /** As it was asked for. */
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** 63 characters at most each: far from what a command line holds. */
const accountsPerQuery = 1_024;

/** By name. One that does not exist is left out. Rejects SERVER_UNREACHABLE when the system does not say. */
export async function lookUpAccounts(names: readonly string[]): Promise<ReadonlyMap<string, Account>> {
  const found = new Map<string, Account>();
  for (let at = 0; at < names.length; at += accountsPerQuery) {
    const asked = new Set(names.slice(at, at + accountsPerQuery));
    const told = await getent([...asked]);
    // A directory may report an account under its own spelling (`ana` for `Ana` or `ana@dom`). The answers come in the order of the
    // question: when none is missing, each is known by its place.
    if (told.length === asked.size) {
      for (const [place, name] of [...asked].entries()) found.set(name, { ...(told[place] as Account), name });
      continue;
    }
    for (const one of told) if (asked.has(one.name)) found.set(one.name, one);
    if (told.every(({ name }) => found.has(name))) continue;
    // Which one it is shows alone.
    for (const name of asked) {
      if (found.has(name)) continue;
      const [one] = await getent([name]);
      if (one !== undefined) found.set(name, { ...one, name });
    }
  }
  return found;
}

/** 2 says that not all of them exist. */
function getent(names: readonly string[]): Promise<readonly Account[]> {
  return new Promise((resolve, reject) => {
    const options = { timeout: limits.accountObserveMsMax, maxBuffer: 4 * 1_024 * 1_024 };
    execFile('getent', ['passwd', '--', ...names], options, (error, stdout) => {
      if (error === null || error.code === 2) resolve(stdout.split('\n').flatMap(accountOf));
      else reject(new SvcError('SERVER_UNREACHABLE', `getent passwd failed: ${error.message.split('\n')[0]}`));
    });
  });
}

/** Parses a line of passwd(5); [] when it describes no account. */
function accountOf(line: string): readonly Account[] {
  const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
  const isOne = name !== '' && home.startsWith('/') && /^\d+$/.test(uid) && /^\d+$/.test(gid);
  return isOne ? [{ name, uid: Number(uid), gid: Number(gid), home }] : [];
}
