/**
 * The record at the border: one line for each answered request that the tables say, and one for each sign-in. Called from one place for all
 * routes (shell.ts), and from where every way to sign in ends. Decision: docs/decisions/0401-the-audit-record.md
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { Audit, AuditActor, AuditEntry, AuditResult } from '../../schema/audit.ts';
import type { FilesCommands } from '../../schema/files.ts';
import type { RouteName } from '../../schema/routes/call.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import type { SignInMethod } from '../../store/store.ts';
import { loginOf } from '../portal/administrator.ts';
import type { Session } from '../auth/sessions.ts';
import { shortHash } from '../auth/secrets.ts';
import { adminRows } from './admin-rows.ts';
import { shortAgent } from './agent.ts';
import { createFilesAudit } from './files-audit.ts';
import { personRows } from './person-rows.ts';
import { textOf, type Answered, type Ending, type Recorded, type Row, type Rows, type Value } from './rows.ts';

export interface HttpAudit {
  /** Before the answer is sent; `payload` as the handler made it. `code`: of the error that it is. */
  answered(request: FastifyRequest, reply: FastifyReply, payload: unknown, code: string | null): void;
  /** Names the request in the line of a sign-in. */
  began(request: FastifyRequest): void;
  signedIn(req: IncomingMessage, session: Session, method: SignInMethod): void;
  /** `login`: as it was typed. */
  signInRefused(req: IncomingMessage, method: SignInMethod, error: unknown, login?: string): void;
  /** A process connected to the control socket that may not. */
  controlRefused(uid: number | null): void;
}

export interface HttpAuditDeps {
  readonly audit: Audit;
  readonly people: Pick<PeopleView, 'find' | 'all'>;
  readonly apps: Pick<AppsView, 'has'>;
  readonly files: FilesCommands;
  readonly address: (req: IncomingMessage) => string;
}

/** Every route has its row: one that is missing does not compile. */
export const rows: Readonly<Record<RouteName, Row>> & Rows = { ...personRows, ...adminRows };

export function createHttpAudit(deps: HttpAuditDeps): HttpAudit {
  const { audit, people } = deps;
  const filesAudit = createFilesAudit(audit, deps.files);
  const ids = new WeakMap<IncomingMessage, string>();
  const from = (req: IncomingMessage): NonNullable<AuditEntry['from']> => {
    const agent = shortAgent(req.headers['user-agent']);
    return { address: deps.address(req), ...(agent === undefined ? {} : { agent }) };
  };
  const ofSignIn = (req: IncomingMessage) => {
    const request = ids.get(req);
    return { action: 'session/open', from: from(req), ...(request === undefined ? {} : { request }) } as const;
  };
  return {
    answered: (request, reply, payload, code) => {
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const row = rows[`${method} ${request.routeOptions.url ?? ''}`];
      const leavesNone = row === undefined || 'none' in row || 'elsewhere' in row;
      if (leavesNone && !isRefusedAdmin(request, reply.statusCode)) return;
      const result = resultOf(reply.statusCode);
      const by = actorOf(request);
      const common = {
        by,
        ...(request.control ? {} : { from: from(request.raw) }),
        result,
        ...(code === null ? {} : { code }),
        request: request.id,
      };
      if (leavesNone) return audit.record({ ...common, action: 'admin/use' });
      if ('files' in row) return filesAudit.answered(request, row, { ...common, ...endingOf(row.ends, result) });
      const asked = answeredOf(deps, request, { result, payload });
      const action = typeof row.action === 'function' ? row.action(asked) : row.action;
      if (action === null) return;
      const entry = { ...common, action, ...named(row, asked) };
      audit.record({ ...entry, ...endingOf(typeof row.ends === 'function' && result === 'ok' ? row.ends(asked) : row.ends, result) });
      // A second line, since a portal that ends in between would leave none.
      if (row.ends === 'events' && result === 'ok') void request.actEnd?.then((ending) => audit.record({ ...entry, ...ending }));
    },
    began: (request) => void ids.set(request.raw, request.id),
    signedIn: (req, session, method) => {
      const by: AuditActor = { kind: 'person', person: session.person, ...(session.admin ? { admin: true as const } : {}) };
      const object = `Session/${shortHash(session.root)}`;
      audit.record({ ...ofSignIn(req), by, object, result: 'ok', details: { method } });
    },
    signInRefused: (req, method, error, login) => {
      const code = error instanceof SvcError ? error.code : 'INTERNAL';
      // A typed text that is no login here may be a password in the wrong field.
      const person = login === undefined ? undefined : people.all().find((each) => each.login === login)?.usuario;
      const whom = person === undefined ? {} : { person };
      const result = resultOf(error instanceof SvcError ? error.status : 500);
      // The person sees that there may be a copy of their passkey.
      const action = code === 'PASSKEY_BEHIND' ? 'passkey/refuse' : 'session/open';
      audit.record({ ...ofSignIn(req), action, by: { kind: 'nobody' }, ...whom, result, code, details: { method } });
    },
    controlRefused: (uid) => audit.record({ by: { kind: 'control', uid }, action: 'control/use', result: 'refused', code: 'FORBIDDEN' }),
  };
}

