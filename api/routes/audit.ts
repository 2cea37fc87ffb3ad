/** `/api/atividade`: what the audit record says of a person, for them; `/api/admin/audit`: all of it, for `svc audit`. */
import type { FastifyInstance } from 'fastify';
import { actingPerson, type AuditLine, type AuditQuery } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import type { ActivityRow } from '../../schema/wire/audit.ts';
import type { AuditLog } from '../../store/audit/log.ts';
import { createSiteRecord, type OtherRecords, type SitePage, type SiteRecord } from '../audit/site-record.ts';
import { limits } from '../limits.ts';
import { sessionOf } from '../portal/shell.ts';
import type { PartOf } from '../../schema/routes/call.ts';
import { serve } from '../http/serve.ts';

export interface AuditRouteDeps {
  readonly audit: AuditLog | undefined;
  /** Other portals of the site, which have records of their own; null: there are none. */
  readonly others: OtherRecords | null;
}

export function addAuditRoutes(app: FastifyInstance, { audit, others }: AuditRouteDeps): void {
  const record = audit === undefined ? null : createSiteRecord(audit, others);
  serve(app, 'GET /api/atividade', async (request) => {
    const { person } = sessionOf(request);
    const { antes, limite = String(limits.activityPageDefault) } = request.query;
    if (record === null) return { atividade: [], antes: null, parcial: false };
    const asked = { query: { person }, linesMax: lineCount(limite), concerning: person };
    const { lines, next, unread } = await record.back(antes, asked);
    return { atividade: lines.map((line) => rowFor(line, person)), antes: next, parcial: unread.length > 0 };
  });
  serve(app, 'GET /api/admin/audit', async ({ query }) => {
    if (audit === undefined || record === null) throw new SvcError('NOT_FOUND', 'this portal keeps no audit record');
    const head = await audit.flush();
    return { ...(await page(record, query)), head };
  });
  serve(app, 'GET /api/admin/audit/verify', async () => ({ portals: (await record?.verify()) ?? [] }));
}

const lineCount = (text: string): number => Math.max(1, Number(text));

async function page(
  record: SiteRecord,
  { since, until, limit = '100', before, after, ...rest }: PartOf<'GET /api/admin/audit', 'query'>,
): Promise<SitePage> {
  const query: AuditQuery = {
    ...rest,
    ...(since === undefined ? {} : { sinceMs: Number(since) }),
    ...(until === undefined ? {} : { untilMs: Number(until) }),
  };
  const asked = { query, linesMax: lineCount(limit) };
  if (after === 'end') return { lines: [], next: await record.end(), unread: [] };
  return await (after === undefined ? record.back(before, asked) : record.on(after, asked));
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
