/** Identifies the caller for jobs: a page of the shell for the app of a window, or a backend (rules 5). */
import type { FastifyRequest } from 'fastify';
import type { StoredJob } from '../../store/jobs.ts';
import { SvcError } from '../../schema/errors.ts';
import { sessionOf } from '../portal/shell.ts';

export interface QueueCaller {
  /** The person, or a server-scope app that asks for itself (`@<server>`). */
  readonly usuario: string;
  /** Null: the shell itself, which shows the jobs of all apps. The bridge always says for which app it asks. */
  readonly app: string | null;
  readonly por: 'pagina' | 'backend';
}

/** Every way to say that there is no such job: also when there is, and it is another person's or another app's. */
export function noSuchJob(): SvcError {
  return new SvcError('NOT_FOUND', 'there is no such job');
}

/** `apps`: what the query and the body say. A backend that names another app than its own asks for jobs that don't exist for it. */
export function queueCaller(request: FastifyRequest, ...apps: readonly (string | undefined)[]): QueueCaller {
  const named = [...new Set(apps.filter((app) => app !== undefined))];
  const { appCaller: backend } = request;
  if (named.length > 1 || (backend !== null && named.some((app) => app !== backend.app))) throw noSuchJob();
  if (backend !== null) return { usuario: backend.owner, app: backend.app, por: 'backend' };
  return { usuario: sessionOf(request).person, app: named[0] ?? null, por: 'pagina' };
}

/** Where something is done for one app. */
export function appOf({ app }: QueueCaller): string {
  if (app === null) throw new SvcError('BAD_REQUEST', 'app: expected the id of the app that submits, as ?app=<id>');
  return app;
}

export function ownJob({ usuario, app }: QueueCaller, job: StoredJob | null): StoredJob {
  if (job === null || job.usuario !== usuario || usuario === '' || (app !== null && job.app !== app)) throw noSuchJob();
  return job;
}
