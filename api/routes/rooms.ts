/**
 * `/api/salas…`: rooms and who is in them, for a page of the shell (`?app=` of its window) and for a backend (its bearer credential).
 * Source: rules 2.4, 4.1, 5.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PeopleView } from '../../schema/gateway.ts';
import type { PapelConcedido } from '../../schema/rooms.ts';
import * as schemas from '../../schema/wire/rooms.ts';
import { noBody } from '../../schema/wire/http.ts';
import type { RoomAnswer, RoomGroup, RoomPerson, RoomsAnswer, RoomView, TicketAnswer } from '../../schema/wire/rooms.ts';
import { roomCaller, type RoomCaller } from '../rooms/callers.ts';
import type { Rates } from '../rooms/rates.ts';
import type { Rooms } from '../rooms/rooms.ts';
import type { Tickets } from '../rooms/tickets.ts';
import { errorAnswers } from '../shell.ts';

export interface RoomRouteDeps {
  readonly people: Pick<PeopleView, 'find'>;
  readonly rooms: Rooms;
  readonly tickets: Tickets;
  readonly rates: Rates;
}

interface Asked {
  Params: { id: string };
  Querystring: { app?: string };
}
type AnyRequest = FastifyRequest<{ Querystring: { app?: string } }>;

const config = { access: 'room' as const };
const none = { 204: { type: 'null' }, ...errorAnswers } as const;

export function addRoomRoutes(app: FastifyInstance, deps: RoomRouteDeps): void {
  const callerOf = (request: AnyRequest, inBody?: string): RoomCaller => roomCaller(request, deps.people, request.query.app, inBody);
  /** The caller of a request that changes something. */
  const changerOf = (request: AnyRequest, inBody?: string): RoomCaller => {
    const caller = callerOf(request, inBody);
    deps.rates.count('change', caller.usuario);
    return caller;
  };
  addOwnRoutes(app, deps, callerOf, changerOf);
  addRoleRoutes(app, deps, changerOf);
  addTicketRoute(app, deps, callerOf);
}

type CallerOf = (request: AnyRequest, inBody?: string) => RoomCaller;

function addOwnRoutes(app: FastifyInstance, { rooms }: RoomRouteDeps, callerOf: CallerOf, changerOf: CallerOf): void {
  app.get<{ Querystring: { app?: string } }>(
    '/api/salas',
    {
      config,
      schema: {
        summary: 'Rooms of the app that I am in',
        querystring: schemas.roomQuery,
        response: { 200: schemas.roomsAnswer, ...errorAnswers },
      },
    },
    async (request): Promise<RoomsAnswer> => ({ salas: await rooms.list(callerOf(request)) }),
  );
  app.post<{ Querystring: { app?: string }; Body: { nome: string; app?: string } }>(
    '/api/salas',
    {
      config,
      schema: {
        summary: 'Make a room; the caller owns it',
        querystring: schemas.roomQuery,
        body: schemas.createRoomBody,
        response: { 201: schemas.roomView, ...errorAnswers },
      },
    },
    async (request, reply): Promise<RoomView> => {
      const made = await rooms.create(changerOf(request, request.body.app), request.body.nome);
      reply.code(201);
      return made;
    },
  );
  const one = { params: schemas.roomParams, querystring: schemas.roomQuery };
  app.get<Asked>(
    '/api/salas/:id',
    { config, schema: { ...one, summary: 'A room and who is in it', response: { 200: schemas.roomAnswer, ...errorAnswers } } },
    (request): Promise<RoomAnswer> => rooms.read(callerOf(request), request.params.id),
  );
  app.patch<Asked & { Body: { nome: string } }>(
    '/api/salas/:id',
    {
      config,
      schema: {
        ...one,
        summary: 'Rename, as its owner',
        body: schemas.renameRoomBody,
        response: { 200: schemas.roomView, ...errorAnswers },
      },
    },
    (request): Promise<RoomView> => rooms.rename(changerOf(request), request.params.id, request.body.nome),
  );
  app.delete<Asked>(
    '/api/salas/:id',
    { config, schema: { ...one, summary: 'Delete with everything in it, as its owner', body: noBody, response: none } },
    async (request, reply) => {
      await rooms.remove(changerOf(request), request.params.id);
      return reply.code(204).send();
    },
  );
}

function addRoleRoutes(app: FastifyInstance, { rooms }: RoomRouteDeps, changerOf: CallerOf): void {
  const person = { params: schemas.roomPersonParams, querystring: schemas.roomQuery };
  const group = { params: schemas.roomGroupParams, querystring: schemas.roomQuery };
  app.put<{ Params: { id: string; usuario: string }; Querystring: { app?: string }; Body: { papel: PapelConcedido } }>(
    '/api/salas/:id/pessoas/:usuario',
    {
      config,
      schema: {
        ...person,
        summary: 'Let a person in, or change the role',
        body: schemas.roleBody,
        response: { 200: schemas.roomPerson, ...errorAnswers },
      },
    },
    (request): Promise<RoomPerson> => {
      const { id, usuario } = request.params;
      return rooms.givePerson(changerOf(request), id, usuario, request.body.papel);
    },
  );
  app.delete<{ Params: { id: string; usuario: string }; Querystring: { app?: string } }>(
    '/api/salas/:id/pessoas/:usuario',
    { config, schema: { ...person, summary: 'Take a person out; anybody may leave', body: noBody, response: none } },
    async (request, reply) => {
      await rooms.takePerson(changerOf(request), request.params.id, request.params.usuario);
      return reply.code(204).send();
    },
  );
  app.put<{ Params: { id: string; grupo: string }; Querystring: { app?: string }; Body: { papel: PapelConcedido } }>(
    '/api/salas/:id/grupos/:grupo',
    {
      config,
      schema: {
        ...group,
        summary: 'Let a group in, or change its role',
        body: schemas.roleBody,
        response: { 200: schemas.roomGroup, ...errorAnswers },
      },
    },
    (request): Promise<RoomGroup> => {
      const { id, grupo } = request.params;
      return rooms.giveGroup(changerOf(request), id, grupo, request.body.papel);
    },
  );
  app.delete<{ Params: { id: string; grupo: string }; Querystring: { app?: string } }>(
    '/api/salas/:id/grupos/:grupo',
    { config, schema: { ...group, summary: 'Take a group out', body: noBody, response: none } },
    async (request, reply) => {
      await rooms.takeGroup(changerOf(request), request.params.id, request.params.grupo);
      return reply.code(204).send();
    },
  );
}

/** Source: rules 4.1, 5, 7. */
function addTicketRoute(app: FastifyInstance, { rooms, tickets, rates }: RoomRouteDeps, callerOf: CallerOf): void {
  app.post<Asked & { Body: { app?: string } | null }>(
    '/api/salas/:id/bilhete',
    {
      config,
      schema: {
        summary: 'A ticket for both channels, good for 60 s',
        params: schemas.roomParams,
        querystring: schemas.roomQuery,
        body: schemas.ticketBody,
        response: { 200: schemas.ticketAnswer, ...errorAnswers },
      },
    },
    async (request): Promise<TicketAnswer> => {
      const caller = callerOf(request, request.body?.app);
      rates.count('ticket', caller.usuario);
      const { room, papel } = await rooms.standing(caller, request.params.id);
      const { usuario, por, session, credential } = caller;
      const bilhete = papel === null ? null : tickets.give({ usuario, app: room.app, sala: room.id, por, session, credential });
      return { usuario, bilhete, caminho: `/ws/salas/${room.id}`, papel, anexos: true };
    },
  );
}
