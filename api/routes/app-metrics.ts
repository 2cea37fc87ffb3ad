/**
 * `/api/metricas`: what apps count and time, and the errors that they report; for a backend (bearer credential with the scope `metricas`) and for a
 * page through the bridge (`?app=` of its window). Source: rules 2.1 `recursos.metricas`, 4.1, 5, 6.
 */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import type { ErrorGroup } from '../../schema/wire/metrics.ts';
import { ownerOnServer } from '../../store/rooms.ts';
import type { AppMetrics, MetricSender } from '../app-metrics/app-metrics.ts';
import { type NotDeclared, notDeclared, refusalOf } from '../http/declared.ts';
import { sessionOf } from '../portal/shell.ts';
import { type Asked, serve } from '../http/serve.ts';

export interface AppMetricsRouteDeps {
  readonly apps: Pick<AppsView, 'find' | 'manifest' | 'packagesRead'>;
  readonly people: Pick<PeopleView, 'find'>;
  readonly appMetrics: AppMetrics;
}

/** Identifies the sender, or says why there is none. Throws FORBIDDEN for another app than the credential's. */
function senderOf(
  request: Asked<'GET /api/metricas' | 'POST /api/metricas'>,
  apps: AppMetricsRouteDeps['apps'],
): MetricSender | NotDeclared {
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
  serve(app, 'POST /api/metricas', (request) => {
    const sender = senderOf(request, apps);
    if ('codigo' in sender) throw refusalOf(sender);
    return appMetrics.take(sender, request.body);
  });
  serve(app, 'GET /api/metricas', (request) => {
    const sender = senderOf(request, apps);
    return 'codigo' in sender ? { disponivel: false, ...sender } : { disponivel: true, motivo: null, codigo: null };
  });
  const errorsOf = async (person: string, id: string): Promise<ErrorGroup[]> => {
    if (!apps.find(person, id)) throw new SvcError('NOT_FOUND', `app ${id} is not installed for ${person}`);
    return [...(await appMetrics.errors.of(person, id))];
  };
  serve(app, 'GET /api/apps/:id/erros', async (request) => ({ erros: await errorsOf(sessionOf(request).person, request.params.id) }));
  serve(app, 'GET /api/admin/backends/:person/:app/errors', async ({ params: { person, app: id } }) => {
    const own = await errorsOf(person, id);
    // The reports of a backend for everybody may be about other people than the reader.
    const server = apps.manifest(person, id)?.escopo === 'servidor' ? people.find(person)?.servidor : undefined;
    const shared = server === undefined ? [] : await appMetrics.errors.of(ownerOnServer(server), id);
    return { erros: [...own, ...shared].toSorted((one, other) => other.ultimoEm - one.ultimoEm) };
  });
}
