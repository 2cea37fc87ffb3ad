/**
 * `/api/pessoas…`: who I am to other people, and whom I can let into a room. Everybody who is signed in may find everybody. Source: rules 2.4, 4.3.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { PeopleAnswer, PersonAnswer } from '../../schema/wire/rooms.ts';
import * as schemas from '../../schema/wire/rooms.ts';
import { findPeople, personAnswer } from '../people.ts';
import type { Rates } from '../rooms/rates.ts';
import { errorAnswers, sessionOf } from '../shell.ts';

export interface PeopleRouteDeps {
  readonly people: PeopleView;
  readonly rates: Rates;
}

const config = { access: 'room' as const };

export function addPeopleRoutes(app: FastifyInstance, { people, rates }: PeopleRouteDeps): void {
  app.get(
    '/api/pessoas/eu',
    { config, schema: { summary: 'Me, with my groups', response: { 200: schemas.personAnswer, ...errorAnswers } } },
    (request): PersonAnswer => {
      const person = people.find(usuarioOf(request));
      if (!person) throw new SvcError('UNAUTHENTICATED', 'this person no longer exists');
      return { ...personAnswer(person), grupos: person.grupos };
    },
  );
  app.get<{ Querystring: { busca: string } }>(
    '/api/pessoas',
    {
      config,
      schema: {
        summary: 'People and groups by the beginning of their names',
        querystring: schemas.searchQuery,
        response: { 200: schemas.peopleAnswer, ...errorAnswers },
      },
    },
    (request): PeopleAnswer => {
      rates.count('search', usuarioOf(request));
      return findPeople(people, request.query.busca);
    },
  );
}

function usuarioOf(request: FastifyRequest): string {
  return request.backend?.usuario ?? sessionOf(request).person;
}
