/** The sentence of a notice, written here and not by its sender (spec 6), and where its Open leads. */
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { NoticeView } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';

export function noticeText({ tipo, papel, de, salaNome }: Pick<NoticeView, 'tipo' | 'papel' | 'de' | 'salaNome'>): string {
  const key =
    tipo !== 'convite'
      ? (`notice.${tipo}` as const)
      : papel === null || papel === 'dona'
        ? 'notice.convite'
        : (`notice.convite.${papel}` as const);
  return text(key, { pessoa: de.nome, sala: salaNome });
}

/** Source: spec 6, "invitation and notice". */
export function noticeRoute({ sala, ancora }: Pick<NoticeView, 'sala' | 'ancora'>): string {
  return `?${new URLSearchParams({ sala, ...(ancora === null ? {} : { comentario: ancora }) }).toString()}`;
}

/** Whether a notice is shown beside the bell, which keeps all of them. */
export function isNoticeShown(chosen: Preferences | null, { tipo }: Pick<NoticeView, 'tipo'>): boolean {
  const which = chosen?.notificacoes ?? 'todas';
  return which === 'todas' || (which === 'mencoes' && tipo === 'mencao');
}
