/** Inputs, outputs and logs of jobs, as rows; the bytes lie in files. Contract: jobs.ts. */
import type { JobFile, JobLeftover, JobOutput, JobStore } from '../jobs.ts';
import { done, type Act, type Sql } from '../sql.ts';

interface FileRow {
  path: string;
  sha: string;
  bytes: number;
  complete: number;
  refused: number;
}

function outputOf({ path, sha, bytes, complete, refused }: FileRow): JobOutput {
  return { caminho: path, sha, bytes, complete: complete === 1, refused: refused === 1 };
}

type Part = Pick<
  JobStore,
  | 'input'
  | 'reserveInput'
  | 'completeInput'
  | 'jobInputs'
  | 'announceOutputs'
  | 'outputs'
  | 'completeOutput'
  | 'noteLog'
  | 'jobSpace'
  | 'expireInputs'
  | 'leftovers'
  | 'forgetLeftover'
>;

type Next = () => Act<number>;

export function openJobFiles(sql: Sql, next: Next): Part {
  const space = openSpace(sql);
  const log = sql.prepare('UPDATE jobs SET change = ?1, log_bytes = ?2 WHERE id = ?3 AND log_bytes <> ?2');
  return {
    ...openInputs(sql, space),
    ...openOutputs(sql, next, space),
    ...openLeftovers(sql),
    noteLog: (id, bytes) =>
      sql.write(function* () {
        yield* log.run(yield* next(), bytes, id);
      }),
    jobSpace: (usuario) => sql.read(() => space(usuario)),
  };
}

type Space = (usuario: string) => Act<number>;

function openSpace(sql: Sql): Space {
  const sum = sql.prepare(
    `SELECT (SELECT coalesce(sum(bytes), 0) FROM job_inputs WHERE person = ?1)
          + (SELECT coalesce(sum(output_bytes + log_bytes), 0) FROM jobs WHERE person = ?1) AS n`,
  );
  return function* (usuario) {
    return (yield* sum.get<{ readonly n: number }>(usuario))?.n ?? 0;
  };
}

function openInputs(sql: Sql, space: Space): Pick<Part, 'input' | 'reserveInput' | 'completeInput' | 'jobInputs'> {
  const one = sql.prepare('SELECT bytes, complete FROM job_inputs WHERE person = ? AND app = ? AND sha = ?');
  const put = sql.prepare('INSERT INTO job_inputs VALUES (?, ?, ?, ?, 0, ?)');
  const touch = sql.prepare(
    'UPDATE job_inputs SET at_ms = CASE WHEN at_ms > ?1 THEN at_ms ELSE ?1 END WHERE person = ?2 AND app = ?3 AND sha = ?4',
  );
  const complete = sql.prepare('UPDATE job_inputs SET complete = 1 WHERE person = ? AND app = ? AND sha = ?');
  const ofJob = sql.prepare(`SELECT path, sha, bytes FROM job_files WHERE job = ? AND kind = 'in' ORDER BY path`);
  type InputRow = { readonly bytes: number; readonly complete: number };
  return {
    input: (usuario, app, sha) =>
      sql.read(function* () {
        const row = yield* one.get<InputRow>(usuario, app, sha);
        return row ? { bytes: row.bytes, complete: row.complete === 1 } : null;
      }),
    reserveInput: ({ usuario, app, sha, bytes, atMs }, bytesMax) =>
      sql.write(function* () {
        const row = yield* one.get<InputRow>(usuario, app, sha);
        if (row !== undefined && row.bytes !== bytes) return 'differs' as const;
        if (row !== undefined) yield* touch.run(atMs, usuario, app, sha);
        else if ((yield* space(usuario)) + bytes > bytesMax) return 'full' as const;
        else yield* put.run(usuario, app, sha, bytes, atMs);
        return 'ok' as const;
      }),
    completeInput: ({ usuario, app, sha }) => sql.write(() => done(complete.run(usuario, app, sha))),
    jobInputs: (id) =>
      sql.read(function* () {
        return (yield* ofJob.all<FileRow>(id)).map(({ path, sha, bytes }) => ({ caminho: path, sha, bytes }));
      }),
  };
}

