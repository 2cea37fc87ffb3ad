/**
 * `/api/pessoas…`: who I am to other people, and whom I can let into a room. Everybody who is signed in may find everybody. Source: rules 2.4, 4.3.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { findPeople, personAnswer } from '../portal/people.ts';
import type { Rates } from '../rooms/rates.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

export interface PeopleRouteDeps {
  readonly people: PeopleView;
  readonly rates: Rates;
}

export function addPeopleRoutes(app: FastifyInstance, { people, rates }: PeopleRouteDeps): void {
  serve(app, 'GET /api/pessoas/eu', (request) => {
    const person = people.find(usuarioOf(request));
    if (!person) throw new SvcError('UNAUTHENTICATED', 'this person no longer exists');
    return { ...personAnswer(person), grupos: person.grupos };
  });
  serve(app, 'GET /api/pessoas', (request) => {
    rates.count('search', usuarioOf(request));
    return findPeople(people, request.query.busca);
  });
}

function usuarioOf(request: FastifyRequest): string {
  return request.backend?.usuario ?? sessionOf(request).person;
}
