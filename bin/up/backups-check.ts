/** The row `backup` of `svc doctor`: how old the newest snapshot is, when all of one was read, and why the last try failed. */
import type { BackupStanding } from '../../schema/backups.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { span } from '../output.ts';

export function backupsCheck(standing: BackupStanding | null, nowMs: number): DoctorCheck {
  const row = { name: 'backup', ok: true, warning: false, fix: null };
  if (standing === null)
    return {
      ...row,
      detail: {
        pt: 'Portal.spec.backup não pede nenhum; svc backup faz um à mão',
        en: 'Portal.spec.backup asks for none; svc backup makes one by hand',
      },
    };
  const { to, everyMs, madeMs, checkedMs, left, error, failures } = standing;
  const age = madeMs === null ? null : span(Math.max(0, nowMs - madeMs));
  const read = checkedMs === null ? null : span(Math.max(0, nowMs - checkedMs));
  const detail = {
    pt: `${age === null ? 'nenhum ainda' : `o mais novo tem ${age}`} em ${to}${read === null ? '' : `; relido por inteiro há ${read}`}`,
    en: `${age === null ? 'none yet' : `the newest is ${age} old`} in ${to}${read === null ? '' : `; all of it was read ${read} ago`}`,
  };
  if (error !== null)
    return {
      ...row,
      ok: false,
      detail: {
        pt: `${detail.pt}; ${failures} tentativa(s) falharam: ${error}`,
        en: `${detail.en}; ${failures} ${failures === 1 ? 'try' : 'tries'} failed: ${error}`,
      },
      fix: {
        pt: `svc backup ${to} mostra a falha; como serviço, a pasta precisa de ReadWritePaths= (systemctl edit svc)`,
        en: `svc backup ${to} shows the failure; as a service the folder needs ReadWritePaths= (systemctl edit svc)`,
      },
    };
  if (left.length > 0)
    return {
      ...row,
      ok: false,
      warning: true,
      detail: { pt: `${detail.pt}; não está nele: ${left.join('; ')}`, en: `${detail.en}; not in it: ${left.join('; ')}` },
      fix: { pt: 'guarde isso de outro modo, ou deixe o portal ler', en: 'keep that in another way, or let the portal read it' },
    };
  const isLate = madeMs !== null && nowMs - madeMs > 2 * everyMs;
  if (!isLate) return { ...row, detail };
  return {
    ...row,
    ok: false,
    detail,
    fix: { pt: 'svc logs do portal diz por quê: nenhum foi tentado', en: 'the log of the portal says why: none was tried' },
  };
}
