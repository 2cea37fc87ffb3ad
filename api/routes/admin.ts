/**
 * `/api/admin/…`: what the command line asks for, over the 0600 control socket or with an admin's session: objects and reasons,
 * plan and apply, any person's backends, the doctor, sign-in links.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Store } from '../../store/store.ts';
import type { BackupStanding } from '../../schema/backups.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView, DoctorCheck, PeopleView, PersonRecord } from '../../schema/gateway.ts';
import type { ParcelAnswer } from '../../schema/parcels.ts';
import { rowIn } from '../../schema/texts/doctor.ts';
import { administratorOf } from '../portal/administrator.ts';
import { goneSignal } from '../http/gone.ts';
import { limits } from '../limits.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { serve } from '../http/serve.ts';
import type { Starts, StartOptions } from '../portal/starts.ts';
import type { Logs } from './log.ts';
import type { KeyRings } from '../auth/key-rings.ts';
import { addErasureRoutes } from './erasure.ts';
import { addSpaceRoute } from './space.ts';
import { sendAct } from './act-lines.ts';
import { addKeyRoute } from './keys.ts';
import { addOwnFileRoutes } from './own-file.ts';
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
  readonly link: (person: string, admin: boolean, hours?: number) => Promise<{ readonly link: string; readonly expiresAtMs: number }>;
}

export function addAdminRoutes(app: FastifyInstance, deps: AdminRouteDeps): void {
  addObjectRoutes(app, deps);
  addDesiredRoutes(app, deps);
  addOwnFileRoutes(app, deps);
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

/** Servers as their administrator has them: the kit and the doctor. Progress comes as one JSON object a line. */
function addServerRoutes(app: FastifyInstance, { admin, commands, doctor }: AdminRouteDeps): void {
  serve(app, 'GET /api/admin/servers/:server/doctor', async ({ params, query }) => {
    const checks = await admin.serverChecks(params.server);
    // How browsers find the apps is the portal's matter, and as much part of serving them.
    const all = [...checks, ...(await doctor('subdomains'))];
    return { checks: all.map((check) => rowIn(check, query.idioma ?? 'en')) };
  });
  serve(app, 'POST /api/admin/servers/:server/kit', ({ params, body }, reply) =>
    sendAct(reply, commands.serverAct(params.server, body.act, body.force ?? false)),
  );
}

function addObjectRoutes(app: FastifyInstance, { admin, store }: AdminRouteDeps): void {
  serve(app, 'GET /api/admin/objects', async ({ query }) =>
    admin.objects(query.prefix ?? '', { after: query.after ?? '', limit: limits.objectsPageMax }),
  );
  serve(app, 'GET /api/admin/why', async (request) => {
    const answer = await admin.why(request.query.key);
    if (!answer) throw new SvcError('NOT_FOUND', `no object ${request.query.key}; svc get lists them`);
    return answer;
  });
  serve(app, 'GET /api/admin/events', async (request) => {
    const { key, after, limit } = request.query;
    const events = await store.events({
      ...(key === undefined ? {} : { under: key }),
      ...(after === undefined ? {} : { afterSeq: Number(after) }),
      limit: Math.min(Math.max(1, Number(limit ?? 100)), limits.eventsPageMax),
    });
    return { events };
  });
}

function addUsageRoutes(app: FastifyInstance, { admin, budgets }: AdminRouteDeps): void {
  serve(app, 'GET /api/admin/usage', async ({ query }) => ({ apps: await admin.usage(query.person ?? null) }));
  serve(app, 'GET /api/admin/portal-usage', () => ({ pessoas: [...budgets.usage()] }));
}

function addDesiredRoutes(app: FastifyInstance, { people, admin, commands, doctor, link }: AdminRouteDeps): void {
  serve(app, 'POST /api/admin/plan', (request) => admin.plan(request.body?.dir ?? null));
  serve(app, 'POST /api/admin/apply', (request) => commands.apply(request.body?.prune ?? false));
  serve(app, 'GET /api/admin/doctor', async ({ query }) => ({
    checks: (await doctor()).map((check) => rowIn(check, query.idioma ?? 'en')),
  }));
  serve(app, 'POST /api/admin/links', async (request) => {
    const person = request.body?.person ?? onlyPerson(people.all());
    if (!people.find(person)) throw new SvcError('NOT_FOUND', `no person ${person}${whoseLogin(people, person)}`);
    return { person, ...(await link(person, request.body?.admin ?? false, request.body?.hours)) };
  });
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

function addBackendRoutes(app: FastifyInstance, { starts, logs }: AdminRouteDeps): void {
  const options = (reply: FastifyReply, deadlineMs: number): StartOptions => {
    const who = administratorOf(reply.request);
    return { by: 'admin', ...(who === undefined ? {} : { who }), deadlineMs, signal: goneSignal(reply.raw) };
  };
  serve(app, 'POST /api/admin/backends/:person/:app/start', ({ params }, reply) =>
    starts.startAndWait(params.person, params.app, options(reply, limits.startWaitMsMax)),
  );
  serve(app, 'POST /api/admin/backends/:person/:app/stop', ({ params }, reply) =>
    starts.stopAndWait(params.person, params.app, options(reply, limits.stopWaitMsMax)),
  );
  serve(app, 'POST /api/admin/backends/:person/:app/restart', ({ params }, reply) =>
    starts.restartAndWait(params.person, params.app, options(reply, limits.startWaitMsMax + limits.stopWaitMsMax)),
  );
  serve(app, 'GET /api/admin/backends/:person/:app/log', ({ params, query }, reply) =>
    logs.send(reply, { ...params, tail: query.tail, follow: query.follow === '1', previous: query.previous === '1' }),
  );
}
