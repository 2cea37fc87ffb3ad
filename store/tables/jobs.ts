/** Jobs of the queue. Contract: jobs.ts. */
import { hash } from 'node:crypto';
import type { JobOutcome, JobRequest, ReportState } from '../../schema/jobs.ts';
import type { JobStore, JobsFilter, NewJob, StoredJob, Submitted } from '../jobs.ts';
import { limits } from '../limits.ts';
import { done, type Act, type Sql, type Value } from '../sql.ts';
import { openJobFiles } from './job-files.ts';
import { openJobNotices } from './notices.ts';

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

/** Each change has a number of its own, which never falls: of two that portals make at a time the one that is committed first has the lower. */
type Next = () => Act<number>;

/**
 * So many jobs a person has at most: counted once, what was submitted since is added, what went is not taken away. To count takes as long as
 * there are jobs (0.8 ms of 10,000, as much as all the rest of a submission), so it is done again only where this is no answer.
 * Decision: docs/decisions/0287-what-a-tiny-job-costs.md
 */
type Most = Map<string, number>;

export function openJobs(sql: Sql): JobStore {
  const count = sql.prepare("UPDATE counters SET n = n + 1 WHERE name = 'jobs' RETURNING n");
  const most: Most = new Map();
  let last = 0;
  const next: Next = function* () {
    const row = yield* count.get<{ readonly n: number }>();
    if (row === undefined) throw new Error('the counter of the changes of jobs is missing');
    // Another portal wrote since, or a transaction of ours did not come to be.
    if (row.n !== last + 1) most.clear();
    last = row.n;
    return row.n;
  };
  return { ...openReads(sql), submitJob: openSubmit(sql, next, most), ...openSteps(sql, next), ...openJobFiles(sql, next) };
}

type Reads = Pick<JobStore, 'job' | 'jobs' | 'jobChanges' | 'jobRequest' | 'jobOfToken'>;

function openReads(sql: Sql): Reads {
  const one = sql.prepare('SELECT * FROM jobs WHERE id = ?');
  const changes = sql.prepare('SELECT * FROM jobs WHERE change > ? ORDER BY change LIMIT ?');
  const request = sql.prepare('SELECT body FROM job_requests WHERE job = ?');
  const ofToken = sql.prepare('SELECT job FROM job_tokens WHERE token_hash = ?');
  return {
    job: (id) =>
      sql.read(function* () {
        const row = yield* one.get<JobRow>(id);
        return row ? jobOf(row) : null;
      }),
    jobs: (filter) =>
      sql.read(function* () {
        const { text, values } = selection(filter);
        return (yield* sql.prepare(text).all<JobRow>(...values)).map(jobOf);
      }),
    jobChanges: (after, limit) =>
      sql.read(function* () {
        return (yield* changes.all<JobRow>(after, limit)).map(jobOf);
      }),
    jobRequest: (id) =>
      sql.read(function* () {
        const row = yield* request.get<{ readonly body: string }>(id);
        return row ? (JSON.parse(row.body) as JobRequest) : null;
      }),
    jobOfToken: (tokenHash) =>
      sql.read(function* () {
        return (yield* ofToken.get<{ readonly job: string }>(tokenHash))?.job ?? null;
      }),
  };
}

function selection({ usuario, app, cluster, before, limit }: JobsFilter): { readonly text: string; readonly values: (string | number)[] } {
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
  return { text: `SELECT * FROM jobs ${only} ORDER BY created_at_ms DESC, id DESC LIMIT ?`, values: [...values, limit] };
}

