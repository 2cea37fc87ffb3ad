/**
 * Person documents that People documents make: what a group of a server, or a claim of a provider, says of who is a person here. From here on they
 * are documents as any other. Written ones win, by name and by account. Decision: docs/decisions/0398-people-of-the-system.md
 */
import type { PersonDocument, PeopleDocument } from '../../schema/desired/documents.ts';
import { digestOf } from '../../schema/desired/load.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../../schema/limits.ts';
import type { LeftOut, Member } from '../../reconcilers/members.ts';
import { holdPeople } from '../../reconcilers/prune.ts';
import type { PlacedDocument } from './placed-document.ts';

/** The people of a People document, as they were listed last. */
export interface PeopleList {
  /** Digest of the document that it was read for: to another one it says nothing. */
  readonly of: string;
  readonly members: readonly Member[];
  /** Accounts whose people stay as they are. */
  readonly unseen: readonly string[];
}

/** By key of the People document. A list that is missing, or of another digest, is unknown: its people stay as they are. */
export type PeopleLists = ReadonlyMap<string, PeopleList>;

/** The lists as they were taken last. */
export function createPeopleLists() {
  let lists: PeopleLists = new Map();
  return {
    all: (): PeopleLists => lists,
    /** `apply` puts them in force. Answers what it does; false without it for a list that says the same. */
    take: async (key: string, list: PeopleList, apply: () => Promise<boolean>): Promise<boolean> => {
      if (isSameList(lists.get(key), list)) return false;
      lists = new Map(lists).set(key, list);
      return await apply().catch((error: unknown) => {
        // The next observation finds another list, and takes it.
        lists = new Map([...lists].filter(([each]) => each !== key));
        throw error;
      });
    },
  };
}

/** Most observations find what the one before did: for ten thousand people that is a millisecond. */
function isSameList(one: PeopleList | undefined, { of, members, unseen }: PeopleList): boolean {
  if (one?.of !== of || one.members.length !== members.length || one.unseen.join('\n') !== unseen.join('\n')) return false;
  return members.every((member, at) => {
    const { name, account, nome, groups } = one.members[at] ?? member;
    return name === member.name && account === member.account && nome === member.nome && groups.join('\n') === member.groups.join('\n');
  });
}

type Documents = ReadonlyMap<string, PlacedDocument>;

export interface Derived {
  readonly documents: Documents;
  /** By key of the People document: whom it could have made, and why it did not. */
  readonly leftOut: ReadonlyMap<string, readonly LeftOut[]>;
  /** By key of the People document: why people who are gone from its list stay. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Their keys. */
  readonly held: readonly string[];
}

/** `written`: the documents without derived ones. `before`: all that was in force, and what leaves. */
export function derivePeople(written: Documents, before: Documents, leaving: Documents, lists: PeopleLists, prune: boolean): Derived {
  const documents = new Map<string, PlacedDocument>();
  const leftOut = new Map<string, LeftOut[]>();
  const taken = takenBy(written);
  const add = (list: string, placed: PlacedDocument): void => {
    const document = placed.document as PersonDocument;
    const why = documents.size < limits.documentsMax ? taken.why(document) : `a portal has at most ${limits.documentsMax} people by groups`;
    if (why === null) {
      taken.take(document, list);
      documents.set(keys.person(document.metadata.name), placed);
    } else leftOut.set(list, [...(leftOut.get(list) ?? []), { name: document.metadata.name, why }]);
  };
  for (const [list, placed] of peopleDocuments(written)) {
    const known = lists.get(list);
    const own = [...before.values()].filter(({ from }) => from === list);
    if (known?.of !== placed.digest) {
      for (const person of own) add(list, person);
      continue;
    }
    for (const member of known.members) add(list, personOf(list, placed, member, before, leaving));
    const unseen = new Set(known.unseen);
    for (const person of own) if (unseen.has(accountNameOf(person.document as PersonDocument))) add(list, person);
  }
  return { ...guarded(written, before, documents, prune), leftOut };
}

