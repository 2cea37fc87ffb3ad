/**
 * Which accounts an administrator closed. /etc/shadow says it of the machine's own, getent of those of a directory that reports it (nss_ldap,
 * winbind; SSSD keeps it to itself). An account that never had a password (`!`, `!!`, `*`) is open: people come by a key. Decision:
 * docs/decisions/0335-closed-accounts.md
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { AccountClosed, AccountClosedSaid } from './list-lines.ts';
import { limits as sharedLimits } from './limits.ts';

const accountsPerQuery = 256;
const dayMs = 24 * 60 * 60_000;

/** Needs root. */
export async function closedAmong(
  names: readonly string[],
  nowMs: number,
  ask: AskShadow = getent,
): Promise<ReadonlyMap<string, AccountClosedSaid>> {
  const closed = new Map<string, AccountClosedSaid>();
  const take = (text: string, wanted: ReadonlySet<string>): void => {
    for (const line of text.split('\n')) {
      const [name = ''] = line.split(':', 1);
      const why = wanted.has(name) ? closedBy(line, nowMs) : null;
      if (why !== null) closed.set(name, why);
    }
  };
  if (names.length === 0) return closed;
  const own = await readFile('/etc/shadow', 'utf8').catch(() => '');
  take(own, new Set(names));
  const known = new Set(own.split('\n').map((line) => line.split(':', 1)[0]));
  const others = names.filter((name) => !known.has(name));
  for (let at = 0; at < others.length; at += accountsPerQuery) {
    const asked = others.slice(at, at + accountsPerQuery);
    const text = await ask(asked);
    if (text !== null) take(text, new Set(asked));
    else for (const name of asked) closed.set(name, 'unknown');
  }
  return closed;
}

/** Lines of shadow(5) of those that a directory tells of; null: it could not be asked. */
export type AskShadow = (names: readonly string[]) => Promise<string | null>;

/** Reads a line of shadow(5); null when the account is open. */
export function closedBy(line: string, nowMs: number): AccountClosed | null {
  const [, password = '', , , , , , expires = ''] = line.split(':');
  // In days; 0 is taken for none by some programs, and by others for the first day.
  if (/^[0-9]+$/.test(expires) && Number(expires) * dayMs <= nowMs) return 'expired';
  return /^!+[^!]/.test(password) ? 'locked' : null;
}

/** 2 says that not all of them exist there; a machine without the program has no directory. */
function getent(names: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      'getent',
      ['shadow', '--', ...names],
      { timeout: sharedLimits.accountObserveMsMax, maxBuffer: 4 * 1_024 * 1_024 },
      (error, stdout) => resolve(error === null || error.code === 2 || error.code === 'ENOENT' ? stdout : null),
    );
  });
}
