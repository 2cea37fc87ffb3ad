/** Lists the people of a People document: by the accounts of its server, and for a claim by those who came by the provider. */
import type { PeopleDocument, PersonDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import { membersByName, membersOfGroup, type Members } from '../../reconcilers/members.ts';
import { accountNameOf, type PeopleList } from '../desired/derived.ts';
import type { PlacedDocument } from '../desired/placed-document.ts';
import type { Host } from '../hosts/host.ts';
import type { Context } from '../context.ts';
import { observeAccounts } from './accounts.ts';
import type { PeopleLook } from '../desired/people-look.ts';
import { arrivalsOf, withClaims, type Arrival } from './arrivals.ts';

/**
 * `placed`: the document, in force or about to be. `before`: the last observation for the very same document, which is answered when
 * nothing is new.
 */
export async function lookAtPeople(context: Context, placed: PlacedDocument, host: Host, before: PeopleLook | null): Promise<PeopleLook> {
  const { options, ending } = context;
  const { metadata, spec } = placed.document as PeopleDocument;
  const { group = null, oidc } = spec;
  const known = peopleOf(context, keys.people(metadata.name));
  const arrivals = oidc === undefined ? [] : await arrivalsOf(options.store, metadata.name, oidc, options.clock.nowMs());
  const asked = oidc === undefined ? known : arrivals.map(({ login }) => login);
  const came = JSON.stringify(arrivals);
  const last = before?.of?.arrivals === came ? { said: before.of.said, made: before } : null;
  const answer = await observeAccounts(host, { group, known: asked }, last, ending).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    return { kind: 'unreadable', message: error.message } as const;
  });
  if (answer.kind === 'same') return answer.made;
  if (answer.kind !== 'seen') return { seen: answer, leftOut: [], list: null, of: null };
  const isKnown = new Set(known);
  const members = oidc === undefined ? membersOfGroup(answer.seen, isKnown) : membersByName(answer.seen, asked, isKnown);
  const list = { of: placed.digest, ...byProvider(members, arrivals) };
  return { seen: { kind: 'seen' }, leftOut: members.leftOut, list, of: { said: answer.said, arrivals: came } };
}

/** Name and groups of who came by the provider are what the provider says. */
function byProvider({ members, unseen }: Members, arrivals: readonly Arrival[]): Pick<PeopleList, 'members' | 'unseen'> {
  const arrived = new Map(arrivals.map((each) => [each.login, each]));
  return { members: members.map((member) => withClaims(member, arrived.get(member.account))), unseen };
}

/** Accounts of the people who are in force by the document. */
function peopleOf({ source }: Context, key: string): readonly string[] {
  const documents = [...source.current().documents.values()].filter(({ from }) => from === key);
  return documents.map(({ document }) => accountNameOf(document as PersonDocument));
}