function openSubmit(sql: Sql, next: Next, most: Most): JobStore['submitJob'] {
  const byKey = sql.prepare('SELECT * FROM jobs WHERE person = ? AND app = ? AND submit_key = ?');
  const kept = sql.prepare('SELECT job FROM job_keys WHERE person = ? AND app = ? AND submit_key = ?');
  const count = sql.prepare('SELECT count(*) AS n FROM jobs WHERE person = ?');
  const whole = sql.prepare('SELECT bytes FROM job_inputs WHERE person = ? AND app = ? AND sha = ? AND complete = 1');
  const insert = sql.prepare(
    `INSERT INTO jobs (id, change, person, app, submit_key, name, cluster, cpus, request_hash, request_id, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
  );
  const putRequest = sql.prepare('INSERT INTO job_requests VALUES (?, ?)');
  const putInput = sql.prepare(`INSERT INTO job_files VALUES (?, 'in', ?, ?, ?, 1, 0)`);
  function* isFull(usuario: string, max: number): Act<boolean> {
    if ((most.get(usuario) ?? max) >= max) most.set(usuario, (yield* count.get<{ readonly n: number }>(usuario))?.n ?? 0);
    return most.get(usuario)! >= max;
  }
  function* submit(job: NewJob, max: { readonly ofPerson: number }): Act<Submitted> {
    const { id, usuario, app, chave, nome, cluster, createdAtMs, request, inputs, requestId = null } = job;
    const body = JSON.stringify(request);
    const requestHash = hash('sha256', JSON.stringify([body, cluster, inputs.map(({ caminho, sha }) => [caminho, sha])]), 'hex');
    const known = yield* byKey.get<JobRow>(usuario, app, chave);
    if (known) return { kind: known.request_hash === requestHash ? 'known' : 'other', job: jobOf(known) };
    const gone = yield* kept.get<{ readonly job: string }>(usuario, app, chave);
    if (gone) return { kind: 'gone', id: gone.job };
    if (yield* isFull(usuario, max.ofPerson)) return { kind: 'full' };
    const sizes: (number | undefined)[] = [];
    for (const { sha } of inputs) sizes.push((yield* whole.get<{ readonly bytes: number }>(usuario, app, sha))?.bytes);
    const missing = inputs.filter((_, index) => sizes[index] === undefined).map(({ sha }) => sha);
    if (missing.length > 0) return { kind: 'missing', shas: [...new Set(missing)] };
    const change = yield* next();
    const have = most.get(usuario);
    if (have !== undefined) most.set(usuario, have + 1);
    const row = yield* insert.get<JobRow>(
      id,
      change,
      usuario,
      app,
      chave,
      nome,
      cluster,
      request.limites.cpus,
      requestHash,
      requestId,
      createdAtMs,
    );
    yield* putRequest.run(id, body);
    for (const [index, { caminho, sha }] of inputs.entries()) yield* putInput.run(id, caminho, sha, sizes[index] ?? 0);
    return { kind: 'new', job: jobOf(row as JobRow) };
  }
  return (job, max) => sql.write(() => submit(job, max));
}

type Steps = Omit<JobStore, keyof Reads | 'submitJob' | keyof ReturnType<typeof openJobFiles>>;
type Values = readonly Value[];

function openSteps(sql: Sql, next: Next): Steps {
  const set = (columns: string, where = '') => {
    const statement = sql.prepare(`UPDATE jobs SET change = ?, ${columns} WHERE id = ? ${where}`);
    return function* (...values: Values): Act<number> {
      return yield* statement.run(yield* next(), ...values);
    };
  };
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
  const token = sql.prepare('INSERT INTO job_tokens VALUES (?, ?) ON CONFLICT DO NOTHING');
  const drop = sql.prepare('DELETE FROM jobs WHERE id = ?');
  const keepKey = sql.prepare(
    `INSERT INTO job_keys SELECT person, app, submit_key, id, CAST(? AS BIGINT) FROM jobs WHERE id = ? AND person <> ''
       ON CONFLICT (person, app, submit_key) DO UPDATE SET job = excluded.job, at_ms = excluded.at_ms`,
  );
  const forgetKeys = sql.prepare('DELETE FROM job_keys WHERE at_ms < ?');
  const leave = sql.prepare('INSERT INTO job_leftovers VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    releaseJobs: (ids, atMs) =>
      sql.write(function* () {
        for (const id of ids) yield* release(atMs, id);
      }),
    noteAttempt: (id, atMs, { tokenHash, engine }) =>
      sql.write(function* () {
        yield* token.run(tokenHash, id);
        yield* attempt(atMs, engine, id);
      }),
    acceptJob: (id, atMs) => sql.write(() => done(accept(atMs, id))),
    cancelJob: (id, atMs) =>
      sql.write(function* () {
        return (yield* cancel(atMs, id)) === 1;
      }),
    reportJob: (id, { estado, codigo, progresso, atMs }) => sql.write(() => done(report(estado, codigo, progresso, atMs, atMs, id))),
    settleJob: openSettle(sql, next),
    noteForgotten: (id, atMs) => sql.write(() => done(forgotten(atMs, id))),
    dropJob: (id, atMs) =>
      sql.write(function* () {
        yield* leave.run('job', id);
        yield* forgetKeys.run(atMs - limits.jobKeyKeptMs);
        yield* keepKey.run(atMs, id);
        yield* drop.run(id);
      }),
    forgetJobsOf: openForgetJobs(sql, next),
  };
}

function openSettle(sql: Sql, next: Next): JobStore['settleJob'] {
  const settle = sql.prepare(
    `UPDATE jobs SET change = ?, outcome = ?, expires_at_ms = coalesce(expires_at_ms, ?) WHERE id = ? AND outcome IS NULL
       RETURNING person, app, name`,
  );
  const endTokens = sql.prepare('DELETE FROM job_tokens WHERE job = ?');
  const notice = openJobNotices(sql);
  return (id, outcome, { atMs, expiresAtMs }) =>
    sql.write(function* () {
      const change = yield* next();
      const job = yield* settle.get<Pick<JobRow, 'person' | 'app' | 'name'>>(change, JSON.stringify(outcome), expiresAtMs, id);
      yield* endTokens.run(id);
      // Nobody who left, and no app that asked for itself, has a bell.
      if (job === undefined || !isPersonName(job.person)) return null;
      yield* notice({ id, usuario: job.person, app: job.app, nome: job.name, estado: outcome.estado, atMs });
      return job.person;
    });
}

const isPersonName = (usuario: string): boolean => usuario !== '' && !usuario.startsWith('@');

function openForgetJobs(sql: Sql, next: Next): JobStore['forgetJobsOf'] {
  const of = sql.prepare('SELECT id FROM jobs WHERE person = ?');
  const orphan = sql.prepare(
    `UPDATE jobs SET change = ?, person = '', submit_key = id, cancel_at_ms = CASE WHEN outcome IS NULL THEN coalesce(cancel_at_ms, ?) ELSE cancel_at_ms END,
       expires_at_ms = ? WHERE id = ?`,
  );
  const leave = sql.prepare(
    `INSERT INTO job_leftovers SELECT 'input', person || '/' || app || '/' || sha FROM job_inputs WHERE person = ? ON CONFLICT DO NOTHING`,
  );
  const drop = sql.prepare('DELETE FROM job_inputs WHERE person = ?');
  const dropKeys = sql.prepare('DELETE FROM job_keys WHERE person = ?');
  return (usuario, atMs) =>
    sql.write(function* () {
      const ids = (yield* of.all<{ readonly id: string }>(usuario)).map(({ id }) => id);
      for (const id of ids) yield* orphan.run(yield* next(), atMs, atMs, id);
      yield* leave.run(usuario);
      yield* drop.run(usuario);
      yield* dropKeys.run(usuario);
      return ids;
    });
}
