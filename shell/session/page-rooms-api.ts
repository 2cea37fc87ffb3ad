/** Rooms as the page of an app reaches them: always with the app of its window, so that the portal answers for that app's rooms only. */
import type { PapelConcedido, VersionForm } from '../../schema/rooms.ts';
import type { PartOf } from '../../schema/routes/call.ts';
import { arriving, call, send } from './api.ts';

export type PageRooms = ReturnType<typeof pageRooms>;

export function pageRooms(app: string, signal: AbortSignal) {
  const query = { app };
  const at = (id: string) => ({ params: { id }, query });
  const version = (id: string, versao: number) => ({ params: { id, versao: String(versao) }, query });
  const how = { signal };
  return {
    create: (nome: string) => call('POST /api/salas', { query, body: { nome } }, how),
    list: () => call('GET /api/salas', { query }, how),
    read: (sala: string) => call('GET /api/salas/:id', at(sala), how),
    rename: async (sala: string, nome: string) => void (await send('PATCH /api/salas/:id', { ...at(sala), body: { nome } }, how)),
    remove: async (sala: string) => void (await send('DELETE /api/salas/:id', at(sala), how)),
    grantPerson: async (id: string, usuario: string, papel: PapelConcedido) =>
      void (await send('PUT /api/salas/:id/pessoas/:usuario', { params: { id, usuario }, query, body: { papel } }, how)),
    grantGroup: async (id: string, grupo: string, papel: PapelConcedido) =>
      void (await send('PUT /api/salas/:id/grupos/:grupo', { params: { id, grupo }, query, body: { papel } }, how)),
    revokePerson: async (id: string, usuario: string) =>
      void (await send('DELETE /api/salas/:id/pessoas/:usuario', { params: { id, usuario }, query }, how)),
    revokeGroup: async (id: string, grupo: string) =>
      void (await send('DELETE /api/salas/:id/grupos/:grupo', { params: { id, grupo }, query }, how)),
    notify: async (sala: string, notice: PartOf<'POST /api/salas/:id/avisos', 'body'>) =>
      void (await send('POST /api/salas/:id/avisos', { ...at(sala), body: notice }, how)),
    ticket: (sala: string) => call('POST /api/salas/:id/bilhete', { ...at(sala), body: { app } }, how),
    attach: (sala: string, blob: Blob) => call('PUT /api/salas/:id/anexos', { ...at(sala), body: blob }, how),
    history: (sala: string) => call('GET /api/salas/:id/historico', at(sala), how),
    version: async (id: string, versao: number, formato: VersionForm): Promise<Blob> => {
      const { params } = version(id, versao);
      return await arriving((await send('GET /api/salas/:id/historico/:versao', { params, query: { app, formato } }, how)).blob());
    },
    bringBack: async (id: string, versao: number) =>
      void (await send('POST /api/salas/:id/historico/:versao/volta', { ...version(id, versao), body: {} }, how)),
    nameVersion: async (id: string, versao: number, nome: string | null) =>
      void (await send('PUT /api/salas/:id/historico/:versao', { ...version(id, versao), body: { nome } }, how)),
    attachment: async (id: string, sha: string): Promise<Blob> =>
      await arriving((await send('GET /api/salas/:id/anexos/:sha', { params: { id, sha }, query }, how)).blob()),
  };
}

export const whoIsIt = (signal: AbortSignal) => call('GET /api/pessoas/eu', {}, { signal });
export const findPeople = (busca: string, signal: AbortSignal) => call('GET /api/pessoas', { query: { busca } }, { signal });
