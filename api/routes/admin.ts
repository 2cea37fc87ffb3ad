/**
 * `/api/admin/…`: what the command line asks for, over the 0600 control socket or with an admin's session: objects and reasons,
 * plan and apply, any person's backends, the doctor, sign-in links.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Store } from '../../controller/store/store.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import * as schemas from '../../schema/wire/http-schemas.ts';
import type { DoctorCheck } from '../doctor.ts';
import { errorAnswers } from '../shell.ts';
import type { Starts, StartOptions } from '../starts.ts';
import { goneSignal } from './apps.ts';
import type { Logs } from './log.ts';

export interface AdminRouteDeps {
  readonly gateway: Gateway;
  readonly store: Pick<Store, 'events'>;
  readonly starts: Starts;
  readonly logs: Logs;
  readonly doctor: () => Promise<readonly DoctorCheck[]>;
  readonly link: (person: string, admin: boolean) => Promise<{ readonly link: string; readonly expiresAtMs: number }>;
}

const config = { access: 'admin' as const };

export function addAdminRoutes(app: FastifyInstance, deps: AdminRouteDeps): void {
  addObjectRoutes(app, deps);
  addDesiredRoutes(app, deps);
  addBackendRoutes(app, deps);
}

function addObjectRoutes(app: FastifyInstance, { gateway, store }: AdminRouteDeps): void {
  app.get<{ Querystring: { prefix?: string } }>(
    '/api/admin/objects',
    {
      config,
      schema: { summary: 'Objects by key', querystring: schemas.objectsQuery, response: { 200: schemas.objectsAnswer, ...errorAnswers } },
    },
    (request) => gateway.objects(request.query.prefix ?? ''),
  );
  app.get<{ Querystring: { key: string } }>(
    '/api/admin/why',
    {
      config,
      schema: {
        summary: 'Why an object is as it is',
        querystring: schemas.whyQuery,
        response: { 200: schemas.whyAnswer, ...errorAnswers },
      },
    },
    async (request) => {
      const answer = await gateway.why(request.query.key);
      if (!answer) throw new SvcError('NOT_FOUND', `no object ${request.query.key}; svc get lists them`);
      return answer;
    },
  );
  app.get<{ Querystring: { key?: string; after?: string; limit?: string } }>(
    '/api/admin/events',
    {
      config,
      schema: {
        summary: 'Transitions, newest last',
        querystring: schemas.eventsQuery,
        response: { 200: schemas.eventsAnswer, ...errorAnswers },
      },
    },
    async (request) => {
      const { key, after, limit } = request.query;
      const events = await store.events({
        ...(key === undefined ? {} : { keyPrefix: key }),
        ...(after === undefined ? {} : { afterSeq: Number(after) }),
        limit: Math.min(Math.max(1, Number(limit ?? 100)), limits.eventsPageMax),
      });
      return { events };
    },
  );
}

function addDesiredRoutes(app: FastifyInstance, { gateway, doctor, link }: AdminRouteDeps): void {
  app.post<{ Body: { dir?: string | null } | null }>(
    '/api/admin/plan',
    {
      config,
      schema: { summary: 'What a folder would change', body: schemas.planBody, response: { 200: schemas.planAnswer, ...errorAnswers } },
    },
    (request) => gateway.plan(request.body?.dir ?? null),
  );
  app.post<{ Body: { prune?: boolean } | null }>(
    '/api/admin/apply',
    {
      config,
      schema: { summary: 'Read the folder again', body: schemas.applyBody, response: { 200: schemas.planAnswer, ...errorAnswers } },
    },
    (request) => gateway.apply(request.body?.prune ?? false),
  );
  app.get(
    '/api/admin/doctor',
    { config, schema: { summary: 'Checks of this installation', response: { 200: schemas.doctorAnswer, ...errorAnswers } } },
    async () => ({ checks: await doctor() }),
  );
  app.post<{ Body: { person?: string; admin?: boolean } | null }>(
    '/api/admin/links',
    {
      config,
      schema: { summary: 'A one-time sign-in link', body: schemas.linkBody, response: { 200: schemas.linkAnswer, ...errorAnswers } },
    },
    async (request) => {
      const person = request.body?.person ?? onlyPerson(gateway);
      if (!gateway.person(person)) throw new SvcError('NOT_FOUND', `no person ${person}`);
      return { person, ...(await link(person, request.body?.admin ?? false)) };
    },
  );
}

function onlyPerson(gateway: Gateway): string {
  const people = gateway.people();
  const first = people[0];
  if (!first || people.length > 1) {
    throw new SvcError(
      'BAD_REQUEST',
      `person: expected one of ${
        people
          .map(({ usuario }) => usuario)
          .slice(0, 20)
          .join(', ') || 'none'
      }`,
    );
  }
  return first.usuario;
}

interface BackendParams {
  readonly person: string;
  readonly app: string;
}

function addBackendRoutes(app: FastifyInstance, { starts, logs }: AdminRouteDeps): void {
  const lifecycle = (summary: string) => ({
    config,
    schema: { summary, params: schemas.backendParams, body: schemas.noBody, response: { 200: schemas.startAnswer, ...errorAnswers } },
  });
  const options = (reply: FastifyReply, deadlineMs: number): StartOptions => ({ by: 'admin', deadlineMs, signal: goneSignal(reply) });
  const base = '/api/admin/backends/:person/:app';
  app.post<{ Params: BackendParams }>(`${base}/start`, lifecycle('Start and wait'), ({ params }, reply) =>
    starts.startAndWait(params.person, params.app, options(reply, limits.startWaitMsMax)),
  );
  app.post<{ Params: BackendParams }>(`${base}/stop`, lifecycle('Stop and wait'), ({ params }, reply) =>
    starts.stopAndWait(params.person, params.app, options(reply, limits.stopWaitMsMax)),
  );
  app.post<{ Params: BackendParams }>(`${base}/restart`, lifecycle('Restart and wait'), ({ params }, reply) =>
    starts.restartAndWait(params.person, params.app, options(reply, limits.startWaitMsMax + limits.stopWaitMsMax)),
  );
  app.get<{ Params: BackendParams; Querystring: { tail?: string; follow?: '1'; previous?: '1' } }>(
    `${base}/log`,
    {
      config,
      exposeHeadRoute: false,
      schema: {
        summary: 'Log of a backend',
        params: schemas.backendParams,
        querystring: schemas.adminLogQuery,
        produces: ['text/plain'],
        response: errorAnswers,
      },
    },
    ({ params, query }, reply) =>
      logs.send(reply, { ...params, tail: query.tail, follow: query.follow === '1', previous: query.previous === '1' }),
  );
}
