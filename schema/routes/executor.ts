/** Requests of the wrapper of a running job (docs/queue.md). */
import * as jobs from '../wire/jobs.ts';
import type { Routes } from './route.ts';

export const executorRoutes = {
  'GET /api/fila/executor/entradas': {
    access: 'executor',
    says: 'Inputs of the job',
    gives: 'text/plain',
    more: 'lines `sha256 TAB size TAB path`, the path percent-encoded',
  },
  'GET /api/fila/executor/entradas/:sha': {
    access: 'executor',
    says: 'Bytes of an input',
    params: jobs.inputParams,
    gives: '*/*',
    head: 'refused',
    more: 'in ranges',
  },
  'POST /api/fila/executor/batida': {
    access: 'executor',
    says: 'How far the job is; 410: end it',
    gives: 'text/plain',
    takes: '*/*',
    more: 'lines `estado=…`, `codigo=…`, `progresso=…`; 204, or 200 with inputs, as above, while `iniciado`',
  },
  'POST /api/fila/executor/saidas': {
    access: 'executor',
    says: 'Outputs that there are',
    gives: 'text/plain',
    takes: '*/*',
    more: 'lines as above; answers the wanted ones: `sha256 TAB offset`',
  },
  'PUT /api/fila/executor/registo': {
    access: 'executor',
    says: 'The log from that byte on',
    query: jobs.offsetQuery,
    answer: jobs.offsetAnswer,
    takes: '*/*',
    more: '413 at its longest',
  },
  'PUT /api/fila/executor/saidas/:sha': {
    access: 'executor',
    says: 'An output from that byte on',
    params: jobs.inputParams,
    query: jobs.offsetQuery,
    answer: jobs.uploadAnswer,
    takes: '*/*',
  },
} as const satisfies Routes;
