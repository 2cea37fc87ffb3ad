/** Registers routes as their rows say (schema/routes). */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { problem } from '../../schema/wire/http.ts';
import type { AnswerOf, PartOf, RouteName } from '../../schema/routes/call.ts';
import type { Route } from '../../schema/routes/route.ts';
import { routes } from '../../schema/routes/routes.ts';

/** A request that passed the checks of its row. */
export type Asked<Name extends RouteName> = FastifyRequest<{
  Params: PartOf<Name, 'params'>;
  Querystring: PartOf<Name, 'query'>;
  Body: PartOf<Name, 'body'>;
}>;

type Answered<Name extends RouteName> = AnswerOf<Name> | FastifyReply;
type Handler<Name extends RouteName> = (request: Asked<Name>, reply: FastifyReply) => Answered<Name> | Promise<Answered<Name>>;

const errorAnswers = { '4xx': problem, '5xx': problem } as const;

/** The status of a row with one is set before the handler runs. */
export function serve<Name extends RouteName>(
  app: FastifyInstance,
  name: Name,
  handler: Handler<Name>,
  options: Pick<RouteOptions, 'bodyLimit'> = {},
): void {
  const row: Route = routes[name];
  const { access, answer, status = 200, head } = row;
  const [method = '', url = ''] = name.split(' ');
  const schema = schemaOf(row);
  const all = {
    ...options,
    url,
    config: { access },
    handler: (request: FastifyRequest, reply: FastifyReply): unknown => {
      if (answer !== undefined && typeof status === 'number') reply.code(status);
      return handler(request as Asked<Name>, reply);
    },
  };
  app.route({ ...all, method, schema, ...(head !== undefined && { exposeHeadRoute: false }) });
  if (head === 'handled') app.route({ ...all, method: 'HEAD', schema: { ...schema, hide: true } });
}

function schemaOf({ says, params, query, body, answer, status = 200, gives, takes }: Route): object {
  const answers = answer === undefined ? [] : [status].flat().map((each) => [each, answer] as const);
  return {
    summary: says,
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(gives !== undefined && { produces: [gives] }),
    ...(takes !== undefined && { consumes: [takes] }),
    response: { ...Object.fromEntries(answers), ...errorAnswers },
  };
}

/** Matches the paths of a route. */
export function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`);
}

const uploads = Object.entries<Route>(routes)
  .filter(([name, { takes }]) => takes !== undefined && name.startsWith('PUT '))
  .map(([name]) => patternOf(name.slice('PUT '.length)));

/** The body is watched while it arrives (repository/upload.ts): it may take longer than that of other calls. */
export const isUpload = (method: string | undefined, path: string): boolean =>
  method === 'PUT' && uploads.some((pattern) => pattern.test(path));