function openOutputs(sql: Sql, next: Next, space: Space): Pick<Part, 'announceOutputs' | 'outputs' | 'completeOutput'> {
  const all = sql.prepare(`SELECT path, sha, bytes, complete, refused FROM job_files WHERE job = ? AND kind = 'out' ORDER BY path`);
  const owner = sql.prepare('SELECT person, output_bytes FROM jobs WHERE id = ?');
  const clear = sql.prepare(`DELETE FROM job_files WHERE job = ? AND kind = 'out'`);
  const put = sql.prepare(
    `INSERT INTO job_files VALUES (?, 'out', ?, ?, ?, ?, ?) ON CONFLICT (job, kind, path) DO UPDATE SET
       sha = excluded.sha, bytes = excluded.bytes, complete = excluded.complete, refused = excluded.refused`,
  );
  const figure = sql.prepare('UPDATE jobs SET change = ?, output_bytes = ? WHERE id = ?');
  const complete = sql.prepare(`UPDATE job_files SET complete = 1 WHERE job = ? AND kind = 'out' AND sha = ?`);
  const changed = sql.prepare('UPDATE jobs SET change = ? WHERE id = ?');
  function* read(id: string): Act<readonly JobOutput[]> {
    return (yield* all.all<FileRow>(id)).map(outputOf);
  }
  function* announce(id: string, files: readonly JobFile[], bytesMax: number): Act<readonly JobOutput[]> {
    const row = yield* owner.get<{ readonly person: string; readonly output_bytes: number }>(id);
    if (row === undefined) return [];
    const whole = new Set((yield* read(id)).flatMap(({ sha, complete: is }) => (is ? [sha] : [])));
    let free = bytesMax - (yield* space(row.person)) + row.output_bytes;
    let held = 0;
    // Equal bytes are kept once.
    const counted = new Set<string>();
    yield* clear.run(id);
    for (const { caminho, sha, bytes } of files) {
      const costs = counted.has(sha) ? 0 : bytes;
      const refused = costs > free;
      if (!refused) {
        counted.add(sha);
        free -= costs;
        held += costs;
      }
      yield* put.run(id, caminho, sha, bytes, !refused && whole.has(sha) ? 1 : 0, refused ? 1 : 0);
    }
    yield* figure.run(yield* next(), held, id);
    return yield* read(id);
  }
  return {
    announceOutputs: (id, files, bytesMax) => sql.write(() => announce(id, files, bytesMax)),
    outputs: (id) => sql.read(() => read(id)),
    completeOutput: (id, sha) =>
      sql.write(function* () {
        yield* complete.run(id, sha);
        yield* changed.run(yield* next(), id);
      }),
  };
}

function openLeftovers(sql: Sql): Pick<Part, 'expireInputs' | 'leftovers' | 'forgetLeftover'> {
  const old = sql.prepare(
    `SELECT person, app, sha FROM job_inputs AS kept WHERE at_ms < ? AND NOT EXISTS (
       SELECT 1 FROM job_files JOIN jobs ON jobs.id = job_files.job
       WHERE job_files.kind = 'in' AND job_files.sha = kept.sha AND jobs.person = kept.person AND jobs.app = kept.app) LIMIT ?`,
  );
  const drop = sql.prepare('DELETE FROM job_inputs WHERE person = ? AND app = ? AND sha = ?');
  const leave = sql.prepare(`INSERT INTO job_leftovers VALUES ('input', ?) ON CONFLICT DO NOTHING`);
  const all = sql.prepare('SELECT kind, name FROM job_leftovers ORDER BY kind, name LIMIT ?');
  const forget = sql.prepare('DELETE FROM job_leftovers WHERE kind = ? AND name = ?');
  return {
    expireInputs: (beforeMs, limit) =>
      sql.write(function* () {
        const rows = yield* old.all<{ readonly person: string; readonly app: string; readonly sha: string }>(beforeMs, limit);
        for (const { person, app, sha } of rows) {
          yield* leave.run(`${person}/${app}/${sha}`);
          yield* drop.run(person, app, sha);
        }
        return rows.length;
      }),
    leftovers: (limit) => sql.read(() => all.all<JobLeftover>(limit)),
    forgetLeftover: ({ kind, name }) => sql.write(() => done(forget.run(kind, name))),
  };
}
