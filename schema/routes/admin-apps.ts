/** The command line: any person's apps, jobs and packages. */
import * as http from '../wire/http.ts';
import * as jobs from '../wire/jobs.ts';
import * as metrics from '../wire/metrics.ts';
import * as shop from '../wire/shop.ts';
import type { Routes } from './route.ts';

export const adminAppRoutes = {
  'GET /api/admin/backends/:person/:app/errors': {
    access: 'admin',
    says: 'Errors of a backend, those of its app included',
    params: http.backendParams,
    answer: metrics.errorsAnswer,
  },
  'GET /api/admin/backends/:person/:app/log': {
    access: 'admin',
    says: 'Log of a backend',
    params: http.backendParams,
    query: http.adminLogQuery,
    gives: 'text/plain',
    head: 'refused',
  },
  'POST /api/admin/backends/:person/:app/restart': {
    access: 'admin',
    says: 'Restart and wait',
    params: http.backendParams,
    body: http.noBody,
    answer: http.startAnswer,
  },
  'GET /api/admin/backends/:person/:app/segredos': {
    access: 'admin',
    says: "A person's secrets of an app: names only",
    params: http.backendParams,
    answer: http.secretsAnswer,
  },
  'PUT /api/admin/backends/:person/:app/segredos/:nome': {
    access: 'admin',
    says: 'Set a secret for a person',
    params: http.adminSecretParams,
    body: http.secretBody,
    answer: http.secretsAnswer,
  },
  'DELETE /api/admin/backends/:person/:app/segredos/:nome': {
    access: 'admin',
    says: 'Delete a secret of a person',
    params: http.adminSecretParams,
    body: http.noBody,
    answer: http.secretsAnswer,
  },
  'POST /api/admin/backends/:person/:app/start': {
    access: 'admin',
    says: 'Start and wait',
    params: http.backendParams,
    body: http.noBody,
    answer: http.startAnswer,
  },
  'POST /api/admin/backends/:person/:app/stop': {
    access: 'admin',
    says: 'Stop and wait',
    params: http.backendParams,
    body: http.noBody,
    answer: http.startAnswer,
  },
  'GET /api/admin/fila': {
    access: 'admin',
    says: 'Jobs of all people',
    query: jobs.adminJobsQuery,
    answer: jobs.adminJobsAnswer,
    more: 'paged as `/api/fila`',
  },
  'GET /api/admin/fila/trabalhos/:id': { access: 'admin', says: 'A job of anybody', params: jobs.jobParams, answer: jobs.jobView },
  'DELETE /api/admin/fila/trabalhos/:id': {
    access: 'admin',
    says: 'Cancel a job of anybody',
    params: jobs.jobParams,
    answer: jobs.jobView,
  },
  'GET /api/admin/fila/trabalhos/:id/registo': {
    access: 'admin',
    says: 'The log of a job of anybody from that byte on',
    params: jobs.jobParams,
    query: jobs.adminLogQuery,
    gives: 'text/plain',
    head: 'refused',
    more: '`follow=1`, on the control socket: to the end of the job',
  },
  'GET /api/admin/fila/trabalhos/:id/saida': {
    access: 'admin',
    says: 'Outputs of a job of anybody',
    params: jobs.jobParams,
    answer: jobs.outputsAnswer,
  },
  'GET /api/admin/fila/trabalhos/:id/saida/*': {
    access: 'admin',
    says: 'Bytes of an output of a job of anybody',
    params: jobs.outputParams,
    gives: '*/*',
    head: 'refused',
  },
  'GET /api/admin/fila/trabalhos/:id/saidas.tar': {
    access: 'admin',
    says: 'All complete outputs, as a tar',
    params: jobs.jobParams,
    gives: 'application/x-tar',
    head: 'refused',
  },
  'POST /api/admin/packages/rollback': {
    access: 'admin',
    says: 'Go back to the version before, and hold it',
    body: shop.rollbackBody,
    answer: shop.rollbackAnswer,
    status: 202,
    more: '404, 409 `NO_PREVIOUS_VERSION`',
  },
  'DELETE /api/admin/packages/rollback': {
    access: 'admin',
    says: 'End a roll-back: what is wanted is installed again',
    query: shop.undoQuery,
    body: shop.undoBody,
    answer: shop.rollbackAnswer,
    status: 202,
    more: 'key in the body or in `?key=`; 404',
  },
  'GET /api/admin/pacotes': {
    access: 'admin',
    says: 'Per server: packages, engines, who runs what',
    answer: shop.adminPackagesAnswer,
    more: 'missing Linux packages, with the line that installs them; drift',
  },
} as const satisfies Routes;
