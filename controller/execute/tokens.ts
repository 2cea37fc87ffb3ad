/**
 * SVC_APP_TOKEN of the living process (rules 2.6, 5). The portal makes 32 random bytes for each start order and then asks the supervisor
 * which token is in force, since a living process keeps the one it was started with. That is one round trip more per start (0.1 ms on a
 * local server). Held in memory only, never in the store, the log or an answer; asked for again after a restart of the portal, and once
 * more when a probe is refused (401, 403).
 */
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import type { BackendEntry, Entries, Token } from '../entries.ts';

let serial = 0;
const asking = new WeakSet<BackendEntry>();

/** Asks the supervisor. The same token object is returned while the token is unchanged. Rejects when the supervisor does not answer. */
export async function askToken(entry: BackendEntry): Promise<Token | null> {
  const { person, app } = entry;
  const process = identityOf(person.link.snapshot(app));
  const { token } = await person.link.ask({ op: 'token', app });
  if (token === null) entry.token = null;
  else if (entry.token?.value === token) entry.token = { ...entry.token, process };
  else {
    serial += 1;
    entry.token = { value: token, serial, process };
  }
  return entry.token;
}

/** Makes sure that the token is that of the process which lives now; asked once per process. Never rejects. */
export async function followToken(entry: BackendEntry): Promise<void> {
  const { person, app } = entry;
  const process = identityOf(person.link.snapshot(app));
  if (process === null || person.link.view().status !== 'up' || entry.token?.process === process) return;
  await rereadToken(entry);
}

/**
 * Takes over the tokens of a controller that this one replaces in the same portal: while a supervisor makes room for the next release it
 * does not answer, and its apps are reached as before.
 */
export function recallLiving(from: Entries, { people }: Entries): void {
  for (const [name, { account, server, link, backends }] of people) {
    const before = from.people.get(name);
    // Whoever is somewhere else now has other apps there.
    if (before === undefined || before.account !== account || before.server.name !== server.name) continue;
    link.recall(before.link.snapshots(), before.link.seenAtMs());
    for (const [app, entry] of backends) entry.token ??= before.backends.get(app)?.token ?? null;
  }
}

/** Asks again although a token is known, because a backend refused it. A single request at a time. Never rejects. */
export async function rereadToken(entry: BackendEntry): Promise<void> {
  if (asking.has(entry)) return;
  asking.add(entry);
  try {
    await askToken(entry);
  } catch {
    // The line went; the next pass asks again.
  } finally {
    asking.delete(entry);
  }
}

function identityOf(snapshot: AppSnapshot | null): string | null {
  const process = snapshot?.process;
  return process ? `${process.bootId} ${process.pid} ${process.startTicks}` : null;
}
