/** Shells of a person. */
import * as terminals from '../wire/terminals.ts';
import { nothing, type Routes } from './route.ts';

export const terminalRoutes = {
  'GET /api/terminais': {
    access: 'person',
    says: 'My terminals, the oldest first',
    answer: terminals.terminalsAnswer,
    more: 'also those that ended while no page looked',
  },
  'POST /api/terminais': {
    access: 'person',
    says: 'A login shell of my account on my server',
    body: terminals.terminalOpenBody,
    answer: terminals.terminalView,
    status: 201,
    more: 'in `pasta` (an exact path), else in the home ([0225](decisions/0225-terminals.md)); 403 `TERMINAL_AS_PORTAL`, 409 `TERMINALS_FULL`, 503 `SERVER_UNREACHABLE`, `SSH_SATURATED`',
  },
  'DELETE /api/terminais/:id': {
    access: 'person',
    says: 'Hang up: the shell and what it runs get SIGHUP',
    params: terminals.terminalParams,
    answer: nothing,
    status: 204,
  },
} as const satisfies Routes;
