/**
 * The verbs of rooms and people. Spec 4.3 names most; ours are `salas.renomear`, `apagar`, `tirarAcessoDoGrupo`, `anexar`, `anexo`,
 * `compartilhar` and those of the history, since renaming, deleting, groups' removal, attachments and versions have routes and no verb there. Node has
 * the same names with Buffers, Python `dar_acesso` and so on without `entrar` (no WebSocket in its standard library). Refusals carry the portal's `code`
 * and HTTP `status`.
 */
import type {
  AttachmentAnswer,
  HistoryAnswer,
  PeopleAnswer,
  PersonAnswer,
  RoomAnswer,
  RoomsAnswer,
  RoomView,
  TicketAnswer,
} from '../wire/rooms.ts';
import {
  anchorPattern,
  attachmentPattern,
  noticeKinds,
  papeisConcedidos,
  versionForms,
  type NoticeKind,
  type PapelConcedido,
  type VersionForm,
} from '../rooms.ts';
import { blob, listOf, matching, oneOf, orNull, text, whole } from './check.ts';
import { limits } from './limits.ts';
import { asked, askedOrNull, askedOrOwn, inner, inPage } from './verb.ts';

interface OfRoom {
  readonly sala: string;
}

interface OfVersion extends OfRoom {
  readonly versao: number;
}

const sala = text(64);
const nome = text(1_000);
const usuario = text(128);
const grupo = text(128);
const papel = oneOf(papeisConcedidos, 'SvcPapelConcedido');
const deadlineMs = limits.portalVerbAnswerMs;
const attachment = limits.attachmentVerbAnswerMs;

export const roomVerbs = {
  /** A new room of this app, owned by the person. */
  'salas.criar': asked<{ readonly nome: string }, RoomView>('SvcSala', { args: { nome }, deadlineMs }),
  /** A connection to a room, at once; what follows is in its `estado`. Outside the shell: a document to write in, in state `fora`. */
  'salas.entrar': inPage('<D, P = undefined>(sala: string, opcoes: SvcEntrada<D, P>)', 'SvcConexao<D, P>', 'own'),
  /** The rooms of this app that the person is in, with the role in each. */
  'salas.listar': askedOrOwn<object, RoomsAnswer>('{ readonly salas: readonly SvcSala[] }', { deadlineMs }),
  /** A room with who is in it, the owner first. */
  'salas.ler': asked<OfRoom, RoomAnswer>('SvcSalaLida', { args: { sala }, deadlineMs }),
  'salas.renomear': asked<OfRoom & { readonly nome: string }, null>('null', { args: { sala, nome }, deadlineMs }),
  'salas.apagar': asked<OfRoom, null>('null', { args: { sala }, deadlineMs }),
  /** Grants or changes a role, and invites. */
  'salas.darAcesso': asked<OfRoom & { readonly usuario: string; readonly papel: PapelConcedido }, null>('null', {
    args: { sala, usuario, papel },
    deadlineMs,
  }),
  /** The same for each person of a group. */
  'salas.darAcessoAoGrupo': asked<OfRoom & { readonly grupo: string; readonly papel: PapelConcedido }, null>('null', {
    args: { sala, grupo, papel },
    deadlineMs,
  }),
  /** The owner removes anyone; anyone removes themselves. */
  'salas.tirarAcesso': asked<OfRoom & { readonly usuario: string }, null>('null', { args: { sala, usuario }, deadlineMs }),
  'salas.tirarAcessoDoGrupo': asked<OfRoom & { readonly grupo: string }, null>('null', { args: { sala, grupo }, deadlineMs }),
  /** Rings the bell of people in the room. `ancora`: the comment id; the same one never notifies the same person twice. */
  'salas.avisar': asked<OfRoom & { readonly tipo: NoticeKind; readonly para: readonly string[]; readonly ancora: string }, null>('null', {
    args: { sala, tipo: oneOf(noticeKinds), para: listOf(usuario, 1_000), ancora: matching(anchorPattern) },
    deadlineMs,
  }),
  /** Opens the share dialog of the desktop for a room of this app. */
  'salas.compartilhar': asked<OfRoom, null>('null', { args: { sala }, deadlineMs }),
  /** Keeps bytes with the room; the document holds only the `sha`. */
  'salas.anexar': asked<OfRoom & { readonly blob: Blob }, AttachmentAnswer>('SvcAnexo', {
    args: { sala, blob },
    takes: '(sala: string, bytes: SvcBytes, tipo?: string)',
    deadlineMs: attachment,
  }),
  'salas.anexo': asked<OfRoom & { readonly sha: string }, Blob>('Blob', {
    args: { sala, sha: matching(attachmentPattern) },
    deadlineMs: attachment,
  }),
  /** Versions of the document, the youngest first, which is the document as it is now. As the other verbs of the history for `editar` and the owner. */
  'salas.historico': asked<OfRoom, HistoryAnswer>('SvcHistorico', { args: { sala }, deadlineMs }),
  /** The document as it was in a version: a Yjs update, its values, or its text. */
  'salas.versao': asked<OfVersion & { readonly formato: VersionForm }, Blob>('Blob', {
    args: { sala, versao: whole, formato: oneOf(versionForms, 'SvcFormatoDaVersao') },
    deadlineMs: attachment,
  }),
  /** As a new edit: everybody in the room sees it, and what was written since stays in the history. */
  'salas.trazerDeVolta': asked<OfVersion, null>('null', { args: { sala, versao: whole }, deadlineMs }),
  /** Null takes the name away. A version with a name is not merged with others. */
  'salas.nomearVersao': asked<OfVersion & { readonly nome: string | null }, null>('null', {
    args: { sala, versao: whole, nome: orNull(nome) },
    deadlineMs,
  }),
  /** Opens the history dialog of the desktop for a room of this app. */
  'salas.mostrarHistorico': asked<OfRoom, null>('null', { args: { sala }, deadlineMs }),
  /** Calls back when rooms changed; returns the function that cancels. */
  'salas.ao': inPage("(evento: 'mudaram', callback: () => void)", '() => void', 'same'),
  /** A ticket for one attempt. */
  'salas.bilhete': inner<OfRoom, TicketAnswer>({ args: { sala }, deadlineMs }),
  /** Which person uses which app, and the address of the WebSocket. Answered without the portal, so that it works offline. */
  'salas.lugar': inner<
    object,
    { readonly app: string; readonly usuario: string; readonly nome: string; readonly iniciais: string; readonly portal: string }
  >(),
  /** The person who uses the app. */
  'pessoas.eu': askedOrNull<object, PersonAnswer | null>('(SvcPessoa & { readonly grupos: readonly string[] }) | null', { deadlineMs }),
  'pessoas.buscar': askedOrOwn<{ readonly texto: string }, PeopleAnswer>('SvcBusca', { args: { texto: text(200, 0) }, deadlineMs }),
  /** The person's colour, the same everywhere. */
  'pessoas.corDe': inPage('(usuario: string)', 'string', 'same'),
};
