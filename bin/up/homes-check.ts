/** The row `homes` of `svc doctor`: people whose supervisor can't write to its home. */
import type { DoctorCheck } from '../../schema/gateway.ts';
import { same } from '../../schema/texts/doctor.ts';

interface Person {
  readonly name: string;
  readonly link: { view(): { readonly supervisor: { readonly disk?: string } | null } };
}

export function homesCheck(people: Iterable<Person>): DoctorCheck {
  const troubles = [...people].flatMap(({ name, link }) => {
    const disk = link.view().supervisor?.disk;
    return disk === undefined ? [] : [`${name}: ${disk}`];
  });
  if (troubles.length === 0) {
    const detail = { pt: 'todo supervisor pode gravar na pasta da sua pessoa', en: 'every supervisor can write to its home' };
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
