/**
 * `/api/metricas`: what apps count and time, and the errors that they report; for a backend (bearer credential with the scope `metricas`) and for a
 * page through the bridge (`?app=` of its window). Source: rules 2.1 `recursos.metricas`, 4.1, 5, 6.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import { appParams, backendParams } from '../../schema/wire/http.ts';
import * as schemas from '../../schema/wire/metrics.ts';
import { ownerOnServer } from '../../store/rooms.ts';
import type { AppMetrics, MetricSender } from '../app-metrics/app-metrics.ts';
import { type NotDeclared, notDeclared, refusalOf } from '../declared.ts';
import { errorAnswers, sessionOf } from '../shell.ts';

export interface AppMetricsRouteDeps {
  readonly apps: Pick<AppsView, 'find' | 'manifest' | 'packagesRead'>;
  readonly people: Pick<PeopleView, 'find'>;
  readonly appMetrics: AppMetrics;
}

type Asked = FastifyRequest<{ Querystring: { app?: string } }>;

/** Identifies the sender, or says why there is none. Throws FORBIDDEN for another app than the credential's. */
function senderOf(request: Asked, apps: AppMetricsRouteDeps['apps']): MetricSender | NotDeclared {
  const { appCaller, query } = request;
  if (appCaller !== null) {
    const { owner, app } = appCaller;
    if (query.app !== undefined && query.app !== app) throw new SvcError('FORBIDDEN', `this credential is of ${app}, not of ${query.app}`);
    return { owner, app, versao: apps.manifest(owner, app)?.version ?? '', de: 'backend' };
  }
  const { person } = sessionOf(request);
  const { app } = query;
  if (app === undefined) throw new SvcError('BAD_REQUEST', 'app: expected the id of the app that counts, as ?app=<id>');
  const off = notDeclared(apps, person, app, 'metricas');
  return off ?? { owner: person, app, versao: apps.manifest(person, app)?.version ?? '', de: 'pagina' };
}

export function addAppMetricsRoutes(app: FastifyInstance, { apps, people, appMetrics }: AppMetricsRouteDeps): void {
  const config = { access: 'metricas' as const };
  app.post<{ Querystring: { app?: string }; Body: schemas.MetricsBody }>(
    '/api/metricas',
    {
      config,
      schema: {
        summary: 'Counts, durations and errors of an app',
        querystring: schemas.metricsQuery,
        body: schemas.metricsBody,
        response: { 200: schemas.metricsAnswer, ...errorAnswers },
      },
    },
    (request) => {
      const sender = senderOf(request, apps);
      if ('codigo' in sender) throw refusalOf(sender);
      return appMetrics.take(sender, request.body);
    },
  );
  app.get<{ Querystring: { app?: string } }>(
    '/api/metricas',
    {
      config,
      schema: {
        summary: 'Whether the app may count, and why not',
        querystring: schemas.metricsQuery,
        response: { 200: schemas.metricsAvailable, ...errorAnswers },
      },
    },
    (request): schemas.MetricsAvailable => {
      const sender = senderOf(request, apps);
      return 'codigo' in sender ? { disponivel: false, ...sender } : { disponivel: true, motivo: null, codigo: null };
    },
  );
  const answers = { 200: schemas.errorsAnswer, ...errorAnswers } as const;
  const errorsOf = async (person: string, id: string): Promise<schemas.ErrorGroup[]> => {
    if (!apps.find(person, id)) throw new SvcError('NOT_FOUND', `app ${id} is not installed for ${person}`);
    return [...(await appMetrics.errors.of(person, id))];
  };
  app.get<{ Params: { id: string } }>(
    '/api/apps/:id/erros',
    { config: { access: 'person' }, schema: { summary: 'Errors that the app reported, by stack', params: appParams, response: answers } },
    async (request): Promise<schemas.ErrorsAnswer> => ({ erros: await errorsOf(sessionOf(request).person, request.params.id) }),
  );
  app.get<{ Params: { person: string; app: string } }>(
    '/api/admin/backends/:person/:app/errors',
    {
      config: { access: 'admin' },
      schema: { summary: 'The same of any person, with those of the app itself', params: backendParams, response: answers },
    },
    async ({ params: { person, app: id } }): Promise<schemas.ErrorsAnswer> => {
      const own = await errorsOf(person, id);
      // The reports of a backend for everybody may be about other people than the reader.
      const server = apps.manifest(person, id)?.escopo === 'servidor' ? people.find(person)?.servidor : undefined;
      const shared = server === undefined ? [] : await appMetrics.errors.of(ownerOnServer(server), id);
      return { erros: [...own, ...shared].toSorted((one, other) => other.ultimoEm - one.ultimoEm) };
    },
  );
}
