/** Which people of `local` servers have an account of their own on this machine (hosts/own-account.ts): the checks of the folder ask it. */
import type { DesiredDocument, PersonDocument } from '../../schema/desired/documents.ts';
import { isRoot, ownAccounts } from '../hosts/own-account.ts';

export interface OwnPeople {
  readonly hasAccount: (person: PersonDocument) => boolean;
  /** False: the system could not be asked, and no account counts as missing. */
  readonly isKnown: boolean;
}

export async function ownPeople(documents: readonly DesiredDocument[]): Promise<OwnPeople> {
  if (!isRoot()) return { hasAccount: () => false, isKnown: true };
  let isKnown = true;
  const own = new Set<string>();
  const accountOf = ({ metadata, spec }: PersonDocument): string => spec.account ?? metadata.name;
  const areAsked = documents.some(({ kind, spec }) => kind === 'Cluster' || 'fila' in spec);
  for (const server of documents) {
    if (server.kind !== 'Server' || !('local' in server.spec)) continue;
    const { name } = server.metadata;
    // No check asks then: everybody has a home of their own, and may read what others have. The system would be asked for thousands at each edit.
    const { prefix, trusted } = server.spec.local;
    if (!areAsked && prefix !== undefined && trusted === true) continue;
    const accounts = documents.flatMap((one) => (one.kind === 'Person' && one.spec.server === name ? [accountOf(one)] : []));
    const known = await ownAccounts([...new Set(accounts)], prefix).catch(() => null);
    isKnown &&= known !== null;
    for (const account of accounts) if (known?.get(account)?.kind !== 'portal') own.add(`${name} ${account}`);
  }
  return { hasAccount: (person) => own.has(`${person.spec.server} ${accountOf(person)}`), isKnown };
}
