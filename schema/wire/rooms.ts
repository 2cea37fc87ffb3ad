/**
 * Rooms, people, notices and attachments as the portal's HTTP API says them (rules 2.4, 4.1, 4.3), as http.ts. Times in ms since the epoch.
 *
 * Every `/api/salas…` route takes `?app=<id>`: the bridge always adds it from the window that asks, so that a page reaches its own app's rooms
 * only. Without it the shell itself asks (share dialog), for a room of any app by its id. With a backend's bearer the token says which app it is.
 */
import { limits as bridgeLimits } from '../bridge/limits.ts';
import { endStates } from '../jobs.ts';
import { limits } from '../limits.ts';
import { plainLineSource, plainNameSource } from '../plain-line.ts';
import { canais, noticeKinds, papeis, papeisConcedidos, versionForms } from '../rooms.ts';
import { appId, personId } from './http.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, strings, text } from '../static.ts';

const roomId = { type: 'string', pattern: '^s[0-9A-Za-z]{21}$' } as const;
const groupId = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' } as const;
const sha = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const noticeId = { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' } as const;
const roomName = { type: 'string', minLength: 1, maxLength: limits.roomNameCharsMax, pattern: plainNameSource } as const;
const papel = { type: 'string', enum: papeis } as const;
const papelConcedido = { type: 'string', enum: papeisConcedidos } as const;
const papelOuNada = { type: ['string', 'null'], enum: [...papeis, null] } as const;

/** The app of the window that asks; a backend's credential says it by itself. */
export const roomQuery = closed({ app: appId }, []);
export const roomParams = closed({ id: roomId });
export const roomPersonParams = closed({ id: roomId, usuario: personId });
export const roomGroupParams = closed({ id: roomId, grupo: groupId });
export const attachmentParams = closed({ id: roomId, sha });
/** Number of a version, as the list of versions has it. */
const versionNumber = { type: 'string', pattern: '^[0-9]{1,15}$' } as const;
export const versionParams = closed({ id: roomId, versao: versionNumber });
export const historyQuery = closed({ app: appId, canal: oneOf(canais) }, []);
export const versionQuery = closed({ app: appId, canal: oneOf(canais), formato: oneOf(versionForms) }, []);
export const nameVersionBody = closed({ nome: { ...roomName, type: ['string', 'null'] } });
export const createRoomBody = closed({ nome: roomName, app: appId }, ['nome']);
export const renameRoomBody = closed({ nome: roomName });
export const roleBody = closed({ papel: papelConcedido });
export const ownerBody = closed({ usuario: personId });
export const ticketBody = { ...closed({ app: appId }, []), type: ['object', 'null'] } as const;
export const noticeBody = closed({
  tipo: { type: 'string', enum: noticeKinds },
  para: { type: 'array', items: personId, minItems: 1, maxItems: limits.noticeRecipientsMax },
  ancora: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
});
/** `POST /api/avisos`: a notice of an app to the person who uses it; the shell says which app it is. */
export const appNoticeBody = closed(
  {
    app: appId,
    texto: { type: 'string', minLength: 1, maxLength: bridgeLimits.noticeCharsMax, pattern: plainLineSource },
    rota: { type: 'string', minLength: 1, maxLength: bridgeLimits.routeCharsMax },
  },
  ['app', 'texto'],
);
export type AppNoticeBody = Wire<typeof appNoticeBody>;
export const appNoticeAnswer = closed({ id: text });
export const searchQuery = closed({ busca: { type: 'string', maxLength: limits.searchCharsMax } });
export const noticeParams = closed({ id: noticeId });
/** `POST /api/avisos/lidos`: null for all of them. Answers as `GET /api/avisos`; ids that are not the person's are passed over. */
export const noticesReadBody = closed({
  ids: { type: ['array', 'null'], items: noticeId, maxItems: limits.noticesPerPersonMax },
});

export const roomView = closed({
  id: text,
  nome: text,
  app: text,
  /** `usuario` of the owner. */
  dona: text,
  /** Role of the person who asks. */
  papel,
  criadaEm: count,
  /** Last change of name, people or groups. */
  mudadaEm: count,
});
export type RoomView = Wire<typeof roomView>;
/** `GET /api/salas`, the newest first. A page asks with ?app=<id>; a backend sees its own app's. */
export const roomsAnswer = closed({ salas: list(roomView) });
export type RoomsAnswer = Wire<typeof roomsAnswer>;
export const roomPerson = closed({
  usuario: text,
  nome: text,
  login: text,
  iniciais: text,
  /** The role in force: the better of the one by name and those by group. */
  papel,
  /** Granted by name; null: in only by a group. */
  porNome: papelOuNada,
  porGrupos: strings,
  /** Wanted by a Grant document: the page can't take it away for good. */
  declarada: flag,
});
export type RoomPerson = Wire<typeof roomPerson>;
/** `pessoas`: how many people are in it now. */
export const roomGroup = closed({ grupo: text, papel: papelConcedido, pessoas: count, declarado: flag });
export type RoomGroup = Wire<typeof roomGroup>;
/** `GET /api/salas/:id`; the owner first. */
export const roomAnswer = closed({ sala: roomView, pessoas: list(roomPerson), grupos: list(roomGroup) });
export type RoomAnswer = Wire<typeof roomAnswer>;
/** `POST /api/salas/:id/bilhete`. `bilhete` null: the person is not in the room any longer (rules 7). */
export const ticketAnswer = closed({
  /** Whom it lets in: when another person signed in meanwhile, a page stops here instead of showing one person's text to another. */
  usuario: text,
  bilhete: nullable('string'),
  /** Opaque: `<origin of the portal, as ws><caminho>/documento?bilhete=…` and `…/comentarios`. */
  caminho: text,
  papel: papelOuNada,
  /** Attachments are on. */
  anexos: flag,
});
export type TicketAnswer = Wire<typeof ticketAnswer>;
/** A deleted room of the caller. */
export const binnedRoom = closed({ id: text, nome: text, app: text, apagadaEm: count, /** Then it goes for good. */ ate: count });
export type BinnedRoomView = Wire<typeof binnedRoom>;
export const binAnswer = closed({ salas: list(binnedRoom) });
/** A go of writing by one or more people, and the document as it was then. */
export const roomVersion = closed({
  /** Counts up; bigger is younger. */
  versao: count,
  /** First and last change; null: what was there before versions were kept. */
  de: nullable('integer'),
  ate: nullable('integer'),
  /** Writers, by name; `nome` null: a person who is gone. */
  pessoas: list(closed({ usuario: text, nome: nullable('string') })),
  /** Given by somebody who may write in the room. */
  nome: nullable('string'),
});
export type RoomVersion = Wire<typeof roomVersion>;
/** `GET /api/salas/:id/historico`, the youngest first: it is the document as it is now. */
export const historyAnswer = closed({ versoes: list(roomVersion) });
export type HistoryAnswer = Wire<typeof historyAnswer>;
/** `PUT /api/salas/:id/anexos`. */
export const attachmentAnswer = closed({ sha: text, tamanho: count, tipo: text });
export type AttachmentAnswer = Wire<typeof attachmentAnswer>;
const person = { usuario: text, nome: text, login: text, iniciais: text } as const;
/** `GET /api/pessoas/eu`, with groups; the others without. Never an e-mail. */
export const personAnswer = closed({ ...person, grupos: strings }, ['usuario', 'nome', 'login', 'iniciais']);
export type PersonAnswer = Wire<typeof personAnswer>;
/** `GET /api/pessoas?busca=`. */
export const peopleAnswer = closed({
  pessoas: list(closed(person)),
  grupos: list(closed({ grupo: text, pessoas: count })),
});
export type PeopleAnswer = Wire<typeof peopleAnswer>;
/** A line of the bell, `GET /api/avisos`, the newest first. The text is written by the shell from these (rules 6). */
const noticeView = closed({
  id: text,
  /**
   * `aplicativo`: a notice of an app to its own person, in `texto`; it has no room. `trabalho`: jobs of the app ended, the last one is called
   * `texto`.
   */
  tipo: { type: 'string', enum: ['convite', ...noticeKinds, 'aplicativo', 'trabalho'] },
  app: text,
  appNome: text,
  sala: nullable('string'),
  salaNome: nullable('string'),
  texto: nullable('string'),
  /** Where in the app it leads; of `aplicativo` only. */
  rota: nullable('string'),
  /** For `trabalho` only: the job that ended last, how many ended within ten minutes, and how many of them failed. */
  trabalho: orNull(closed({ id: text, estado: { type: 'string', enum: endStates }, quantos: count, falharam: count })),
  /** The person who caused it. */
  de: closed({ usuario: text, nome: text }),
  /** Only of an invitation. */
  papel: papelOuNada,
  /** Comment id; null for an invitation. */
  ancora: nullable('string'),
  em: count,
  lido: flag,
});
export type NoticeView = Wire<typeof noticeView>;
export const noticesAnswer = closed({ avisos: list(noticeView), naoLidos: count });
export type NoticesAnswer = Wire<typeof noticesAnswer>;
export const noticesSentAnswer = closed({ enviados: strings });