/** Nothing more than `result` where the answer is a refusal, or the act has ended. */
function endingOf(ends: Ending | Recorded['ends'], result: AuditResult): Partial<Ending> {
  if (result !== 'ok' || ends === undefined) return {};
  return typeof ends === 'object' ? ends : { result: 'begun' };
}

function resultOf(status: number): AuditResult {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

const isRefusedAdmin = ({ routeOptions }: FastifyRequest, status: number): boolean =>
  ['admin', undefined].includes(routeOptions.config?.access) && routeOptions.url !== undefined && (status === 401 || status === 403);

function actorOf({ session, backend, appCaller, job, control, controlUid }: FastifyRequest): AuditActor {
  if (control) {
    const login = controlUid === null ? null : loginOf(controlUid);
    return { kind: 'control', uid: controlUid, ...(login === null ? {} : { login }) };
  }
  if (session !== null) return { kind: 'person', person: session.person, ...(session.admin ? { admin: true } : {}) };
  const caller = backend ?? appCaller;
  if (caller !== null) {
    const person = caller.usuario ?? undefined;
    return { kind: 'app', app: caller.app, ...(person === undefined ? {} : { person }) };
  }
  return job === null ? { kind: 'nobody' } : { kind: 'job', job };
}

function answeredOf(
  { people, apps }: HttpAuditDeps,
  request: FastifyRequest,
  { result, payload }: { readonly result: AuditResult; readonly payload: unknown },
): Answered {
  const { session, backend, appCaller } = request;
  const isOk = result === 'ok';
  const param = (name: string): string | null => (request.params as Readonly<Record<string, string>>)[name] ?? null;
  let parsed: unknown;
  return {
    result,
    self: session?.person ?? backend?.usuario ?? appCaller?.usuario ?? '',
    found: (name) => (isOk ? param(name) : null),
    person: (name) => people.find(param(name) ?? '')?.usuario ?? null,
    app: (person, name) => {
      const app = param(name);
      return app !== null && apps.has(person, app) ? app : null;
    },
    group: (name) => {
      const group = param(name);
      return group !== null && people.all().some(({ grupos }) => grupos.includes(group)) ? group : null;
    },
    body: (name) => (isOk ? member(request.body, name) : null),
    query: (name) => textOf(member(request.query, name)),
    answer: (name) => {
      if (!isOk || typeof payload !== 'string') return null;
      parsed ??= JSON.parse(payload);
      return member(parsed, name);
    },
  };
}

/** `a.b` of nested objects; null for what is not there or no plain value. */
function member(value: unknown, name: string): Value {
  const found = name.split('.').reduce<unknown>((from, part) => (from as Record<string, unknown> | null | undefined)?.[part], value);
  return ['string', 'number', 'boolean'].includes(typeof found) ? (found as Value) : null;
}

function named({ object, person, details }: Recorded, asked: Answered): Partial<AuditEntry> {
  const [kind = '', parts] = object ?? [];
  const names = parts?.(asked) ?? [];
  const whom = person?.(asked) ?? null;
  const known = Object.entries(details?.(asked) ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return {
    ...(names.length === 0 || names.includes(null) || names.includes('') ? {} : { object: [kind, ...names].join('/') }),
    ...(whom === null ? {} : { person: whom }),
    ...(known.length === 0 ? {} : { details: Object.fromEntries(known) }),
  };
}
