/** A process of the portal that is root becomes an account. Decision: docs/decisions/0151-people-of-a-local-server.md */
import { lstatSync } from 'node:fs';
import type { Account } from '../../schema/account-lookup.ts';

/** Functions that the types of Node leave out, or leave open because of Windows. */
interface Identity {
  initgroups(account: string, gid: number): void;
  setgid(gid: number): void;
  setuid(uid: number): void;
}

/**
 * For good. Every module is loaded by now: nothing is read as the account that the account could have put there. There is no exec after it, so
 * other processes of the account can neither trace this one nor use what it has open.
 */
export function become({ name, uid, gid }: Account): void {
  if (uid === 0) throw new Error('a door does not act as root');
  const system = process as unknown as Identity;
  system.initgroups(name, gid);
  system.setgid(gid);
  system.setuid(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getgid?.() !== gid) throw new Error(`could not become ${name}`);
  // The files of a process that may be traced belong to its account.
  if (lstatSync('/proc/self/mem').uid !== 0) throw new Error('fs.suid_dumpable is 1: the account could speak in the name of this process');
}
