/** Rooms, people and notices of the portal's HTTP API as the shell uses them. Source: schema/wire/rooms.ts. */
import type { AppNoticeAnswer, AppNoticeBody, NoticesAnswer, PeopleAnswer, RoomAnswer } from '../../schema/wire/rooms.ts';
import type { PapelConcedido } from '../../schema/rooms.ts';
import { json, request } from './api.ts';

const roomPath = (sala: string, ...rest: readonly string[]): string => ['/api/salas', ...[sala, ...rest].map(encodeURIComponent)].join('/');

export const readRoom = async (sala: string): Promise<RoomAnswer> => json(await request('GET', roomPath(sala)));
export const renameRoom = async (sala: string, nome: string): Promise<void> => void (await request('PATCH', roomPath(sala), { nome }));
export const deleteRoom = async (sala: string): Promise<void> => void (await request('DELETE', roomPath(sala)));
export const grantPerson = async (sala: string, usuario: string, papel: PapelConcedido): Promise<void> =>
  void (await request('PUT', roomPath(sala, 'pessoas', usuario), { papel }));
export const removePerson = async (sala: string, usuario: string): Promise<void> =>
  void (await request('DELETE', roomPath(sala, 'pessoas', usuario)));
export const grantGroup = async (sala: string, grupo: string, papel: PapelConcedido): Promise<void> =>
  void (await request('PUT', roomPath(sala, 'grupos', grupo), { papel }));
export const removeGroup = async (sala: string, grupo: string): Promise<void> =>
  void (await request('DELETE', roomPath(sala, 'grupos', grupo)));

export const searchPeople = async (busca: string): Promise<PeopleAnswer> =>
  json(await request('GET', `/api/pessoas?${new URLSearchParams({ busca }).toString()}`));

export const readNotices = async (): Promise<NoticesAnswer> => json(await request('GET', '/api/avisos'));
/** Sends a notice of an app to its person. */
export const tellPerson = async (body: AppNoticeBody, signal: AbortSignal): Promise<AppNoticeAnswer> =>
  json(await request('POST', '/api/avisos', body, signal));
/** Null: all of them. */
export const markNoticesRead = async (ids: readonly string[] | null): Promise<NoticesAnswer> =>
  json(await request('POST', '/api/avisos/lidos', { ids }));
