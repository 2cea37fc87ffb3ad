/** `svc audit`: who did what to what, from where; of a running portal over its control socket, of one that is stopped from its files. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditActor, AuditHead, AuditLine, AuditQuery, AuditResult, PortalVerdict } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import { readHead } from '../../store/audit/files.ts';
import { endOfRecord, readBack, readOn } from '../../store/audit/read.ts';
import { verifyRecord, type AuditVerdict } from '../../store/audit/verify.ts';
import { createClient, type Client } from '../client.ts';
import { type Column, isForPrograms, jsonText, listing, moment, plain, printValue, warn, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export interface AuditOptions extends PortalOptions {
  readonly person?: string;
  readonly action?: string;
  readonly object?: string;
  readonly result?: AuditResult;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly follow?: boolean;
  readonly verify?: boolean;
}

const followMs = 500;
/** The portal gives no more at once. */
const pageMax = 500;

/** Exit code: 1 when `--verify` found something. */
export async function runAudit(options: AuditOptions): Promise<number> {
  const { state, output, limit, follow = false } = options;
  const reader = await readerOf(state, queryOf(options));
  if (options.verify === true) return await verify(state, reader, output);
  const at = follow ? await reader.end() : null;
  const lines = await newest(reader, limit);
  if (!follow && isForPrograms(output)) {
    await printValue(lines, output);
    return 0;
  }
  await print(lines, output, true);
  for (let from = at; from !== null;) {
    const page = await reader.on(from);
    await print(page.lines, output, false);
    from = page.next;
    if (page.lines.length === 0) await delay(followMs);
  }
  return 0;
}

function queryOf({ person, action, object, result, since, until }: AuditOptions): AuditQuery {
  const said = { person, action, object, result, sinceMs: since, untilMs: until };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as AuditQuery;
}

interface Page {
  readonly lines: readonly AuditLine[];
  readonly next: string | null;
  /** Portals that do not answer. */
  readonly unread?: readonly string[];
}

/** The record, wherever it is read from. */
interface Reader {
  back(before: string | undefined, linesMax: number): Promise<Page>;
  on(from: string): Promise<Page>;
  end(): Promise<string>;
  /** How far the portal wrote; null: nobody says. */
  head(): Promise<AuditHead | null>;
  /** The records of the other portals of the site. */
  others(): Promise<readonly PortalVerdict[]>;
}

async function readerOf(state: string, query: AuditQuery): Promise<Reader> {
  const client = createClient(state);
  try {
    await client.call('GET /api/admin/audit', { query: { limit: 1 } });
    return ofPortal(client, query);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'PORTAL_NOT_RUNNING') throw error;
    warn('no portal runs on this state folder: its files are read\n');
    return ofFiles(recordIn(state), query);
  }
}

const recordIn = (state: string): string => path.resolve(state, 'audit');

function ofPortal(client: Client, { sinceMs, untilMs, ...rest }: AuditQuery): Reader {
  const query = { ...rest, since: sinceMs, until: untilMs };
  const ask = (more: Readonly<Record<string, string | number | undefined>>): Promise<Page & { readonly head: AuditHead }> =>
    client.call('GET /api/admin/audit', { query: { ...query, ...more } });
  return {
    back: (before, limit) => ask({ before, limit }),
    on: (after) => ask({ after, limit: pageMax }),
    end: async () => (await ask({ after: 'end' })).next!,
    head: async () => (await ask({ limit: 1 })).head,
    others: async () => (await client.call('GET /api/admin/audit/verify')).portals,
  };
}

function ofFiles(dir: string, query: AuditQuery): Reader {
  return {
    back: (before, linesMax) => readBack(dir, before, { query, linesMax }),
    on: (from) => readOn(dir, from, { query, linesMax: pageMax }),
    end: () => endOfRecord(dir),
    head: () => readHead(dir),
    others: async () => [],
  };
}

/** The newest of what is asked for, in their order. */
async function newest(reader: Reader, limit: number): Promise<readonly AuditLine[]> {
  const lines: AuditLine[] = [];
  let unread: readonly string[] = [];
  for (let before: string | null | undefined; before !== null && lines.length < limit;) {
    const page = await reader.back(before, Math.min(limit - lines.length, pageMax));
    lines.push(...page.lines);
    before = page.next;
    unread = page.unread ?? [];
  }
  if (unread.length > 0) warn(`lines of these portals are missing, they do not answer: ${unread.join(', ')}\n`);
  return lines.toReversed();
}

