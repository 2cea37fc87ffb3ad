/** Inputs, outputs and logs of jobs, as rows; the bytes lie in files. Contract: jobs.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { JobFile, JobLeftover, JobOutput, JobStore } from './jobs.ts';
import type { TurnWriter } from './turn-writer.ts';

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

export function openJobFiles(database: DatabaseSync, writer: TurnWriter, next: () => number): Part {
  const space = openSpace(database);
  const log = database.prepare('UPDATE jobs SET change = ?, log_bytes = ? WHERE id = ? AND log_bytes IS NOT ?');
  return {
    ...openInputs(database, writer, space),
    ...openOutputs(database, writer, next, space),
    ...openLeftovers(database, writer),
    noteLog: (id, bytes) => writer.write(() => void log.run(next(), bytes, id, bytes)),
    jobSpace: async (usuario) => {
      writer.flush();
      return space(usuario);
    },
  };
}

type Space = (usuario: string) => number;

function openSpace(database: DatabaseSync): Space {
  const sum = database.prepare(
    `SELECT (SELECT coalesce(sum(bytes), 0) FROM job_inputs WHERE person = ?1)
          + (SELECT coalesce(sum(output_bytes + log_bytes), 0) FROM jobs WHERE person = ?1) AS n`,
  );
  return (usuario) => (sum.get(usuario) as { n: number }).n;
}

function openInputs(
  database: DatabaseSync,
  writer: TurnWriter,
  space: Space,
): Pick<Part, 'input' | 'reserveInput' | 'completeInput' | 'jobInputs'> {
  const one = database.prepare('SELECT bytes, complete FROM job_inputs WHERE person = ? AND app = ? AND sha = ?');
  const put = database.prepare('INSERT INTO job_inputs VALUES (?, ?, ?, ?, 0, ?)');
  const touch = database.prepare('UPDATE job_inputs SET at_ms = max(at_ms, ?) WHERE person = ? AND app = ? AND sha = ?');
  const complete = database.prepare('UPDATE job_inputs SET complete = 1 WHERE person = ? AND app = ? AND sha = ?');
  const ofJob = database.prepare(`SELECT path, sha, bytes FROM job_files WHERE job = ? AND kind = 'in' ORDER BY path`);
  const known = (usuario: string, app: string, sha: string) =>
    one.get(usuario, app, sha) as { bytes: number; complete: number } | undefined;
  return {
    input: async (usuario, app, sha) => {
      writer.flush();
      const row = known(usuario, app, sha);
      return row ? { bytes: row.bytes, complete: row.complete === 1 } : null;
    },
    reserveInput: ({ usuario, app, sha, bytes, atMs }, bytesMax) =>
      writer.write(() => {
        const row = known(usuario, app, sha);
        if (row !== undefined && row.bytes !== bytes) return 'differs';
        if (row !== undefined) touch.run(atMs, usuario, app, sha);
        else if (space(usuario) + bytes > bytesMax) return 'full';
        else put.run(usuario, app, sha, bytes, atMs);
        return 'ok';
      }),
    completeInput: ({ usuario, app, sha }) => writer.write(() => void complete.run(usuario, app, sha)),
    jobInputs: async (id) => {
      writer.flush();
      return (ofJob.all(id) as unknown as FileRow[]).map(({ path, sha, bytes }) => ({ caminho: path, sha, bytes }));
    },
  };
}

function openOutputs(
  database: DatabaseSync,
  writer: TurnWriter,
  next: () => number,
  space: Space,
): Pick<Part, 'announceOutputs' | 'outputs' | 'completeOutput'> {
  const all = database.prepare(`SELECT path, sha, bytes, complete, refused FROM job_files WHERE job = ? AND kind = 'out' ORDER BY path`);
  const owner = database.prepare('SELECT person, output_bytes FROM jobs WHERE id = ?');
  const clear = database.prepare(`DELETE FROM job_files WHERE job = ? AND kind = 'out'`);
  const put = database.prepare(`INSERT OR REPLACE INTO job_files VALUES (?, 'out', ?, ?, ?, ?, ?)`);
  const figure = database.prepare('UPDATE jobs SET change = ?, output_bytes = ? WHERE id = ?');
  const complete = database.prepare(`UPDATE job_files SET complete = 1 WHERE job = ? AND kind = 'out' AND sha = ?`);
  const changed = database.prepare('UPDATE jobs SET change = ? WHERE id = ?');
  const read = (id: string): JobOutput[] => (all.all(id) as unknown as FileRow[]).map(outputOf);
  const announce = (id: string, files: readonly JobFile[], bytesMax: number): readonly JobOutput[] => {
    const row = owner.get(id) as { person: string; output_bytes: number } | undefined;
    if (row === undefined) return [];
    const whole = new Set(read(id).flatMap(({ sha, complete: is }) => (is ? [sha] : [])));
    let free = bytesMax - space(row.person) + row.output_bytes;
    let held = 0;
    // Equal bytes are kept once.
    const counted = new Set<string>();
    clear.run(id);
    for (const { caminho, sha, bytes } of files) {
      const costs = counted.has(sha) ? 0 : bytes;
      const refused = costs > free;
      if (!refused) {
        counted.add(sha);
        free -= costs;
        held += costs;
      }
      put.run(id, caminho, sha, bytes, !refused && whole.has(sha) ? 1 : 0, refused ? 1 : 0);
    }
    figure.run(next(), held, id);
    return read(id);
  };
  return {
    announceOutputs: (id, files, bytesMax) => writer.write(() => announce(id, files, bytesMax)),
    outputs: async (id) => {
      writer.flush();
      return read(id);
    },
    completeOutput: (id, sha) =>
      writer.write(() => {
        complete.run(id, sha);
        changed.run(next(), id);
      }),
  };
}

function openLeftovers(database: DatabaseSync, writer: TurnWriter): Pick<Part, 'expireInputs' | 'leftovers' | 'forgetLeftover'> {
  const old = database.prepare(
    `SELECT person, app, sha FROM job_inputs AS input WHERE at_ms < ? AND NOT EXISTS (
       SELECT 1 FROM job_files JOIN jobs ON jobs.id = job_files.job
       WHERE job_files.kind = 'in' AND job_files.sha = input.sha AND jobs.person = input.person AND jobs.app = input.app) LIMIT ?`,
  );
  const drop = database.prepare('DELETE FROM job_inputs WHERE person = ? AND app = ? AND sha = ?');
  const leave = database.prepare(`INSERT OR IGNORE INTO job_leftovers VALUES ('input', ?)`);
  const all = database.prepare('SELECT kind, name FROM job_leftovers ORDER BY kind, name LIMIT ?');
  const forget = database.prepare('DELETE FROM job_leftovers WHERE kind = ? AND name = ?');
  return {
    expireInputs: (beforeMs, limit) =>
      writer.write(() => {
        const rows = old.all(beforeMs, limit) as { person: string; app: string; sha: string }[];
        for (const { person, app, sha } of rows) {
          leave.run(`${person}/${app}/${sha}`);
          drop.run(person, app, sha);
        }
        return rows.length;
      }),
    leftovers: async (limit) => {
      writer.flush();
      return all.all(limit) as unknown as JobLeftover[];
    },
    forgetLeftover: ({ kind, name }) => writer.write(() => void forget.run(kind, name)),
  };
}
