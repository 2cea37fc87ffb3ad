/** Rooms, people and notices of the portal's HTTP API as the shell uses them. */
import type { AppNoticeBody } from '../../schema/wire/rooms.ts';
import type { PapelConcedido, VersionForm } from '../../schema/rooms.ts';
import { addressOf } from '../../schema/routes/call.ts';
import { arriving, call, send } from './api.ts';

/** Rooms of all apps. */
export const listRooms = async () => (await call('GET /api/salas')).salas;
export const readRoom = (id: string) => call('GET /api/salas/:id', { params: { id } });
export const renameRoom = async (id: string, nome: string): Promise<void> =>
  void (await send('PATCH /api/salas/:id', { params: { id }, body: { nome } }));
export const deleteRoom = async (id: string): Promise<void> => void (await send('DELETE /api/salas/:id', { params: { id } }));
export const listBinnedRooms = async () => (await call('GET /api/salas/apagadas')).salas;
export const recoverRoom = async (id: string): Promise<void> =>
  void (await send('POST /api/salas/apagadas/:id/recuperar', { params: { id }, body: {} }));
export const eraseRoom = async (id: string): Promise<void> => void (await send('DELETE /api/salas/apagadas/:id', { params: { id } }));
export const grantPerson = async (id: string, usuario: string, papel: PapelConcedido): Promise<void> =>
  void (await send('PUT /api/salas/:id/pessoas/:usuario', { params: { id, usuario }, body: { papel } }));
export const handRoomOver = async (id: string, usuario: string): Promise<void> =>
  void (await send('PUT /api/salas/:id/dona', { params: { id }, body: { usuario } }));
export const removePerson = async (id: string, usuario: string): Promise<void> =>
  void (await send('DELETE /api/salas/:id/pessoas/:usuario', { params: { id, usuario } }));
export const grantGroup = async (id: string, grupo: string, papel: PapelConcedido): Promise<void> =>
  void (await send('PUT /api/salas/:id/grupos/:grupo', { params: { id, grupo }, body: { papel } }));
export const removeGroup = async (id: string, grupo: string): Promise<void> =>
  void (await send('DELETE /api/salas/:id/grupos/:grupo', { params: { id, grupo } }));

const version = (id: string, versao: number) => ({ params: { id, versao: String(versao) } });
/** The youngest first. */
export const readHistory = async (id: string) => (await call('GET /api/salas/:id/historico', { params: { id } })).versoes;
export const versionUrl = (id: string, versao: number, formato: VersionForm): string =>
  addressOf('GET /api/salas/:id/historico/:versao', { ...version(id, versao), query: { formato } }).path;
export const readVersionText = async (id: string, versao: number, signal: AbortSignal): Promise<string> =>
  await arriving(
    (await send('GET /api/salas/:id/historico/:versao', { ...version(id, versao), query: { formato: 'texto' } }, { signal })).text(),
  );
/** Null takes the name away. */
export const nameVersion = async (id: string, versao: number, nome: string | null): Promise<void> =>
  void (await send('PUT /api/salas/:id/historico/:versao', { ...version(id, versao), body: { nome } }));
export const bringVersionBack = async (id: string, versao: number): Promise<void> =>
  void (await send('POST /api/salas/:id/historico/:versao/volta', { ...version(id, versao), body: {} }));

export const searchPeople = (busca: string) => call('GET /api/pessoas', { query: { busca } });

export const readNotices = () => call('GET /api/avisos');
/** Sends a notice of an app to its person. */
export const tellPerson = (body: AppNoticeBody, signal: AbortSignal) => call('POST /api/avisos', { body }, { signal });
/** Null: all of them. */
export const markNoticesRead = (ids: readonly string[] | null) => call('POST /api/avisos/lidos', { body: { ids } });
