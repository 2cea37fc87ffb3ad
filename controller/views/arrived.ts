/** Somebody signed in at the provider: what their claims say goes into the store, and from there into the documents in force. Decision: docs/decisions/0400-people-of-a-provider.md */
import { isAccountName, personName } from '../../schema/account-name.ts';
import { pause } from '../../schema/clock.ts';
import type { Arrived } from '../../schema/gateway.ts';
import type { LeftOut } from '../../reconcilers/members.ts';
import { ageMs } from '../clock/age.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { arrivalName, readArrival, valuesHeld, type Arrival } from '../observe/arrivals.ts';
import { documentsOf, type Entries, type PeopleEntry } from '../entries.ts';

/** Why the person whom the claims make is not there; null: they are, or the claims make nobody. */
export async function arrived(context: Context, who: Arrived): Promise<string | null> {
  const lists = documentsOf(context.entries, 'People').filter(({ placed }) => placed.document.spec.oidc !== undefined);
  if (lists.length === 0) return null;
  const holding: PeopleEntry[] = [];
  for (const list of lists) if (await write(context, list, who)) holding.push(list);
  const from = documentOf(context, who.login)?.from;
  if (holding.length === 0) {
    const isOut = lists.some(({ key }) => key === from);
    return isOut ? 'the provider does not name them in a group that People documents take' : null;
  }
  if (!isAccountName(who.login)) return 'the login can not be the name of an account';
  return await whenThere(context, holding, who.login);
}

/** Whether the claims put somebody on the document's list. Claims are written once; changes wake the loop. */
async function write(
  { options, entries }: Context,
  { key, name, placed }: PeopleEntry,
  { login, nome, claims }: Arrived,
): Promise<boolean> {
  const { oidc } = placed.document.spec;
  if (oidc === undefined) return false;
  const values = valuesHeld(claims[oidc.claim], oidc);
  const [place, nowMs] = [arrivalName(name, login), options.clock.nowMs()];
  const before = readArrival(await options.store.value(place));
  if (values.length === 0) {
    if (before !== null) await options.store.putValue(place, '');
    if (before !== null) options.bus.enqueue(key, true);
    return false;
  }
  const arrival: Arrival = { login, nome, claim: oidc.claim, values, atMs: nowMs };
  const isSame = before !== null && JSON.stringify({ ...before, atMs: 0 }) === JSON.stringify({ ...arrival, atMs: 0 });
  if (!isSame || ageMs(nowMs, before.atMs) > limits.arrivalWrittenMs) await options.store.putValue(place, JSON.stringify(arrival));
  if (!isSame || !isThere(entries, login)) options.bus.enqueue(key, true);
  return true;
}

/** Portals that do not lead have the person from the store, a moment later. */
async function whenThere(context: Context, lists: readonly PeopleEntry[], login: string): Promise<string | null> {
  const { options, entries, ending } = context;
  const { clock } = options;
  const untilMs = clock.monotonicMs() + limits.arrivalMsMax;
  for (;;) {
    if (isThere(entries, login)) return null;
    const out = lists.map(({ key, leftOut = [] }) => whyLeftOut([...leftOut, ...(entries.inForce.people?.leftOut.get(key) ?? [])], login));
    if (out.every((why) => why !== null)) return out[0] ?? null;
    if (clock.monotonicMs() >= untilMs || ending.aborted) return 'their server could not be asked for the account';
    await pause(clock, limits.arrivalStepMs);
  }
}

function isThere({ people }: Entries, login: string): boolean {
  return [...people.values()].some(({ leaving, placed }) => !leaving && placed.document.spec.login === login);
}

function whyLeftOut(leftOut: readonly LeftOut[], login: string): string | null {
  const found = leftOut.find(({ name }) => name === login || name === personName(login));
  return found === undefined ? null : `${found.name} is no person here: ${found.why}`;
}

function documentOf({ entries }: Context, login: string) {
  return [...entries.inForce.documents.values()].find(({ document }) => document.kind === 'Person' && document.spec.login === login);
}
