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
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

export interface SecretRouteDeps {
  readonly commands: Pick<AppCommands, 'secretNames' | 'putSecret' | 'deleteSecret'>;
  readonly log: Logger;
}

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
  serve(app, 'GET /api/apps/:id/segredos', (request) => commands.secretNames(sessionOf(request).person, request.params.id));
  serve(app, 'PUT /api/apps/:id/segredos/:nome', async (request) => {
    const { person } = sessionOf(request);
    const { id, nome } = request.params;
    const answer = await commands.putSecret(person, id, nome, usable(request.body.value));
    log.info({ person, app: id, secret: nome, by: 'person' }, 'secret set');
    return answer;
  });
  serve(app, 'DELETE /api/apps/:id/segredos/:nome', async (request) => {
    const { person } = sessionOf(request);
    const { id, nome } = request.params;
    const answer = await commands.deleteSecret(person, id, nome);
    log.info({ person, app: id, secret: nome, by: 'person' }, 'secret deleted');
    return answer;
  });
}

/** An admin may set and delete, and sees what the person sees: names. */
function addAdminRoutes(app: FastifyInstance, { commands, log }: SecretRouteDeps): void {
  serve(app, 'GET /api/admin/backends/:person/:app/segredos', ({ params }) => commands.secretNames(params.person, params.app));
  serve(app, 'PUT /api/admin/backends/:person/:app/segredos/:nome', async ({ params, body }) => {
    const answer = await commands.putSecret(params.person, params.app, params.nome, usable(body.value));
    log.info({ person: params.person, app: params.app, secret: params.nome, by: 'admin' }, 'secret set');
    return answer;
  });
  serve(app, 'DELETE /api/admin/backends/:person/:app/segredos/:nome', async ({ params }) => {
    const answer = await commands.deleteSecret(params.person, params.app, params.nome);
    log.info({ person: params.person, app: params.app, secret: params.nome, by: 'admin' }, 'secret deleted');
    return answer;
  });
}
