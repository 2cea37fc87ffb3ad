/**
 * `/api/admin/…`: what the command line asks for, over the 0600 control socket or with an admin's session: objects and reasons,
 * plan and apply, any person's backends, the doctor, sign-in links.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Store } from '../../store/store.ts';
import type { BackupStanding } from '../../schema/backups.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView, DoctorCheck, PeopleView, PersonRecord, ServerAct } from '../../schema/gateway.ts';
import type { ParcelAnswer } from '../../schema/parcels.ts';
import { rowIn } from '../../schema/texts/doctor.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { administratorOf } from '../administrator.ts';
import { goneSignal } from '../gone.ts';
import { limits } from '../limits.ts';
import * as schemas from '../../schema/wire/http.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { errorAnswers } from '../shell.ts';
import type { Starts, StartOptions } from '../starts.ts';
import type { Logs } from './log.ts';
import type { KeyRings } from '../auth/key-rings.ts';
import { addErasureRoutes } from './erasure.ts';
import { addSpaceRoute } from './space.ts';
import { sendAct } from './act-lines.ts';
import { addKeyRoute } from './keys.ts';
import { addPackageRoutes } from './packages.ts';
import { addRestorationRoute } from './restorations.ts';

export interface AdminRouteDeps {
  readonly people: PeopleView;
  readonly admin: AdminView;
  readonly commands: AdminCommands;
  readonly store: Pick<Store, 'events' | 'rooms' | 'jobs'>;
  readonly starts: Starts;
  readonly logs: Logs;
  readonly budgets: Pick<Budgets, 'usage'>;
  /** All checks, or the one of that name. */
  readonly doctor: (only?: string) => Promise<readonly DoctorCheck[]>;
  readonly rings: Pick<KeyRings, 'rotate'>;
  readonly backups?: (() => BackupStanding | null) | undefined;
  readonly roomSize?: ((id: string) => Promise<number>) | undefined;
  /** Undefined: there is no state folder with parcels. */
  readonly restore?: ((parcel: string) => Promise<ParcelAnswer>) | undefined;
  readonly link: (person: string, admin: boolean) => Promise<{ readonly link: string; readonly expiresAtMs: number }>;
}

const config = { access: 'admin' as const };

export function addAdminRoutes(app: FastifyInstance, deps: AdminRouteDeps): void {
  addObjectRoutes(app, deps);
  addDesiredRoutes(app, deps);
  addBackendRoutes(app, deps);
  addUsageRoutes(app, deps);
  addPackageRoutes(app, deps);
  addServerRoutes(app, deps);
  addKeyRoute(app, deps);
  addErasureRoutes(app, deps);
  addSpaceRoute(app, deps);
  addRestorationRoute(app, deps.restore ?? noState);
}

const noState = (): Promise<never> => Promise.reject(new SvcError('NOT_FOUND', 'there is no such parcel'));

/** Language of the reader; English by default. */
interface LanguageQuery {
  readonly idioma?: TextLanguage;
}

/** Servers as their administrator has them: the kit and the doctor. Progress comes as one JSON object a line. */
function addServerRoutes(app: FastifyInstance, { admin, commands, doctor }: AdminRouteDeps): void {
  app.get<{ Params: { server: string }; Querystring: LanguageQuery }>(
    '/api/admin/servers/:server/doctor',
    {
      config,
      schema: {
        summary: 'Checks of a server',
        params: schemas.serverParams,
        querystring: schemas.doctorQuery,
        response: { 200: schemas.doctorAnswer, ...errorAnswers },
      },
    },
    async ({ params, query }) => {
      const checks = await admin.serverChecks(params.server);
      // How browsers find the apps is the portal's matter, and as much part of serving them.
      const all = [...checks, ...(await doctor('subdomains'))];
      return { checks: all.map((check) => rowIn(check, query.idioma ?? 'en')) };
    },
  );
  app.post<{ Params: { server: string }; Body: { act: ServerAct; force?: boolean } }>(
    '/api/admin/servers/:server/kit',
    {
      config,
      schema: {
        summary: 'Put the server kit there, go back from it, or take it off',
        params: schemas.serverParams,
        body: schemas.serverActBody,
        produces: ['application/x-ndjson'],
        response: errorAnswers,
      },
    },
    ({ params, body }, reply) => sendAct(reply, commands.serverAct(params.server, body.act, body.force ?? false)),
  );
}

