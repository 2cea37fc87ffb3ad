/**
 * `/api/apps/:id/segredos…`: the person's secrets of an app. Values go in and never come out; they are not kept, logged or repeated in an error
 * here: the supervisor on the person's server writes them. Source: rules 2.1 `secrets`, 5.
 * Decision: docs/decisions/0075-the-vault.md
 */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { SvcError } from '../../schema/errors.ts';
import type { AppCommands } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import * as schemas from '../../schema/wire/http.ts';
import { errorAnswers, sessionOf } from '../shell.ts';

export interface SecretRouteDeps {
  readonly commands: Pick<AppCommands, 'secretNames' | 'putSecret' | 'deleteSecret'>;
  readonly log: Logger;
}

interface Named {
  readonly nome: string;
}
interface Body {
  readonly value: string;
}

const answers = { 200: schemas.secretsAnswer, ...errorAnswers } as const;

export function addSecretRoutes(app: FastifyInstance, deps: SecretRouteDeps): void {
  addPersonRoutes(app, deps);
  addAdminRoutes(app, deps);
}

/** Checks that a variable of the environment can hold the value; the supervisor checks again. Source: rules 5. */
function usable(value: string): string {
  if (value.includes('\0')) throw new SvcError('SECRET_REFUSED', 'the value holds a NUL: encode it, for example with base64 -w0');
  if (!value.isWellFormed()) throw new SvcError('SECRET_REFUSED', 'the value is not valid Unicode: encode it, for example with base64 -w0');
  if (Buffer.byteLength(value) > limits.secretValueBytesMax) {
    throw new SvcError('TOO_LARGE', `a secret has at most ${limits.secretValueBytesMax} bytes`);
  }
  return value;
}

function addPersonRoutes(app: FastifyInstance, { commands, log }: SecretRouteDeps): void {
  const config = { access: 'person' as const };
  const base = '/api/apps/:id/segredos';
  app.get<{ Params: { id: string } }>(
    base,
    {
      config,
      schema: { summary: 'Secrets that the app asks for, and which are set; never a value', params: schemas.appParams, response: answers },
    },
    (request) => commands.secretNames(sessionOf(request).person, request.params.id),
  );
  app.put<{ Params: { id: string } & Named; Body: Body }>(
    `${base}/:nome`,
    { config, schema: { summary: 'Set or replace a secret', params: schemas.secretParams, body: schemas.secretBody, response: answers } },
    async (request) => {
      const { person } = sessionOf(request);
      const { id, nome } = request.params;
      const answer = await commands.putSecret(person, id, nome, usable(request.body.value));
      log.info({ person, app: id, secret: nome, by: 'person' }, 'secret set');
      return answer;
    },
  );
  app.delete<{ Params: { id: string } & Named }>(
    `${base}/:nome`,
    { config, schema: { summary: 'Delete a secret', params: schemas.secretParams, body: schemas.noBody, response: answers } },
    async (request) => {
      const { person } = sessionOf(request);
      const { id, nome } = request.params;
      const answer = await commands.deleteSecret(person, id, nome);
      log.info({ person, app: id, secret: nome, by: 'person' }, 'secret deleted');
      return answer;
    },
  );
}

/** An admin may set and delete, and sees what the person sees: names. */
function addAdminRoutes(app: FastifyInstance, { commands, log }: SecretRouteDeps): void {
  const config = { access: 'admin' as const };
  const base = '/api/admin/backends/:person/:app/segredos';
  interface Backend {
    readonly person: string;
    readonly app: string;
  }
  app.get<{ Params: Backend }>(
    base,
    { config, schema: { summary: "A person's secrets of an app: names only", params: schemas.backendParams, response: answers } },
    ({ params }) => commands.secretNames(params.person, params.app),
  );
  app.put<{ Params: Backend & Named; Body: Body }>(
    `${base}/:nome`,
    {
      config,
      schema: { summary: 'Set a secret for a person', params: schemas.adminSecretParams, body: schemas.secretBody, response: answers },
    },
    async ({ params, body }) => {
      const answer = await commands.putSecret(params.person, params.app, params.nome, usable(body.value));
      log.info({ person: params.person, app: params.app, secret: params.nome, by: 'admin' }, 'secret set');
      return answer;
    },
  );
  app.delete<{ Params: Backend & Named }>(
    `${base}/:nome`,
    {
      config,
      schema: { summary: 'Delete a secret of a person', params: schemas.adminSecretParams, body: schemas.noBody, response: answers },
    },
    async ({ params }) => {
      const answer = await commands.deleteSecret(params.person, params.app, params.nome);
      log.info({ person: params.person, app: params.app, secret: params.nome, by: 'admin' }, 'secret deleted');
      return answer;
    },
  );
}
