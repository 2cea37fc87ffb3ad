/** The row `keys` of `svc doctor`: how old the portal's ssh key is, and how its change stands. */
import { someNames } from '../../schema/texts/names.ts';
import type { DoctorCheck, SshKeyView } from '../../schema/gateway.ts';

const dayMs = 24 * 60 * 60_000;

export function keysCheck(key: SshKeyView | null, nowMs: number): DoctorCheck {
  const row = { name: 'keys', ok: true, warning: false, fix: null };
  if (key === null) return { ...row, detail: { pt: 'nenhuma chave ssh própria', en: 'no ssh key of its own' } };
  const days = Math.max(0, Math.floor((nowMs - key.madeAtMs) / dayMs));
  const age = { pt: `${key.fingerprint} existe há ${days} dia(s)`, en: `${key.fingerprint} is ${days} day(s) old` };
  if (key.next === null) return { ...row, detail: age };
  const { fingerprint, left } = key.next;
  const names = someNames(left.map(({ name }) => name));
  const others = left.some(({ isMeant }) => !isMeant);
  return {
    ...row,
    ok: false,
    warning: true,
    detail: {
      pt: `${age.pt}; está sendo trocada por ${fingerprint}, que estes servidores ainda não têm: ${names.pt}`,
      en: `${age.en}; it is being changed to ${fingerprint}, which these servers do not have yet: ${names.en}`,
    },
    fix: others
      ? { pt: 'svc keys rotate troca também neles', en: 'svc keys rotate changes it on them, too' }
      : {
          pt: 'o portal tenta de novo sozinho; svc why Server/NOME diz o que falta; um que não volta: svc server forget NOME',
          en: 'the portal tries again by itself; svc why Server/NAME says what is missing; one that never comes back: svc server forget NAME',
        },
  };
}
