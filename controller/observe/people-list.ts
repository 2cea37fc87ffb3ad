/** Who the people of a People document are: by the accounts of its server, and for a claim by those who came by the provider. */
import type { PersonDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
import { membersByName, membersOfGroup, type Members } from '../../reconcilers/members.ts';
import { accountNameOf, type PeopleList } from '../desired/derived.ts';
import type { Host } from '../hosts/host.ts';
import type { Context } from '../loop/context.ts';
import type { PeopleEntry } from '../entries.ts';
import { observeAccounts } from './accounts.ts';
import { arrivalsOf, withClaims, type Arrival } from './arrivals.ts';

/** Null when nothing can be said: the entry has why. */
export async function lookAtPeople(context: Context, entry: PeopleEntry, host: Host): Promise<PeopleList | null> {
  const { options, entries, source, ending } = context;
  const placed = source.current().documents.get(entry.key);
  // Another folder is in force since.
  if (placed === undefined || placed.document !== entry.placed.document) return null;
  const { group = null, oidc } = entry.placed.document.spec;
  const known = peopleOf(context, entry);
  const arrivals = oidc === undefined ? [] : await arrivalsOf(options.store, entry.name, oidc, options.clock.nowMs());
  const asked = oidc === undefined ? known : arrivals.map(({ login }) => login);
  const answer = await observeAccounts(host, group, asked, ending).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    return { kind: 'unreadable', message: error.message } as const;
  });
  if (entries.lists.get(entry.name) !== entry) return null;
  entry.seen = answer.kind === 'seen' ? { kind: 'seen' } : answer;
  if (answer.kind !== 'seen') return null;
  const isKnown = new Set(known);
  const members = oidc === undefined ? membersOfGroup(answer.seen, isKnown) : membersByName(answer.seen, asked, isKnown);
  entry.leftOut = members.leftOut;
  return { of: placed.digest, ...byProvider(members, arrivals) };
}

/** Name and groups of who came by the provider are what the provider says. */
function byProvider({ members, unseen }: Members, arrivals: readonly Arrival[]): Pick<PeopleList, 'members' | 'unseen'> {
  const arrived = new Map(arrivals.map((each) => [each.login, each]));
  return { members: members.map((member) => withClaims(member, arrived.get(member.account))), unseen };
}

/** Accounts of the people who are in force by the document. */
function peopleOf({ source }: Context, { key }: PeopleEntry): readonly string[] {
  const documents = [...source.current().documents.values()].filter(({ from }) => from === key);
  return documents.map(({ document }) => accountNameOf(document as PersonDocument));
}
