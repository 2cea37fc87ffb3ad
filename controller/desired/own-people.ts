/** Which people of `local` servers have an account of their own on this machine (hosts/own-account.ts): the checks of the folder ask it. */
import type { DesiredDocument, PersonDocument } from '../../schema/desired/documents.ts';
import { isRoot, ownAccounts } from '../hosts/own-account.ts';

/** While the system can't be asked, no account counts as missing. */
export async function ownPeople(documents: readonly DesiredDocument[]): Promise<(person: PersonDocument) => boolean> {
  if (!isRoot()) return () => false;
  const own = new Set<string>();
  const accountOf = ({ metadata, spec }: PersonDocument): string => spec.account ?? metadata.name;
  for (const server of documents) {
    if (server.kind !== 'Server' || !('local' in server.spec)) continue;
    const { name } = server.metadata;
    const accounts = documents.flatMap((one) => (one.kind === 'Person' && one.spec.server === name ? [accountOf(one)] : []));
    const known = await ownAccounts([...new Set(accounts)], server.spec.local.prefix).catch(() => null);
    for (const account of accounts) if (known?.get(account)?.kind !== 'portal') own.add(`${name} ${account}`);
  }
  return (person) => own.has(`${person.spec.server} ${accountOf(person)}`);
}
