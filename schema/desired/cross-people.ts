/** Checks between People documents, `Portal.spec.admins` and the rest of the folder. Decisions: docs/decisions/0398-people-of-the-system.md, 0399 */
import { clip } from '../positions/node.ts';
import { didYouMean } from '../shape.ts';
import { type Folder, type Index, type MayExist, ofKind, reference } from './cross-folder.ts';
import type { Placed, ReportDesired } from './documents.ts';

/** Whom a group holds is known on its server only: where there are such documents any name may be one of these people, and any group one of theirs. */
export function withMembers(known: readonly Placed[], mayExist: MayExist): MayExist {
  if (!known.some(({ document }) => document.kind === 'People')) return mayExist;
  return (what, name) => what === 'Person' || what === 'group' || mayExist(what, name);
}

export function checkPeopleLists(folder: Folder, index: Index, report: ReportDesired): void {
  for (const people of ofKind(folder.judged, 'People')) {
    const { server, group, oidc } = people.document.spec;
    if ((group === undefined) === (oidc === undefined))
      report(people, 'ONE_OF', ['spec'], 'expected either "group" or "oidc": who the people are');
    if (reference(folder, index.servers, 'Server', server, people, ['spec', 'server'], report) && isLocal(index, server)) {
      const message = `"${clip(server)}" is a local server, whose apps run as the account of the portal: people of a group need an ssh server, which may be this machine (ssh: { host: 127.0.0.1 })`;
      report(people, 'PEOPLE_WITHOUT_ACCOUNTS', ['spec', 'server'], message);
    }
    const [portal] = ofKind(folder.known, 'Portal');
    if (oidc !== undefined && portal !== undefined && portal.document.spec.signIn?.oidc === undefined)
      report(people, 'HAS_NO_EFFECT', ['spec', 'oidc'], 'nobody signs in by a provider: the Portal document has no signIn.oidc');
  }
}

function isLocal({ servers }: Index, name: string): boolean {
  const spec = servers.get(name)?.spec;
  return spec !== undefined && 'local' in spec;
}

export function checkAdmins(folder: Folder, index: Index, report: ReportDesired): void {
  for (const portal of ofKind(folder.judged, 'Portal')) {
    const { people = [], groups = [] } = portal.document.spec.admins ?? {};
    for (const [at, name] of people.entries())
      reference(folder, index.people, 'Person', name, portal, ['spec', 'admins', 'people', at], report);
    for (const [at, group] of groups.entries()) {
      if (index.groups.has(group) || folder.mayExist('group', group)) continue;
      const message = `no person is in the group "${group}"${didYouMean(group, [...index.groups])}`;
      report(portal, 'UNKNOWN_GROUP', ['spec', 'admins', 'groups', at], message);
    }
  }
}
