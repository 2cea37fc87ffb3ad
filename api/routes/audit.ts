/** `/api/atividade`: what the audit record says of a person, for them; `/api/admin/audit`: all of it, for `svc audit`. */
import type { FastifyInstance } from 'fastify';
import { actingPerson, type AuditLine, type AuditPage, type AuditQuery } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import type { ActivityRow } from '../../schema/wire/audit.ts';
import type { AuditLog } from '../../store/audit/log.ts';
import { endOfRecord, readBack, readOn } from '../../store/audit/read.ts';
import { limits } from '../limits.ts';
import { sessionOf } from '../shell.ts';
import type { PartOf } from '../../schema/routes/call.ts';
import { serve } from '../serve.ts';

export interface AuditRouteDeps {
  readonly audit: AuditLog | undefined;
  /** Other portals of the site have records of their own. */
  readonly isPart: boolean;
}

export function addAuditRoutes(app: FastifyInstance, { audit, isPart }: AuditRouteDeps): void {
  serve(app, 'GET /api/atividade', async (request) => {
    const { person } = sessionOf(request);
    const { antes, limite = String(limits.activityPageDefault) } = request.query;
    if (audit === undefined) return { atividade: [], antes: null, parcial: isPart };
    const asked = { query: { person }, linesMax: lineCount(limite), isShown: (line: AuditLine) => concerns(line, person) };
    const { lines, next } = await readBack(audit.dir, antes, asked);
    return { atividade: lines.map((line) => rowFor(line, person)), antes: next, parcial: isPart };
  });
  serve(app, 'GET /api/admin/audit', async ({ query }) => {
    if (audit === undefined) throw new SvcError('NOT_FOUND', 'this portal keeps no audit record');
    const head = await audit.flush();
    return { ...(await page(audit.dir, query)), head };
  });
}

const lineCount = (text: string): number => Math.max(1, Number(text));

async function page(
  dir: string,
  { since, until, limit = '100', before, after, ...rest }: PartOf<'GET /api/admin/audit', 'query'>,
): Promise<AuditPage> {
  const query: AuditQuery = {
    ...rest,
    ...(since === undefined ? {} : { sinceMs: Number(since) }),
    ...(until === undefined ? {} : { untilMs: Number(until) }),
  };
  const asked = { query, linesMax: lineCount(limit) };
  if (after === 'end') return { lines: [], next: await endOfRecord(dir) };
  return await (after === undefined ? readBack(dir, before, asked) : readOn(dir, after, asked));
}

/** Areas in which people see their own acts: those that somebody else might have done in their name. */
const ownAreas: ReadonlySet<string> = new Set(['session', 'consent', 'secret', 'terminal', 'package']);
/** Routine of the controller on behalf of the person. */
const routine: ReadonlySet<string> = new Set(['app', 'job', 'credential', 'object']);

export function concerns(line: AuditLine, person: string): boolean {
  const [area = ''] = line.action.split('/');
  if (actingPerson(line.by) === person) return ownAreas.has(area) || line.person !== undefined;
  return line.person === person && !(line.by.kind === 'controller' && routine.has(area));
}

function rowFor(line: AuditLine, person: string): ActivityRow {
  const { by, action, object, from, result, code, times, time } = line;
  const isOwn = actingPerson(by) === person;
  const shown = isOwn || by.kind === 'nobody';
  return {
    em: Date.parse(time),
    acao: action,
    quem: whoFor(line, person),
    nome: by.kind === 'app' ? by.app : by.kind === 'person' && !isOwn ? by.person : null,
    objeto: object === undefined ? null : shortName(object, person),
    de: shown && from !== undefined ? { endereco: from.address, navegador: from.agent ?? null } : null,
    resultado: result,
    codigo: code ?? null,
    vezes: times ?? 1,
  };
}

function whoFor({ by }: AuditLine, person: string): ActivityRow['quem'] {
  if (by.kind === 'app') return 'app';
  if (by.kind === 'person') {
    if (by.person === person) return 'eu';
    return by.admin === true ? 'admin' : 'pessoa';
  }
  if (by.kind === 'control') return 'admin';
  return by.kind === 'nobody' ? 'ninguem' : 'portal';
}

/** Without its kind, and without the person's own name in it. Ids say nothing to a person. */
function shortName(object: string, person: string): string | null {
  const [kind = '', ...parts] = object.split('/');
  if (['Session', 'Terminal', 'Room', 'Job'].includes(kind)) return null;
  return (parts[0] === person ? parts.slice(1) : parts).join('/') || null;
}
