/**
 * Two portals that order one machine take each other's keys away (kit/server/accounts.sh), a minute after the other put them back. Each sees that what it
 * had put in order is not any more.
 */
import { limits } from '../limits.ts';
import type { ServerFacts } from '../hosts/server/facts.ts';
import type { KeysInOrder, Rival } from '../hosts/server/kit-state.ts';

export interface SeenKeys {
  readonly facts: Pick<ServerFacts, 'key' | 'accounts' | 'sshdReads'>;
  /** Key of this portal, as `TYPE KEY`. */
  readonly publicKey: string;
  readonly nowMs: number;
}

export function keysSeen(before: KeysInOrder | null, { facts, publicKey, nowMs }: SeenKeys): KeysInOrder | null {
  const last = before?.rival ?? null;
  const kept = last !== null && nowMs - last.atMs < limits.rivalKeptMs ? last : null;
  const taken = before === null ? null : takenAway(before, facts, publicKey);
  const rival = taken === null ? kept : { ...taken, times: (kept?.times ?? 0) + 1, atMs: nowMs };
  const open = facts.key === publicKey ? facts.accounts.filter(({ key }) => key).map(({ name }) => name) : [];
  if (open.length > 0) return { key: publicKey, accounts: new Set(open), rival };
  return before && { ...before, rival };
}

/** A rival is reported for a while after it was seen: the keys are put back and taken away by turns. */
const mend = `end one of the two, or take the server out of the folder of one; it is told for ${limits.rivalKeptMs / 60_000} minutes after it was seen last`;

function takenAway(before: KeysInOrder, facts: SeenKeys['facts'], publicKey: string): Pick<Rival, 'message' | 'isCertain'> | null {
  // A key that the portal itself replaced is not another portal's.
  if (facts.key !== '' && facts.key !== publicKey && facts.key !== before.key)
    return { message: `another portal orders this server: its key is in place of the one of this portal; ${mend}`, isCertain: true };
  if (facts.key !== publicKey || !facts.sshdReads) return null;
  const gone = facts.accounts.filter(({ name, found, key }) => found && !key && before.accounts.has(name)).map(({ name }) => name);
  if (gone.length === 0) return null;
  const who = 'by a portal with the same key, or for a second Server document of this machine';
  return { message: `the key of this portal is taken from ${gone.join(', ')} again and again, ${who}; ${mend}`, isCertain: false };
}

/** Message about the rival; null: none. Deleting the key of an account once is no sign of a portal. */
export function rivalMessage(keys: KeysInOrder | null): string | null {
  const rival = keys?.rival ?? null;
  return rival !== null && (rival.isCertain || rival.times > 1) ? rival.message : null;
}
