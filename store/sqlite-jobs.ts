/** Jobs of the queue in the embedded store. Contract: jobs.ts. */
import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { JobOutcome, JobRequest, ReportState } from '../schema/jobs.ts';
import type { JobStore, JobsFilter, NewJob, StoredJob, Submitted } from './jobs.ts';
import { limits } from './limits.ts';
import { openJobFiles } from './sqlite-job-files.ts';
import { openJobNotices } from './sqlite-notices.ts';
import type { TurnWriter } from './turn-writer.ts';

interface JobRow {
  id: string;
  change: number;
  person: string;
  app: string;
  submit_key: string;
  name: string;
  cluster: string;
  cpus: number;
  request_hash: string;
  request_id: string | null;
  created_at_ms: number;
  released_at_ms: number | null;
  attempt_at_ms: number | null;
  engine: string | null;
  accepted_at_ms: number | null;
  cancel_at_ms: number | null;
  report_state: string | null;
  report_code: number | null;
  report_progress: number | null;
  report_at_ms: number | null;
  started_at_ms: number | null;
  log_bytes: number;
  outcome: string | null;
  forgotten_at_ms: number | null;
  expires_at_ms: number | null;
}

function jobOf(row: JobRow): StoredJob {
  const { report_state: estado, report_code: codigo, report_progress: progresso, report_at_ms: atMs } = row;
  return {
    id: row.id,
    change: row.change,
    usuario: row.person,
    app: row.app,
    chave: row.submit_key,
    nome: row.name,
    cluster: row.cluster,
    cpus: row.cpus,
    requestId: row.request_id,
    createdAtMs: row.created_at_ms,
    releasedAtMs: row.released_at_ms,
    attemptAtMs: row.attempt_at_ms,
    engine: row.engine,
    acceptedAtMs: row.accepted_at_ms,
    cancelAtMs: row.cancel_at_ms,
    report: estado === null || atMs === null ? null : { estado: estado as ReportState, codigo, progresso, atMs },
    startedAtMs: row.started_at_ms,
    logBytes: row.log_bytes,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as JobOutcome),
    forgottenAtMs: row.forgotten_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

/** Each change has a number of its own, which never falls while the portal runs. */
type Next = () => number;

export function openJobs(database: DatabaseSync, writer: TurnWriter): JobStore {
  const { n } = database.prepare('SELECT coalesce(max(change), 0) AS n FROM jobs').get() as { n: number };
  let last = n;
  const next = (): number => (last += 1);
  return {
    ...openReads(database, writer),
    submitJob: openSubmit(database, writer, next),
    ...openSteps(database, writer, next),
    ...openJobFiles(database, writer, next),
  };
}

type Reads = Pick<JobStore, 'job' | 'jobs' | 'jobChanges' | 'jobRequest' | 'jobOfToken'>;

function openReads(database: DatabaseSync, writer: TurnWriter): Reads {
  const one = database.prepare('SELECT * FROM jobs WHERE id = ?');
  const changes = database.prepare('SELECT * FROM jobs WHERE change > ? ORDER BY change LIMIT ?');
  const request = database.prepare('SELECT body FROM job_requests WHERE job = ?');
  const ofToken = database.prepare('SELECT job FROM job_tokens WHERE token_hash = ?');
  return {
    job: async (id) => {
      writer.flush();
      const row = one.get(id) as JobRow | undefined;
      return row ? jobOf(row) : null;
    },
    jobs: async (filter) => {
      writer.flush();
      const { sql, values } = selection(filter);
      return (database.prepare(sql).all(...values) as unknown as JobRow[]).map(jobOf);
    },
    jobChanges: async (after, limit) => {
      writer.flush();
      return (changes.all(after, limit) as unknown as JobRow[]).map(jobOf);
    },
    jobRequest: async (id) => {
      writer.flush();
      const row = request.get(id) as { body: string } | undefined;
      return row ? (JSON.parse(row.body) as JobRequest) : null;
    },
    jobOfToken: async (tokenHash) => {
      writer.flush();
      return (ofToken.get(tokenHash) as { job: string } | undefined)?.job ?? null;
    },
  };
}

function selection({ usuario, app, cluster, before, limit }: JobsFilter): { readonly sql: string; readonly values: (string | number)[] } {
  const where: string[] = [];
  const values: (string | number)[] = [];
  for (const [column, value] of [
    ['person', usuario],
    ['app', app],
    ['cluster', cluster],
  ] as const) {
    if (value === null) continue;
    where.push(`${column} = ?`);
    values.push(value);
  }
  if (before !== null) {
    where.push('(created_at_ms, id) < (SELECT created_at_ms, id FROM jobs WHERE id = ?)');
    values.push(before);
  }
  const only = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  return { sql: `SELECT * FROM jobs ${only} ORDER BY created_at_ms DESC, id DESC LIMIT ?`, values: [...values, limit] };
}

function openSubmit(database: DatabaseSync, writer: TurnWriter, next: Next): JobStore['submitJob'] {
  const byKey = database.prepare('SELECT * FROM jobs WHERE person = ? AND app = ? AND submit_key = ?');
  const kept = database.prepare('SELECT job FROM job_keys WHERE person = ? AND app = ? AND submit_key = ?');
  const count = database.prepare('SELECT count(*) AS n FROM jobs WHERE person = ?');
  const whole = database.prepare('SELECT bytes FROM job_inputs WHERE person = ? AND app = ? AND sha = ? AND complete = 1');
  const insert = database.prepare(
    `INSERT INTO jobs (id, change, person, app, submit_key, name, cluster, cpus, request_hash, request_id, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
  );
  const putRequest = database.prepare('INSERT INTO job_requests VALUES (?, ?)');
  const putInput = database.prepare(`INSERT INTO job_files VALUES (?, 'in', ?, ?, ?, 1, 0)`);
  const run = (job: NewJob, max: { ofPerson: number }): Submitted => {
    const { id, usuario, app, chave, nome, cluster, createdAtMs, request, inputs, requestId = null } = job;
    const body = JSON.stringify(request);
    const requestHash = hash('sha256', JSON.stringify([body, cluster, inputs.map(({ caminho, sha }) => [caminho, sha])]), 'hex');
    const known = byKey.get(usuario, app, chave) as JobRow | undefined;
    if (known) return { kind: known.request_hash === requestHash ? 'known' : 'other', job: jobOf(known) };
    const gone = kept.get(usuario, app, chave) as { job: string } | undefined;
    if (gone) return { kind: 'gone', id: gone.job };
    if ((count.get(usuario) as { n: number }).n >= max.ofPerson) return { kind: 'full' };
    const sizes = inputs.map(({ sha }) => (whole.get(usuario, app, sha) as { bytes: number } | undefined)?.bytes);
    const missing = inputs.filter((_, index) => sizes[index] === undefined).map(({ sha }) => sha);
    if (missing.length > 0) return { kind: 'missing', shas: [...new Set(missing)] };
    const row = insert.get(id, next(), usuario, app, chave, nome, cluster, request.limites.cpus, requestHash, requestId, createdAtMs);
    putRequest.run(id, body);
    inputs.forEach(({ caminho, sha }, index) => putInput.run(id, caminho, sha, sizes[index] ?? 0));
    return { kind: 'new', job: jobOf(row as unknown as JobRow) };
  };
  return (job, max) => writer.write(() => run(job, max));
}

type Steps = Omit<JobStore, keyof Reads | 'submitJob' | keyof ReturnType<typeof openJobFiles>>;

function openSteps(database: DatabaseSync, writer: TurnWriter, next: Next): Steps {
  const set = (columns: string, where = '') => database.prepare(`UPDATE jobs SET change = ?, ${columns} WHERE id = ? ${where}`);
  const release = set('released_at_ms = ?', 'AND released_at_ms IS NULL AND outcome IS NULL');
  const attempt = set('attempt_at_ms = ?, engine = coalesce(engine, ?)');
  const accept = set('accepted_at_ms = coalesce(accepted_at_ms, ?)');
  const cancel = set('cancel_at_ms = coalesce(cancel_at_ms, ?)', 'AND outcome IS NULL');
  const report = set(
    `report_state = ?, report_code = coalesce(?, report_code), report_progress = coalesce(?, report_progress), report_at_ms = ?,
       started_at_ms = coalesce(started_at_ms, ?)`,
    'AND outcome IS NULL',
  );
  const forgotten = set('forgotten_at_ms = ?');
  const token = database.prepare('INSERT OR IGNORE INTO job_tokens VALUES (?, ?)');
  const drop = database.prepare('DELETE FROM jobs WHERE id = ?');
  const keepKey = database.prepare(
    `INSERT OR REPLACE INTO job_keys SELECT person, app, submit_key, id, ? FROM jobs WHERE id = ? AND person <> ''`,
  );
  const forgetKeys = database.prepare('DELETE FROM job_keys WHERE at_ms < ?');
  const leave = database.prepare(`INSERT OR IGNORE INTO job_leftovers VALUES (?, ?)`);
  return {
    releaseJobs: (ids, atMs) =>
      writer.write(() => {
        for (const id of ids) release.run(next(), atMs, id);
      }),
    noteAttempt: (id, atMs, { tokenHash, engine }) =>
      writer.write(() => {
        token.run(tokenHash, id);
        attempt.run(next(), atMs, engine, id);
      }),
    acceptJob: (id, atMs) => writer.write(() => void accept.run(next(), atMs, id)),
    cancelJob: (id, atMs) => writer.write(() => cancel.run(next(), atMs, id).changes === 1),
    reportJob: (id, { estado, codigo, progresso, atMs }) =>
      writer.write(() => void report.run(next(), estado, codigo, progresso, atMs, atMs, id)),
    settleJob: openSettle(database, writer, next),
    noteForgotten: (id, atMs) => writer.write(() => void forgotten.run(next(), atMs, id)),
    dropJob: (id, atMs) =>
      writer.write(() => {
        leave.run('job', id);
        forgetKeys.run(atMs - limits.jobKeyKeptMs);
        keepKey.run(atMs, id);
        drop.run(id);
      }),
    forgetJobsOf: openForgetJobs(database, writer, next),
  };
}

function openSettle(database: DatabaseSync, writer: TurnWriter, next: Next): JobStore['settleJob'] {
  const settle = database.prepare(
    `UPDATE jobs SET change = ?, outcome = ?, expires_at_ms = coalesce(expires_at_ms, ?) WHERE id = ? AND outcome IS NULL
       RETURNING person, app, name`,
  );
  const endTokens = database.prepare('DELETE FROM job_tokens WHERE job = ?');
  const notice = openJobNotices(database);
  return (id, outcome, { atMs, expiresAtMs }) =>
    writer.write(() => {
      const job = settle.get(next(), JSON.stringify(outcome), expiresAtMs, id) as Pick<JobRow, 'person' | 'app' | 'name'> | undefined;
      endTokens.run(id);
      // Nobody who left, and no app that asked for itself, has a bell.
      if (job === undefined || !isPersonName(job.person)) return null;
      notice({ id, usuario: job.person, app: job.app, nome: job.name, estado: outcome.estado, atMs });
      return job.person;
    });
}

const isPersonName = (usuario: string): boolean => usuario !== '' && !usuario.startsWith('@');

function openForgetJobs(database: DatabaseSync, writer: TurnWriter, next: Next): JobStore['forgetJobsOf'] {
  const of = database.prepare('SELECT id FROM jobs WHERE person = ?');
  const orphan = database.prepare(
    `UPDATE jobs SET change = ?, person = '', submit_key = id, cancel_at_ms = CASE WHEN outcome IS NULL THEN coalesce(cancel_at_ms, ?) ELSE cancel_at_ms END,
       expires_at_ms = ? WHERE id = ?`,
  );
  const leave = database.prepare(
    `INSERT OR IGNORE INTO job_leftovers SELECT 'input', person || '/' || app || '/' || sha FROM job_inputs WHERE person = ?`,
  );
  const drop = database.prepare('DELETE FROM job_inputs WHERE person = ?');
  const dropKeys = database.prepare('DELETE FROM job_keys WHERE person = ?');
  return (usuario, atMs) =>
    writer.write(() => {
      const ids = (of.all(usuario) as { id: string }[]).map(({ id }) => id);
      for (const id of ids) orphan.run(next(), atMs, atMs, id);
      leave.run(usuario);
      drop.run(usuario);
      dropKeys.run(usuario);
      return ids;
    });
}
