/**
 * The wrapper that runs a job's command on the cluster, and asks with the token of that job alone: fetches inputs, says how far it is, sends log and
 * outputs. Every answer says how far the bytes are, so that a repeat after a lost answer doubles nothing. Decision: docs/decisions/0211-the-queue.md
 */
import { keys } from '../../schema/keys.ts';
import type { Bus } from '../../store/bus.ts';
import type { JobFile, JobOutput, JobReport, JobStore, StoredJob } from '../../store/jobs.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { isJobPath, reportStates, shaPattern, type ReportState } from '../../schema/jobs.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { isSecretShape, secretHash } from '../auth/secrets.ts';
import type { BeginUpload } from '../http/uploads.ts';
import { noSuchJob } from './callers.ts';
import type { OpenBytes } from '../../store/bytes.ts';
import type { QueueFiles } from './files.ts';

export interface ExecutorDeps {
  readonly jobs: JobStore;
  readonly files: QueueFiles;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly beginUpload: BeginUpload;
  /** Bytes that a person's jobs may keep. */
  readonly spaceMax: () => number;
}

type Body = AsyncIterable<Uint8Array>;

export interface Executor {
  /** The job of a bearer token. Rejects UNAUTHENTICATED. */
  check(authorization: string): Promise<string>;
  /** A line for each input: sha256, size, path, between tabs; the path percent-encoded. */
  inputs(job: string): Promise<string>;
  input(job: string, sha: string): Promise<OpenBytes>;
  /** `gone`: it is to be ended. A wrapper that just began gets its inputs, as above. */
  report(job: string, text: string): Promise<'gone' | { readonly inputs: string | null }>;
  log(job: string, from: number, body: Body): Promise<number>;
  /** The same lines for outputs; answers those that are wanted still, as sha256 and how much of it is here. */
  announce(job: string, text: string): Promise<string>;
  output(job: string, sha: string, from: number, body: Body): Promise<{ readonly ate: number; readonly complete: boolean }>;
}

export function createExecutor(deps: ExecutorDeps): Executor {
  const { jobs, files, bus } = deps;
  const open = async (id: string): Promise<StoredJob> => {
    const job = await jobs.job(id);
    if (job === null || job.outcome !== null) throw noSuchJob();
    return job;
  };
  const changed = ({ id, usuario, app }: StoredJob): void => bus.jobChanged({ id, usuario, app });
  const inputs = async (id: string): Promise<string> =>
    (await jobs.jobInputs(id)).map(({ sha, bytes, caminho }) => `${sha}\t${bytes}\t${encodePath(caminho)}\n`).join('');
  return {
    check: (authorization) => check(deps, authorization),
    inputs,
    input: async (id, sha) => {
      const job = await open(id);
      const isItsOwn = (await jobs.jobInputs(id)).some((each) => each.sha === sha);
      const file = isItsOwn ? await files.open(files.inputPlace(job.usuario, job.app, sha)) : null;
      if (file === null) throw new SvcError('NOT_FOUND', 'the job has no such input');
      return file;
    },
    report: async (id, text) => {
      const job = await open(id);
      const before = job.report?.estado ?? null;
      const report = readReport(text, before, deps.clock.nowMs());
      await jobs.reportJob(id, report);
      // How far it is wakes nobody but who looks at it.
      if (report.estado !== before) bus.enqueue(keys.job(id), true);
      changed(job);
      if (job.cancelAtMs !== null) return 'gone';
      return { inputs: report.estado === 'iniciado' ? await inputs(id) : null };
    },
    log: async (id, from, body) => {
      const job = await open(id);
      const ate = await files.addLog(id, from, body);
      await jobs.noteLog(id, ate);
      changed(job);
      return ate;
    },
    announce: async (id, text) => {
      const job = await open(id);
      const list = readList(text);
      const before = await jobs.outputs(id);
      const outputs = await jobs.announceOutputs(id, list, deps.spaceMax());
      changed(job);
      // Old bytes of a file that changed while the command ran count for nobody.
      const kept = new Set(outputs.map(({ sha }) => sha));
      for (const sha of new Set(before.map((one) => one.sha))) if (!kept.has(sha)) await files.drop(files.outputPlace(id, sha));
      return await wanted(files, id, outputs);
    },
    output: async (id, sha, from, body) => {
      const job = await open(id);
      const row = (await jobs.outputs(id)).find((each) => each.sha === sha && !each.refused);
      if (row === undefined) throw new SvcError('NOT_FOUND', 'the job announced no such output');
      const end = deps.beginUpload(id);
      try {
        await files.refuseFull(row.bytes);
        const added = await files.add(files.outputPlace(id, sha), from, row.bytes, body);
        if (added.complete) await jobs.completeOutput(id, sha);
        if (added.complete) changed(job);
        return added;
      } finally {
        end();
      }
    },
  };
}

