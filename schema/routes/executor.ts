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
    more: 'bytes, in ranges',
  },
  'POST /api/fila/executor/batida': {
    access: 'executor',
    says: 'How far the job is, answered with its inputs as it begins; 410: end it',
    gives: 'text/plain',
    takes: '*/*',
    more: 'of lines `estado=…`, `codigo=…`, `progresso=…`; 204, or 200 with its inputs, as above, while it is `iniciado`',
  },
  'POST /api/fila/executor/saidas': {
    access: 'executor',
    says: 'Outputs that there are; answers those that are wanted',
    gives: 'text/plain',
    takes: '*/*',
    more: 'of lines as above; answers lines `sha256 TAB offset`',
  },
  'PUT /api/fila/executor/registo': {
    access: 'executor',
    says: 'The log from that byte on',
    query: jobs.offsetQuery,
    answer: jobs.offsetAnswer,
    takes: '*/*',
    more: '413 once the log is as long as it may be',
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
