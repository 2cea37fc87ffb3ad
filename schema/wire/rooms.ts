/**
 * Rooms, people, notices and attachments as the portal's HTTP API says them (spec 2.4, 4.1, 4.3; design 6). Times in ms since the epoch.
 *
 * Every `/api/salas…` route takes `?app=<id>`: the bridge always adds it from the window that asks, so that a page reaches its own app's rooms
 * only. Without it the shell itself asks (share dialog), for a room of any app by its id. With a backend's bearer the token says which app it is.
 */
import type { Papel, PapelConcedido } from '../rooms.ts';

export interface RoomView {
  readonly id: string;
  readonly nome: string;
  readonly app: string;
  /** `usuario` of the owner. */
  readonly dona: string;
  /** Of the person who asks. */
  readonly papel: Papel;
  readonly criadaEm: number;
  /** Last change of name, people or groups. */
  readonly mudadaEm: number;
}

/** `GET /api/salas`, the newest first. A page asks with ?app=<id>; a backend sees its own app's. */
export interface RoomsAnswer {
  readonly salas: readonly RoomView[];
}

export interface RoomPerson {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly iniciais: string;
  /** The role in force: the better of the one by name and those by group. */
  readonly papel: Papel;
  /** Granted by name; null: in only by a group. */
  readonly porNome: Papel | null;
  readonly porGrupos: readonly string[];
  /** Wanted by a Grant document: the page can't take it away for good. */
  readonly declarada: boolean;
}

export interface RoomGroup {
  readonly grupo: string;
  readonly papel: PapelConcedido;
  /** How many people are in it now. */
  readonly pessoas: number;
  readonly declarado: boolean;
}

/** `GET /api/salas/:id`; the owner first. */
export interface RoomAnswer {
  readonly sala: RoomView;
  readonly pessoas: readonly RoomPerson[];
  readonly grupos: readonly RoomGroup[];
}

/** `POST /api/salas/:id/bilhete`. `bilhete` null: the person is not in the room any longer (spec 7). */
export interface TicketAnswer {
  /** Whom it lets in: a page whose person signed out and somebody else in stops here instead of showing one's text to the other. */
  readonly usuario: string;
  readonly bilhete: string | null;
  /** Opaque: `<origin of the portal, as ws><caminho>/documento?bilhete=…` and `…/comentarios`. */
  readonly caminho: string;
  readonly papel: Papel | null;
  /** Attachments are on. */
  readonly anexos: boolean;
}

/** `PUT /api/salas/:id/anexos`. */
export interface AttachmentAnswer {
  readonly sha: string;
  readonly tamanho: number;
  readonly tipo: string;
}

/** `GET /api/pessoas/eu`, with groups; the others without. Never an e-mail. */
export interface PersonAnswer {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly iniciais: string;
  readonly grupos?: readonly string[];
}

/** `GET /api/pessoas?busca=`. */
export interface PeopleAnswer {
  readonly pessoas: readonly PersonAnswer[];
  readonly grupos: readonly { readonly grupo: string; readonly pessoas: number }[];
}

export const noticeKinds = ['mencao', 'comentario'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** One line of the bell, `GET /api/avisos`, the newest first. The text is written by the shell from these (spec 6). */
export interface NoticeView {
  readonly id: string;
  readonly tipo: 'convite' | NoticeKind;
  readonly app: string;
  readonly appNome: string;
  readonly sala: string;
  readonly salaNome: string;
  /** Who caused it. */
  readonly de: { readonly usuario: string; readonly nome: string };
  /** Only of an invitation. */
  readonly papel: Papel | null;
  /** Comment id; null for an invitation. */
  readonly ancora: string | null;
  readonly em: number;
  readonly lido: boolean;
}

export interface NoticesAnswer {
  readonly avisos: readonly NoticeView[];
  readonly naoLidos: number;
}

/** `POST /api/avisos/lidos`: null for all of them. Answers as `GET /api/avisos`; ids that are not the person's are passed over. */
export interface NoticesReadBody {
  readonly ids: readonly string[] | null;
}
