/**
 * Which accounts an administrator closed. /etc/shadow says it of the machine's own, getent of those of a directory that reports it (nss_ldap,
 * winbind; SSSD keeps it to itself). An account that never had a password (`!`, `!!`, `*`) is open: people come by a key. Decision:
 * docs/decisions/0335-closed-accounts.md
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { AccountClosed } from './list-lines.ts';
import { limits as sharedLimits } from './limits.ts';

const accountsPerQuery = 256;
const dayMs = 24 * 60 * 60_000;

/** Needs root; what can't be read says nothing. */
export async function closedAmong(names: readonly string[], nowMs: number): Promise<ReadonlyMap<string, AccountClosed>> {
  if (names.length === 0) return new Map();
  const own = await readFile('/etc/shadow', 'utf8').catch(() => '');
  const known = new Set(own.split('\n').map((line) => line.split(':', 1)[0]));
  const others = names.filter((name) => !known.has(name));
  const texts = [own];
  for (let at = 0; at < others.length; at += accountsPerQuery) texts.push(await getent(others.slice(at, at + accountsPerQuery)));
  const wanted = new Set(names);
  return new Map(
    texts
      .flatMap((text) => text.split('\n'))
      .flatMap((line): [string, AccountClosed][] => {
        const [name = ''] = line.split(':', 1);
        const why = wanted.has(name) ? closedBy(line, nowMs) : null;
        return why === null ? [] : [[name, why]];
      }),
  );
}

/** Reads a line of shadow(5); null when the account is open. */
export function closedBy(line: string, nowMs: number): AccountClosed | null {
  const [, password = '', , , , , , expires = ''] = line.split(':');
  // In days; 0 is taken for none by some programs, and by others for the first day.
  if (/^[0-9]+$/.test(expires) && Number(expires) * dayMs <= nowMs) return 'expired';
  return /^!+[^!]/.test(password) ? 'locked' : null;
}

/** 2 says that not all of them exist there. */
function getent(names: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      'getent',
      ['shadow', '--', ...names],
      { timeout: sharedLimits.accountObserveMsMax, maxBuffer: 4 * 1_024 * 1_024 },
      (_error, stdout) => resolve(stdout),
    );
  });
}