function peopleDocuments(written: Documents): readonly (readonly [string, PlacedDocument])[] {
  return [...written].filter(([, { document }]) => document.kind === 'People').sort(([a], [b]) => (a < b ? -1 : 1));
}

/** An unchanged document stays the same object. */
function personOf(list: string, placed: PlacedDocument, member: Member, before: Documents, leaving: Documents): PlacedDocument {
  const { server } = (placed.document as PeopleDocument).spec;
  const { name, account, nome, groups } = member;
  const key = keys.person(name);
  const known = before.get(key) ?? leaving.get(key);
  if (known?.from === list && isSame(known.document as PersonDocument, server, member)) return known;
  const document: PersonDocument = {
    apiVersion: 'svc/v1',
    kind: 'Person',
    metadata: { name },
    spec: { nome, login: account, server, ...(account !== name && { account }), ...(groups.length > 0 && { grupos: groups }) },
  };
  const digest = digestOf(document);
  const generation = known === undefined ? 1 : known.digest === digest ? known.generation : known.generation + 1;
  return { document, place: placed.place, digest, generation, from: list };
}

function isSame({ spec }: PersonDocument, server: string, { account, nome, groups }: Member): boolean {
  return spec.server === server && spec.login === account && spec.nome === nome && (spec.grupos ?? []).join('\n') === groups.join('\n');
}

/** Names, logins and accounts that somebody has already. */
function takenBy(written: Documents) {
  const names = new Map<string, string>();
  const logins = new Map<string, string>();
  const accounts = new Map<string, string>();
  const take = (document: PersonDocument, by: string): void => {
    const { metadata, spec } = document;
    names.set(metadata.name, by);
    logins.set(spec.login, by);
    accounts.set(accountOf(document), by);
  };
  for (const [key, { document }] of written) if (document.kind === 'Person') take(document, key);
  const why = (document: PersonDocument): string | null => {
    const { metadata, spec } = document;
    const byName = names.get(metadata.name) ?? accounts.get(accountOf(document));
    if (byName !== undefined) return `${byName} says who that is`;
    const byLogin = logins.get(spec.login);
    return byLogin === undefined ? null : `the login ${spec.login} is taken by ${byLogin}`;
  };
  return { take, why };
}

/** Removes the people who are gone from their list, unless they are too many at once. */
function guarded(written: Documents, before: Documents, derived: Map<string, PlacedDocument>, prune: boolean): Omit<Derived, 'leftOut'> {
  const lists = new Map<string, { count: number; readonly gone: (readonly [string, PlacedDocument])[] }>();
  const accounts = new Set([...written.values()].flatMap(({ document }) => (document.kind === 'Person' ? [accountOf(document)] : [])));
  for (const [key, placed] of before) {
    if (placed.from === undefined) continue;
    const list = lists.get(placed.from) ?? { count: 0, gone: [] };
    lists.set(placed.from, list);
    // Whoever has a document of their own now is not gone.
    if (written.has(key) || accounts.has(accountOf(placed.document as PersonDocument))) continue;
    list.count += 1;
    if (!derived.has(key)) list.gone.push([key, placed]);
  }
  const waiting = new Map<string, string>();
  const held: string[] = [];
  for (const [list, { count, gone }] of prune ? [] : lists) {
    const document = written.get(list)?.document;
    const why = holdPeople(list, count, gone.length, document?.kind === 'People' && document.spec.oidc !== undefined);
    if (why === null) continue;
    waiting.set(list, why);
    for (const [key, placed] of gone) {
      derived.set(key, placed);
      held.push(key);
    }
  }
  return { documents: derived, waiting, held };
}

const accountOf = (document: PersonDocument): string => `${document.spec.server} ${accountNameOf(document)}`;

export const accountNameOf = ({ metadata, spec }: PersonDocument): string => spec.account ?? metadata.name;
