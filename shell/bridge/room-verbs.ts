/**
 * The verbs of rooms and people in the table of the bridge. Limits of what they say are the portal's; here only their shape is checked.
 * Spec 4.3 names most; ours are `salas.renomear`, `apagar`, `tirarAcessoDoGrupo`, `anexar`, `anexo` and `compartilhar`, since renaming,
 * deleting, groups' removal and attachments have routes and no verb there; `salas.bilhete` and `salas.lugar` are the SDK's. Node has the
 * same names with Buffers, Python `dar_acesso` and so on without `entrar` (no WebSocket in its standard library). Refusals carry the
 * portal's `code` and HTTP `status`; the bridge's own codes are in lower case. The shell works 20 s on a verb of rooms, 180 s on an
 * attachment; the page waits 5 to 10 s longer.
 */
import type {
  AttachmentAnswer,
  PeopleAnswer,
  PersonAnswer,
  RoomAnswer,
  RoomsAnswer,
  RoomView,
  TicketAnswer,
} from '../../schema/wire/rooms.ts';
import {
  anchorPattern,
  attachmentPattern,
  noticeKinds,
  papeisConcedidos,
  type NoticeKind,
  type PapelConcedido,
} from '../../schema/rooms.ts';

interface OfRoom {
  readonly sala: string;
}

export interface RoomVerbs {
  'salas.criar': { readonly args: { readonly nome: string }; readonly valor: RoomView };
  'salas.listar': { readonly args: object; readonly valor: RoomsAnswer };
  'salas.ler': { readonly args: OfRoom; readonly valor: RoomAnswer };
  'salas.renomear': { readonly args: OfRoom & { readonly nome: string }; readonly valor: null };
  'salas.apagar': { readonly args: OfRoom; readonly valor: null };
  'salas.darAcesso': { readonly args: OfRoom & { readonly usuario: string; readonly papel: PapelConcedido }; readonly valor: null };
  'salas.darAcessoAoGrupo': { readonly args: OfRoom & { readonly grupo: string; readonly papel: PapelConcedido }; readonly valor: null };
  'salas.tirarAcesso': { readonly args: OfRoom & { readonly usuario: string }; readonly valor: null };
  'salas.tirarAcessoDoGrupo': { readonly args: OfRoom & { readonly grupo: string }; readonly valor: null };
  'salas.avisar': {
    readonly args: OfRoom & { readonly tipo: NoticeKind; readonly para: readonly string[]; readonly ancora: string };
    readonly valor: null;
  };
  /** Opens the share dialog of the desktop for a room of this app. */
  'salas.compartilhar': { readonly args: OfRoom; readonly valor: null };
  'salas.anexar': { readonly args: OfRoom & { readonly blob: Blob }; readonly valor: AttachmentAnswer };
  'salas.anexo': { readonly args: OfRoom & { readonly sha: string }; readonly valor: Blob };
  /** Of the SDK: a ticket for one attempt. */
  'salas.bilhete': { readonly args: OfRoom; readonly valor: TicketAnswer };
  /** Of the SDK: which person uses which app, and the address of the WebSocket. Answered without the portal, so that it works offline. */
  'salas.lugar': {
    readonly args: object;
    readonly valor: {
      readonly app: string;
      readonly usuario: string;
      readonly nome: string;
      readonly iniciais: string;
      readonly portal: string;
    };
  };
  'pessoas.eu': { readonly args: object; readonly valor: PersonAnswer };
  'pessoas.buscar': { readonly args: { readonly texto: string }; readonly valor: PeopleAnswer };
}

type Args = Readonly<Record<string, unknown>>;

const text = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= charsMax;
const ofRoom = (args: Args): boolean => text(args['sala'], 64);
const person = (args: Args): boolean => text(args['usuario'], 128);
const group = (args: Args): boolean => text(args['grupo'], 128);
const granted: ReadonlySet<unknown> = new Set(papeisConcedidos);
const kinds: ReadonlySet<unknown> = new Set(noticeKinds);
const matches = (pattern: RegExp, value: unknown): boolean => typeof value === 'string' && pattern.test(value);
const none = (): boolean => true;

/** One check per verb; `args` is known to be an object. */
export const roomVerbArguments: { readonly [V in keyof RoomVerbs]: (args: Args) => boolean } = {
  'salas.criar': (args) => text(args['nome'], 1_000),
  'salas.listar': none,
  'salas.ler': ofRoom,
  'salas.renomear': (args) => ofRoom(args) && text(args['nome'], 1_000),
  'salas.apagar': ofRoom,
  'salas.darAcesso': (args) => ofRoom(args) && person(args) && granted.has(args['papel']),
  'salas.darAcessoAoGrupo': (args) => ofRoom(args) && group(args) && granted.has(args['papel']),
  'salas.tirarAcesso': (args) => ofRoom(args) && person(args),
  'salas.tirarAcessoDoGrupo': (args) => ofRoom(args) && group(args),
  'salas.avisar': ({ para, tipo, ancora, ...args }) =>
    ofRoom(args) &&
    kinds.has(tipo) &&
    matches(anchorPattern, ancora) &&
    Array.isArray(para) &&
    para.length > 0 &&
    para.length <= 1_000 &&
    para.every((each) => text(each, 128)),
  'salas.compartilhar': ofRoom,
  'salas.anexar': (args) => ofRoom(args) && args['blob'] instanceof Blob,
  'salas.anexo': (args) => ofRoom(args) && matches(attachmentPattern, args['sha']),
  'salas.bilhete': ofRoom,
  'salas.lugar': none,
  'pessoas.eu': none,
  'pessoas.buscar': (args) => typeof args['texto'] === 'string' && args['texto'].length <= 200,
};
