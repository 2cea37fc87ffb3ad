/** `/api/preferencias`: what a person chose in the desktop. Only pages of the shell reach it. Decision: docs/decisions/0202-preferences.md */
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as schemas from '../../schema/wire/preferences.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import type { PreferencesNow, PreferencesOf } from '../preferences/preferences.ts';
import { errorAnswers, sessionOf } from '../shell.ts';

const config = { access: 'person' as const };
const answers = { 200: schemas.preferencesAnswer, ...errorAnswers } as const;

const send = (reply: FastifyReply, { etag, value }: PreferencesNow): schemas.Preferences => {
  reply.headers({ etag, 'cache-control': 'private, no-cache' });
  return value;
};

export function addPreferenceRoutes(app: FastifyInstance, preferences: PreferencesOf): void {
  app.get(
    '/api/preferencias',
    { config, schema: { summary: 'What I chose in the desktop', response: answers } },
    async (request, reply) => {
      const now = await preferences.read(sessionOf(request).person);
      const value = send(reply, now);
      return isKnown(request.headers['if-none-match'], now.etag) ? reply.code(304).send() : value;
    },
  );
  app.patch<{ Body: schemas.PreferencesPatch }>(
    '/api/preferencias',
    { config, schema: { summary: 'Change some of it (JSON merge patch)', body: schemas.preferencesPatch, response: answers } },
    async (request, reply) => {
      const now = await preferences.change(sessionOf(request).person, request.body, request.headers['if-match']);
      return send(reply, now);
    },
  );
}
