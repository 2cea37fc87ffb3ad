/** Checks between Grant documents: one owner of a room, one role for everybody in it. */
import type { ReportDesired, GrantDocument, Placed } from './documents.ts';
import { clip } from '../positions/node.ts';

type Grant = Placed<GrantDocument>;

export function checkGrantRoles(grants: readonly Grant[], report: ReportDesired): void {
  const owners = new Map<string, Grant>();
  const roles = new Map<string, Grant>();
  for (const grant of grants) {
    const { app, sala, dona, pessoas = [], grupos = [] } = grant.document.spec;
    const room = JSON.stringify([app, sala]);
    const first = owners.get(room) ?? grant;
    owners.set(room, first);
    if (first.document.spec.dona !== dona) {
      report(grant, 'GRANT_OWNER', ['spec', 'dona'], `the room "${clip(sala)}" is of "${first.document.spec.dona}" at ${at(first)}`);
    }
    const once = (whom: string, path: readonly (string | number)[]): void => {
      const known = roles.get(`${room} ${whom}`);
      if (known)
        report(grant, 'DUPLICATE_GRANT', path, `"${clip(whom.slice(1))}" already has a role in the room "${clip(sala)}" at ${at(known)}`);
      else roles.set(`${room} ${whom}`, grant);
    };
    for (const [i, { usuario, papel }] of pessoas.entries()) {
      const path = ['spec', 'pessoas', i, 'papel'];
      if (usuario === dona && papel !== 'dona')
        report(grant, 'GRANT_OWNER', path, `"${usuario}" owns the room and has no other role in it`);
      else if (usuario !== dona && papel === 'dona') report(grant, 'GRANT_OWNER', path, `the owner is "${dona}", as "dona" says`);
      once(`@${usuario}`, ['spec', 'pessoas', i, 'usuario']);
    }
    for (const [i, { grupo }] of grupos.entries()) once(`#${grupo}`, ['spec', 'grupos', i, 'grupo']);
  }
}

function at({ place }: Grant): string {
  return `${place.file}:${place.line}`;
}