function addObjectRoutes(app: FastifyInstance, { admin, store }: AdminRouteDeps): void {
  app.get<{ Querystring: { prefix?: string; after?: string } }>(
    '/api/admin/objects',
    {
      config,
      schema: {
        summary: 'Objects by key, a page of them',
        querystring: schemas.objectsQuery,
        response: { 200: schemas.objectsAnswer, ...errorAnswers },
      },
    },
    async ({ query }) => admin.objects(query.prefix ?? '', { after: query.after ?? '', limit: limits.objectsPageMax }),
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
      const answer = await admin.why(request.query.key);
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
        ...(key === undefined ? {} : { under: key }),
        ...(after === undefined ? {} : { afterSeq: Number(after) }),
        limit: Math.min(Math.max(1, Number(limit ?? 100)), limits.eventsPageMax),
      });
      return { events };
    },
  );
}

function addUsageRoutes(app: FastifyInstance, { admin, budgets }: AdminRouteDeps): void {
  app.get<{ Querystring: { person?: string } }>(
    '/api/admin/usage',
    {
      config,
      schema: {
        summary: 'What runs, with what it uses',
        querystring: schemas.usageQuery,
        response: { 200: schemas.usageAnswer, ...errorAnswers },
      },
    },
    async ({ query }) => ({ apps: await admin.usage(query.person ?? null) }),
  );
  app.get(
    '/api/admin/portal-usage',
    {
      config,
      schema: { summary: 'Who takes what of the portal itself', response: { 200: schemas.portalUseAnswer, ...errorAnswers } },
    },
    () => ({ pessoas: [...budgets.usage()] }),
  );
}

function addDesiredRoutes(app: FastifyInstance, { people, admin, commands, doctor, link }: AdminRouteDeps): void {
  app.post<{ Body: { dir?: string | null } | null }>(
    '/api/admin/plan',
    {
      config,
      schema: { summary: 'What a folder would change', body: schemas.planBody, response: { 200: schemas.planAnswer, ...errorAnswers } },
    },
    (request) => admin.plan(request.body?.dir ?? null),
  );
  app.post<{ Body: { prune?: boolean } | null }>(
    '/api/admin/apply',
    {
      config,
      schema: { summary: 'Read the folder again', body: schemas.applyBody, response: { 200: schemas.planAnswer, ...errorAnswers } },
    },
    (request) => commands.apply(request.body?.prune ?? false),
  );
  app.get<{ Querystring: LanguageQuery }>(
    '/api/admin/doctor',
    {
      config,
      schema: {
        summary: 'Checks of this installation',
        querystring: schemas.doctorQuery,
        response: { 200: schemas.doctorAnswer, ...errorAnswers },
      },
    },
    async ({ query }) => ({ checks: (await doctor()).map((check) => rowIn(check, query.idioma ?? 'en')) }),
  );
  app.post<{ Body: { person?: string; admin?: boolean } | null }>(
    '/api/admin/links',
    {
      config,
      schema: { summary: 'A one-time sign-in link', body: schemas.linkBody, response: { 200: schemas.linkAnswer, ...errorAnswers } },
    },
    async (request) => {
      const person = request.body?.person ?? onlyPerson(people.all());
      if (!people.find(person)) throw new SvcError('NOT_FOUND', `no person ${person}${whoseLogin(people, person)}`);
      return { person, ...(await link(person, request.body?.admin ?? false)) };
    },
  );
}

function whoseLogin(people: PeopleView, text: string): string {
  const person = people.all().find(({ login }) => login === text);
  return person === undefined ? '' : `: ${text} is the login of ${person.usuario}`;
}

function onlyPerson(people: readonly PersonRecord[]): string {
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
  const options = (reply: FastifyReply, deadlineMs: number): StartOptions => {
    const who = administratorOf(reply.request);
    return { by: 'admin', ...(who === undefined ? {} : { who }), deadlineMs, signal: goneSignal(reply.raw) };
  };
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
