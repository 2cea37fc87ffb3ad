/** The row `drain` of `svc doctor`: servers that are taken out of use, so that nobody forgets one. */
import type { ServerEntry } from '../../controller/entries.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';

export function drainCheck(servers: Iterable<Pick<ServerEntry, 'name' | 'drain'>>): DoctorCheck {
  const drained = [...servers].flatMap(({ name, drain }) => (drain === null ? [] : [name]));
  const row = { name: 'drain', ok: drained.length === 0, warning: drained.length > 0 } as const;
  if (drained.length === 0)
    return { ...row, detail: { pt: 'nenhum servidor está saindo de uso', en: 'no server is taken out of use' }, fix: null };
  const names = drained.join(', ');
  return {
    ...row,
    detail: { pt: `nada é iniciado em: ${names}`, en: `nothing is started on: ${names}` },
    fix: {
      pt: 'svc get Server/NOME diz o que ainda está em execução; svc server drain NOME --undo põe o servidor em uso de novo',
      en: 'svc get Server/NAME says what still runs; svc server drain NAME --undo takes the server into use again',
    },
  };
}
