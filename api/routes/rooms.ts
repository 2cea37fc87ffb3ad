/**
 * `/api/salas…`: rooms and who is in them, for a page of the shell (`?app=` of its window) and for a backend (its bearer credential).
 * Source: rules 2.4, 4.1, 5.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PeopleView } from '../../schema/gateway.ts';
import type { VersionForm } from '../../schema/rooms.ts';
import { roomCaller, type RoomCaller } from '../rooms/callers.ts';
import type { Bin } from '../rooms/bin.ts';
import type { History, Place } from '../rooms/history.ts';
import type { Rates } from '../rooms/rates.ts';
import type { Rooms } from '../rooms/rooms.ts';
import type { Tickets } from '../rooms/tickets.ts';
import { type Asked, serve } from '../http/serve.ts';

export interface RoomRouteDeps {
  readonly people: Pick<PeopleView, 'find'>;
  readonly rooms: Rooms;
  readonly bin: Bin;
  readonly history: History;
  readonly tickets: Tickets;
  readonly rates: Rates;
}

type AnyRequest = FastifyRequest<{ Querystring: { app?: string } }>;

export function addRoomRoutes(app: FastifyInstance, deps: RoomRouteDeps): void {
  const callerOf = (request: AnyRequest, inBody?: string): RoomCaller => roomCaller(request, deps.people, request.query.app, inBody);
  /** The caller of a request that changes something. */
  const changerOf = (request: AnyRequest, inBody?: string): RoomCaller => {
    const caller = callerOf(request, inBody);
    deps.rates.count('change', caller.usuario);
    return caller;
  };
  addOwnRoutes(app, deps, callerOf, changerOf);
  addBinRoutes(app, deps, callerOf, changerOf);
  addRoleRoutes(app, deps, changerOf);
  addHistoryRoutes(app, deps, callerOf, changerOf);
  addTicketRoute(app, deps, callerOf);
}

type CallerOf = (request: AnyRequest, inBody?: string) => RoomCaller;

function addOwnRoutes(app: FastifyInstance, { rooms }: RoomRouteDeps, callerOf: CallerOf, changerOf: CallerOf): void {
  serve(app, 'GET /api/salas', async (request) => ({ salas: await rooms.list(callerOf(request)) }));
  serve(app, 'POST /api/salas', async (request) => await rooms.create(changerOf(request, request.body.app), request.body.nome));
  serve(app, 'GET /api/salas/:id', (request) => rooms.read(callerOf(request), request.params.id));
  serve(app, 'PATCH /api/salas/:id', (request) => rooms.rename(changerOf(request), request.params.id, request.body.nome));
  serve(app, 'DELETE /api/salas/:id', async (request) => {
    await rooms.remove(changerOf(request), request.params.id);
  });
}

function addBinRoutes(app: FastifyInstance, { bin }: RoomRouteDeps, callerOf: CallerOf, changerOf: CallerOf): void {
  serve(app, 'GET /api/salas/apagadas', async (request) => ({ salas: await bin.list(callerOf(request)) }));
  serve(app, 'POST /api/salas/apagadas/:id/recuperar', (request) => bin.recover(changerOf(request), request.params.id));
  serve(app, 'DELETE /api/salas/apagadas/:id', async (request) => {
    await bin.erase(changerOf(request), request.params.id);
  });
}

function addRoleRoutes(app: FastifyInstance, { rooms }: RoomRouteDeps, changerOf: CallerOf): void {
  serve(app, 'PUT /api/salas/:id/pessoas/:usuario', (request) => {
    const { id, usuario } = request.params;
    return rooms.givePerson(changerOf(request), id, usuario, request.body.papel);
  });
  serve(app, 'PUT /api/salas/:id/dona', (request) => rooms.handOver(changerOf(request), request.params.id, request.body.usuario));
  serve(app, 'DELETE /api/salas/:id/pessoas/:usuario', async (request) => {
    await rooms.takePerson(changerOf(request), request.params.id, request.params.usuario);
  });
  serve(app, 'PUT /api/salas/:id/grupos/:grupo', (request) => {
    const { id, grupo } = request.params;
    return rooms.giveGroup(changerOf(request), id, grupo, request.body.papel);
  });
  serve(app, 'DELETE /api/salas/:id/grupos/:grupo', async (request) => {
    await rooms.takeGroup(changerOf(request), request.params.id, request.params.grupo);
  });
}

type AboutHistory = Asked<'GET /api/salas/:id/historico'>;
const placeOf = ({ params, query }: Pick<AboutHistory, 'params' | 'query'>): Place => ({
  id: params.id,
  canal: query.canal ?? 'documento',
});

const mediaTypes: Readonly<Record<VersionForm, string>> = {
  yjs: 'application/octet-stream',
  json: 'application/json; charset=utf-8',
  texto: 'text/plain; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

function addHistoryRoutes(app: FastifyInstance, { history, rates }: RoomRouteDeps, callerOf: CallerOf, changerOf: CallerOf): void {
  serve(app, 'GET /api/salas/:id/historico', (request) => {
    const caller = callerOf(request);
    rates.count('version', caller.usuario);
    return history.list(caller, placeOf(request));
  });
  serve(app, 'GET /api/salas/:id/historico/:versao', async (request, reply) => {
    const caller = callerOf(request);
    // A document is built for it.
    rates.count('version', caller.usuario);
    const form = request.query.formato ?? 'json';
    const bytes = await history.read(caller, placeOf(request), Number(request.params.versao), form);
    return reply
      .headers({
        'content-type': mediaTypes[form],
        'x-content-type-options': 'nosniff',
        // People wrote it: it is never a page of the portal. Without a name of a file: the link of a page gives one.
        'content-security-policy': "default-src 'none'; sandbox",
        'content-disposition': 'attachment',
        'cache-control': 'private, no-store',
      })
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });
  serve(app, 'PUT /api/salas/:id/historico/:versao', async (request) => {
    await history.name(changerOf(request), placeOf(request), Number(request.params.versao), request.body.nome);
  });
  serve(app, 'POST /api/salas/:id/historico/:versao/volta', async (request) => {
    const caller = changerOf(request);
    rates.count('version', caller.usuario);
    await history.revert(caller, placeOf(request), Number(request.params.versao));
  });
}

/** Source: rules 4.1, 5, 7. */
function addTicketRoute(app: FastifyInstance, { rooms, tickets, rates }: RoomRouteDeps, callerOf: CallerOf): void {
  serve(app, 'POST /api/salas/:id/bilhete', async (request) => {
    const caller = callerOf(request, request.body?.app);
    rates.count('ticket', caller.usuario);
    const { room, papel } = await rooms.standing(caller, request.params.id);
    const { usuario, por, session, credential } = caller;
    const bilhete = papel === null ? null : tickets.give({ usuario, app: room.app, sala: room.id, por, session, credential });
    return { usuario, bilhete, caminho: `/ws/salas/${room.id}`, papel, anexos: true };
  });
}
