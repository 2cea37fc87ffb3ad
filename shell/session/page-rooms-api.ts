/** Rooms as the page of an app reaches them: always with the app of its window, so that the portal answers for that app's rooms only. */
import type { NoticeKind, PapelConcedido } from '../../schema/rooms.ts';
import type {
  AttachmentAnswer,
  PeopleAnswer,
  PersonAnswer,
  RoomAnswer,
  RoomsAnswer,
  RoomView,
  TicketAnswer,
} from '../../schema/wire/rooms.ts';
import { arriving, json, request } from './api.ts';

const base = '/api/salas';

export interface PageRooms {
  create(nome: string): Promise<RoomView>;
  list(): Promise<RoomsAnswer>;
  read(sala: string): Promise<RoomAnswer>;
  rename(sala: string, nome: string): Promise<void>;
  remove(sala: string): Promise<void>;
  grant(sala: string, whom: 'pessoas' | 'grupos', name: string, papel: PapelConcedido): Promise<void>;
  revoke(sala: string, whom: 'pessoas' | 'grupos', name: string): Promise<void>;
  notify(sala: string, notice: { readonly tipo: NoticeKind; readonly para: readonly string[]; readonly ancora: string }): Promise<void>;
  ticket(sala: string): Promise<TicketAnswer>;
  attach(sala: string, blob: Blob): Promise<AttachmentAnswer>;
  attachment(sala: string, sha: string): Promise<Blob>;
}

export function pageRooms(app: string, signal: AbortSignal): PageRooms {
  const call = async (method: string, parts: readonly string[], body?: unknown): Promise<Response> => {
    const path = [base, ...parts.map(encodeURIComponent)].join('/');
    return await request(method, `${path}?app=${encodeURIComponent(app)}`, body, signal);
  };
  return {
    create: async (nome) => json(await call('POST', [], { nome })),
    list: async () => json(await call('GET', [])),
    read: async (sala) => json(await call('GET', [sala])),
    rename: async (sala, nome) => void (await call('PATCH', [sala], { nome })),
    remove: async (sala) => void (await call('DELETE', [sala])),
    grant: async (sala, whom, name, papel) => void (await call('PUT', [sala, whom, name], { papel })),
    revoke: async (sala, whom, name) => void (await call('DELETE', [sala, whom, name])),
    notify: async (sala, notice) => void (await call('POST', [sala, 'avisos'], notice)),
    ticket: async (sala) => json(await call('POST', [sala, 'bilhete'], { app })),
    attach: async (sala, blob) => json(await call('PUT', [sala, 'anexos'], blob)),
    attachment: async (sala, sha) => await arriving((await call('GET', [sala, 'anexos', sha])).blob()),
  };
}

export const whoIsIt = async (signal: AbortSignal): Promise<PersonAnswer> =>
  json(await request('GET', '/api/pessoas/eu', undefined, signal));
export const findPeople = async (busca: string, signal: AbortSignal): Promise<PeopleAnswer> =>
  json(await request('GET', `/api/pessoas?${new URLSearchParams({ busca }).toString()}`, undefined, signal));
