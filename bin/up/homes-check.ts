/** The rows of `svc doctor` on the supervisors of people: those that do not start, and those that can't write to their homes. */
import { causeOf } from '../../schema/cause.ts';
import type { SvcError } from '../../schema/errors.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { same } from '../../schema/texts/doctor.ts';
import { namesByReason } from '../../schema/texts/names.ts';

interface Person {
  readonly name: string;
  readonly server: { readonly reachability: { readonly status: string } };
  readonly link: {
    view(): { readonly status: string; readonly error: SvcError | null; readonly supervisor: { readonly disk?: string } | null };
  };
}

export function homesCheck(people: Iterable<Person>): DoctorCheck {
  const troubles = [...people].flatMap(({ name, link }) => {
    const disk = link.view().supervisor?.disk;
    return disk === undefined ? [] : [`${name}: ${disk}`];
  });
  if (troubles.length === 0) {
    const detail = {
      pt: 'todo supervisor que roda pode gravar na pasta da sua pessoa',
      en: 'every supervisor that runs can write to its home',
    };
    return { name: 'homes', ok: true, warning: false, detail, fix: null };
  }
  return {
    name: 'homes',
    ok: false,
    warning: false,
    detail: same(troubles.join('; ')),
    fix: {
      pt: 'libere espaço ali (ou na cota): o que roda continua, nada mais inicia; tudo volta sozinho',
      en: 'free space there (or the quota): apps that run go on, no other starts; everything comes back by itself',
    },
  };
}

/** Checks supervisors on servers that answer; the row `servers` reports the others. `isNeeded`: something is wanted of the supervisor. */
export function supervisorsCheck(people: Iterable<Person>, isNeeded: (person: string) => boolean): DoctorCheck {
  const failed = [...people].flatMap(({ name, server, link }) => {
    const { status, error } = link.view();
    if (status === 'up' || error === null || server.reachability.status !== 'reachable' || !isNeeded(name)) return [];
    return [{ name, reason: causeOf(error).reason ?? ('SupervisorLost' as const) }];
  });
  const [first] = failed;
  if (first === undefined) {
    const detail = { pt: 'todo supervisor de que se precisa roda', en: 'every supervisor that is needed runs' };
    return { name: 'supervisors', ok: true, warning: false, detail, fix: null };
  }
  return {
    name: 'supervisors',
    ok: false,
    warning: false,
    detail: namesByReason(failed),
    fix: {
      pt: `svc why Supervisor/${first.name} diz a causa e o conserto, e assim de cada um`,
      en: `svc why Supervisor/${first.name} says the cause and what mends it, and so of each`,
    },
  };
}
