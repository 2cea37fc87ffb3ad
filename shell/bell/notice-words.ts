/** The sentence of a notice, written here and not by its sender (rules 6), and where its Open leads. */
import type { ConsentView } from '../../schema/wire/capabilities.ts';
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { NoticeView } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';

type Facts = Pick<NoticeView, 'tipo' | 'papel' | 'de' | 'salaNome' | 'appNome' | 'texto' | 'trabalho'>;

/** Text of a notice. An app's notice to its own person has the app's own words, behind its name. */
export function noticeText({ tipo, papel, de, salaNome, appNome, texto, trabalho }: Facts): string {
  if (tipo === 'trabalho') return jobText(appNome, texto ?? '', trabalho);
  if (tipo === 'aplicativo') return text('notice.aplicativo', { app: appNome, texto: texto ?? '' });
  const key = tipo !== 'convite' ? (`notice.${tipo}` as const) : papel === null ? 'notice.convite' : (`notice.convite.${papel}` as const);
  return text(key, { pessoa: de.nome, sala: salaNome ?? '' });
}

/** A single job by its name and end; several by their number and how many failed. */
function jobText(app: string, nome: string, trabalho: NoticeView['trabalho']): string {
  if (trabalho !== null && trabalho.quantos > 1) {
    const { quantos: n, falharam } = trabalho;
    return falharam === 0 ? text('notice.trabalhos', { app, n }) : text('notice.trabalhos.falharam', { app, n, falharam });
  }
  const estado = trabalho?.estado ?? 'terminado';
  return nome.trim() === '' ? text(`notice.trabalho.${estado}`, { app }) : text(`notice.trabalho.${estado}.nome`, { app, nome });
}

/** The sentence for a consent that a backend asked for. */
export const pendingText = ({ de, deNome, para, paraNome, capacidade, rotulo }: ConsentView): string =>
  text('bell.pending', { de: deNome ?? de, para: paraNome ?? para, oque: rotulo ?? capacidade });

/** Source: rules 6, "invitation and notice". */
export function noticeRoute({ sala, ancora, rota }: Pick<NoticeView, 'sala' | 'ancora' | 'rota'>): string {
  if (sala === null) return rota ?? '';
  return `?${new URLSearchParams({ sala, ...(ancora === null ? {} : { comentario: ancora }) }).toString()}`;
}

/** Whether a notice is shown beside the bell, which keeps all of them. */
export function isNoticeShown(chosen: Preferences | null, { tipo }: Pick<NoticeView, 'tipo'>): boolean {
  const which = chosen?.notificacoes ?? 'todas';
  return which === 'todas' || (which === 'mencoes' && tipo === 'mencao');
}
