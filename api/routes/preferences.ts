/** `/api/preferencias`: what a person chose in the desktop. Only pages of the shell reach it. Decision: docs/decisions/0202-preferences.md */
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as schemas from '../../schema/wire/preferences.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import type { PreferencesNow, PreferencesOf } from '../preferences/preferences.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

const send = (reply: FastifyReply, { etag, value }: PreferencesNow): schemas.Preferences => {
  reply.headers({ etag, 'cache-control': 'private, no-cache' });
  return value;
};

export function addPreferenceRoutes(app: FastifyInstance, preferences: PreferencesOf): void {
  serve(app, 'GET /api/preferencias', async (request, reply) => {
    const now = await preferences.read(sessionOf(request).person);
    const value = send(reply, now);
    return isKnown(request.headers['if-none-match'], now.etag) ? reply.code(304).send() : value;
  });
  serve(app, 'PATCH /api/preferencias', async (request, reply) => {
    const now = await preferences.change(sessionOf(request).person, request.body, request.headers['if-match']);
    return send(reply, now);
  });
}