async function check({ jobs }: ExecutorDeps, authorization: string): Promise<string> {
  const secret = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(authorization)?.[1] ?? '';
  const job = isSecretShape(secret) ? await jobs.jobOfToken(secretHash(secret)) : null;
  if (job === null)
    throw new SvcError('UNAUTHENTICATED', 'the token of this job is unknown or has ended: it is good until the job has its outcome');
  return job;
}

/** Whole ones are noted as such, which a portal that died between the two steps did not. */
async function wanted(files: QueueFiles, id: string, outputs: readonly JobOutput[]): Promise<string> {
  const lines = new Set<string>();
  for (const { sha, complete, refused } of outputs) {
    if (complete || refused) continue;
    lines.add(`${sha}\t${await files.arrived(files.outputPlace(id, sha))}\n`);
  }
  return [...lines].join('');
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Below the work folder; for who submitted, paths begin in it. */
const outputFolder = 'saida/';

/** Throws BAD_REQUEST with the number of the line. */
function readList(text: string): readonly JobFile[] {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > sharedLimits.jobFilesMax) throw new SvcError('TOO_LARGE', `a job leaves at most ${sharedLimits.jobFilesMax} outputs`);
  const paths = new Set<string>();
  return lines.map((line, index) => {
    const [sha = '', size = '', encoded = '', ...more] = line.split('\t');
    const path = decoded(encoded);
    const caminho = path.startsWith(outputFolder) ? path.slice(outputFolder.length) : '';
    const isRight =
      shaPattern.test(sha) && /^(0|[1-9][0-9]{0,14})$/.test(size) && more.length === 0 && isJobPath(caminho) && !paths.has(caminho);
    if (!isRight)
      throw new SvcError(
        'BAD_REQUEST',
        `line ${index + 1}: expected sha256, size and a path of its own below ${outputFolder}, between tabs`,
      );
    if (Number(size) > sharedLimits.jobFileBytesMax)
      throw new SvcError('TOO_LARGE', `one output holds at most ${sharedLimits.jobFileBytesMax} bytes`);
    paths.add(caminho);
    return { sha, bytes: Number(size), caminho };
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

/** The reported state never goes back. */
function readReport(text: string, before: ReportState | null, atMs: number): JobReport {
  const values = new Map(
    text.split('\n').flatMap((line) => (line === '' ? [] : [[line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)] as const])),
  );
  const estado = reportStates.find((state) => state === values.get('estado')) ?? before;
  const codigo = values.get('codigo');
  const progresso = values.get('progresso');
  const isRight =
    estado !== null &&
    (codigo === undefined || /^(0|[1-9][0-9]{0,2})$/.test(codigo)) &&
    (progresso === undefined || /^(0|1|0?\.[0-9]{1,9}|1\.0{0,9})$/.test(progresso));
  if (!isRight) throw new SvcError('BAD_REQUEST', 'expected lines estado=…, codigo=0 to 255, progresso=0 to 1');
  const isBack = before !== null && reportStates.indexOf(estado) < reportStates.indexOf(before);
  return {
    estado: isBack ? before : estado,
    codigo: codigo === undefined ? null : Number(codigo),
    progresso: progresso === undefined ? null : Number(progresso),
    atMs,
  };
}