async function verify(state: string, reader: Reader, output: AuditOptions['output']): Promise<number> {
  const head = await reader.head();
  const verdict = await verifyRecord(recordIn(state), head);
  const others = await reader.others();
  const isWhole = others.every((each) => each.verdict !== null && each.verdict.found === 0);
  const code = verdict.found === 0 && isWhole ? 0 : 1;
  if (isForPrograms(output)) {
    await printValue(others.length === 0 ? verdict : { ...verdict, others }, output);
    return code;
  }
  sayOwn(verdict);
  for (const other of others) sayOther(other);
  return code;
}

function sayOther({ portal, verdict }: PortalVerdict): void {
  if (verdict === null) return write(`${portal}: it does not answer, so nobody knows\n`);
  for (const message of verdict.messages) write(`${portal}: ${plain(message)}\n`);
  write(
    `${portal}: ${verdict.lines} lines, ${verdict.found === 0 ? 'none was changed, removed or inserted' : `${verdict.found} findings`}\n`,
  );
}

function sayOwn(verdict: AuditVerdict): void {
  for (const { file, line, what, message } of verdict.findings) write(`${file}:${line} ${what}: ${message}\n`);
  const more = verdict.found - verdict.findings.length;
  if (more > 0) write(`and ${more} more\n`);
  const counted = `${verdict.lines} lines in ${verdict.files} ${verdict.files === 1 ? 'file' : 'files'}`;
  if (verdict.found === 0)
    write(`${counted}: none was changed, removed or inserted. The last one is ${verdict.head?.seq ?? 0} ${verdict.head?.hash ?? ''}\n`);
  else write(`${counted}, ${verdict.found} ${verdict.found === 1 ? 'finding' : 'findings'}\n`);
}

async function print(lines: readonly AuditLine[], output: AuditOptions['output'], isFirst: boolean): Promise<void> {
  if (output === 'json') write(lines.map((line) => `${jsonText(line)}\n`).join(''));
  else if (output === 'yaml') {
    for (const line of lines) {
      write('---\n');
      await printValue(line, 'yaml');
    }
  } else if (isFirst && lines.length === 0) write('No line is like that.\n');
  else if (isFirst || lines.length > 0) {
    const text = listing(lines, columns(Date.now()), output);
    write(isFirst ? text : text.slice(text.indexOf('\n') + 1));
  }
}

function columns(nowMs: number): Column<AuditLine>[] {
  return [
    { title: 'SEQ', isWide: true, of: ({ seq }) => String(seq) },
    { title: 'TIME', of: ({ time }) => moment(Date.parse(time), nowMs) },
    { title: 'BY', of: ({ by }) => whoText(by) },
    { title: 'FROM', isWide: true, of: ({ from }) => [from?.address ?? '', from?.agent ?? ''].filter((part) => part !== '').join(' ') },
    { title: 'ACTION', of: ({ action, times }) => (times === undefined ? action : `${action} ×${times}`) },
    { title: 'OBJECT', of: ({ object, person }) => object ?? (person === undefined ? '' : `Person/${person}`) },
    {
      title: 'RESULT',
      of: ({ result, code, reason }) => [result, code ?? reason ?? ''].filter((part) => part !== '').join(' '),
      tone: ({ result }) => (result === 'ok' ? 'plain' : 'busy'),
    },
    {
      title: 'DETAILS',
      isWide: true,
      of: ({ details }) =>
        Object.entries(details ?? {})
          .map(([name, value]) => `${name}=${value}`)
          .join(' '),
    },
    { title: 'REQUEST', isWide: true, of: ({ request }) => request ?? '' },
    { title: 'PORTAL', isWide: true, of: ({ portal }) => portal },
  ];
}

function whoText(by: AuditActor): string {
  if (by.kind === 'person') return by.admin === true ? `${by.person} (admin)` : by.person;
  if (by.kind === 'control') return by.uid === null ? 'control socket' : `uid ${by.uid}${by.login === undefined ? '' : ` (${by.login})`}`;
  if (by.kind === 'app') return by.person === undefined ? `app ${by.app}` : `app ${by.app} for ${by.person}`;
  return by.kind === 'job' ? `job ${by.job}` : by.kind;
}
