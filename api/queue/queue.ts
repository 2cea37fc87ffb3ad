/**
 * Jobs as people and apps see them: submit, list, read, wait for news, cancel. The api writes the wish; the controller hands it to a cluster and says in
 * which state it is. Decision: docs/decisions/0211-the-queue.md
 */
import { keys } from '../../schema/keys.ts';
import type { Bus } from '../../store/bus.ts';
import { newJobId, type JobsFilter, type JobStore, type NewJob, type StoredJob } from '../../store/jobs.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import type { AppsView, QueueView } from '../../schema/gateway.ts';
import { isJobPath, type JobLimits, type QueueOff } from '../../schema/jobs.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { JobBody, JobView, QueueAnswer } from '../../schema/wire/jobs.ts';
import { notDeclared, notDeclaredErrors } from '../http/declared.ts';
import { appOf, ownJob, type QueueCaller } from './callers.ts';
import { limits } from './limits.ts';

export interface QueueDeps {
  readonly jobs: JobStore;
  readonly view: QueueView;
  readonly apps: Pick<AppsView, 'manifest' | 'packagesRead'>;
  readonly bus: Bus;
  readonly clock: Clock;
}

export interface Queue {
  /** `isNew`: false when the key named this very job already. */
  submit(caller: QueueCaller, body: JobBody, requestId: string): Promise<{ readonly job: JobView; readonly isNew: boolean }>;
  /** Rejects NOT_FOUND when the job that the page begins after is gone: an empty page would look like the end. */
  list(caller: QueueCaller, before: string | null): Promise<QueueAnswer>;
  /** A page of jobs, whoever asks: the newest first. */
  page(filter: Omit<JobsFilter, 'limit'>): Promise<{ readonly trabalhos: readonly JobView[]; readonly mais: boolean }>;
  /** With the number of its last change. */
  read(caller: QueueCaller, id: string): Promise<{ readonly job: JobView; readonly change: number }>;
  row(caller: QueueCaller, id: string): Promise<StoredJob>;
  cancel(caller: QueueCaller, id: string): Promise<JobView>;
  viewOf(job: StoredJob): Promise<JobView>;
}

const defaults: JobLimits = { cpus: 1, memoriaMb: 1_024, segundos: 3_600, gpus: 0 };

export function createQueue(deps: QueueDeps): Queue {
  const { jobs, bus, clock } = deps;
  const row: Queue['row'] = async (caller, id) => ownJob(caller, await jobs.job(id));
  const viewOf: Queue['viewOf'] = (job) => view(deps, job);
  const page: Queue['page'] = async (filter) => {
    const rows = await jobs.jobs({ ...filter, limit: limits.jobsPageMax + 1 });
    const shown = rows.slice(0, limits.jobsPageMax);
    return { trabalhos: await Promise.all(shown.map(viewOf)), mais: rows.length > shown.length };
  };
  return {
    row,
    viewOf,
    page,
    submit: async (caller, body, requestId) => {
      const app = appOf(caller);
      const off = offFor(deps, { ...caller, app });
      if (off !== null) throw new SvcError(refusals[off.codigo] ?? 'QUEUE_OFF', off.motivo, { codigo: off.codigo });
      const submitted = await jobs.submitJob(
        { ...jobOf(deps, { ...caller, app }, body), requestId },
        { ofPerson: limits.jobsPerPersonMax },
      );
      if (submitted.kind === 'gone')
        throw new SvcError(
          'CONFLICT',
          `the key named the job ${submitted.id}, which ended and is not kept any more: it does not run again`,
          {
            id: submitted.id,
          },
        );
      if (submitted.kind === 'full')
        throw new SvcError('CONFLICT', `one person has at most ${limits.jobsPerPersonMax} jobs, those that ended included`);
      if (submitted.kind === 'missing')
        throw new SvcError('INPUT_MISSING', `upload these inputs first: ${submitted.shas.join(', ')}`, { faltam: submitted.shas });
      if (submitted.kind === 'other')
        throw new SvcError('CONFLICT', `the key names the job ${submitted.job.id}, which was submitted with other content`, {
          id: submitted.job.id,
        });
      if (submitted.kind === 'new') bus.enqueue(keys.job(submitted.job.id), true);
      return { job: await viewOf(submitted.job), isNew: submitted.kind === 'new' };
    },
    list: async (caller, before) => {
      const { usuario, app } = caller;
      const off = offFor(deps, caller);
      if (before !== null) await row(caller, before);
      const { trabalhos, mais } = await page({ usuario, app, cluster: null, before });
      return {
        disponivel: off === null,
        motivo: off?.motivo ?? null,
        codigo: off?.codigo ?? null,
        clusters: [...deps.view.clusters()],
        trabalhos: [...trabalhos],
        mais,
        espaco: { bytes: await jobs.jobSpace(usuario), bytesMax: spaceMax(deps) },
      };
    },
    read: async (caller, id) => {
      const job = await row(caller, id);
      return { job: await viewOf(job), change: job.change };
    },
    cancel: async (caller, id) => {
      await row(caller, id);
      if (await jobs.cancelJob(id, clock.nowMs())) bus.enqueue(keys.job(id), true);
      return await viewOf(await row(caller, id));
    },
  };
}

export const spaceMax = ({ view }: Pick<QueueDeps, 'view'>): number => view.spaceBytesMax() ?? limits.queueSpaceBytesMax;

/** For a page the manifest says it, for a backend its credential did. */
function offFor({ view, apps }: QueueDeps, { usuario, app, por }: QueueCaller): QueueOff | null {
  if (por === 'backend' || app === null) return view.off();
  return notDeclared(apps, usuario, app, 'fila') ?? view.off();
}

const refusals: Readonly<Partial<Record<QueueOff['codigo'], ErrorCode>>> = notDeclaredErrors;

function jobOf({ view, clock }: QueueDeps, { usuario, app }: QueueCaller & { readonly app: string }, body: JobBody): NewJob {
  const { chave, nome = '', imagem = null, comando, entradas = [], ambiente = {}, cluster: named } = body;
  const cluster = view.cluster(named ?? null);
  if (cluster === null)
    throw new SvcError('NOT_FOUND', `cluster: the queue has no cluster ${named}`, { clusters: view.clusters().map((each) => each.nome) });
  const limites = { ...defaults, ...body.limites };
  // Limits that the submission left out follow the cluster.
  for (const name of Object.keys(limites) as (keyof JobLimits)[]) {
    const max = cluster.limites[name];
    if (max === undefined || limites[name] <= max) continue;
    if (body.limites?.[name] !== undefined)
      throw new SvcError('TOO_LARGE', `limites.${name}: ${cluster.nome} takes at most ${max}`, { [name]: max });
    limites[name] = max;
  }
  checkPaths(entradas);
  const large = [...comando, ...Object.values(ambiente)].find((text) => Buffer.byteLength(text) > sharedLimits.jobWordBytesMax);
  if (large !== undefined) throw new SvcError('TOO_LARGE', `one word holds at most ${sharedLimits.jobWordBytesMax} bytes`);
  return {
    id: newJobId(),
    usuario,
    app,
    chave,
    nome,
    cluster: cluster.nome,
    createdAtMs: clock.nowMs(),
    request: { imagem, comando, ambiente, limites },
    inputs: entradas,
  };
}

/** Each path once, and none below another one. */
function checkPaths(entradas: NonNullable<JobBody['entradas']>): void {
  const paths = new Set<string>();
  for (const { caminho } of entradas) {
    if (!isJobPath(caminho))
      throw new SvcError('BAD_REQUEST', `entradas: ${JSON.stringify(caminho.slice(0, 80))} is no path below the work folder`);
    if (paths.has(caminho)) throw new SvcError('BAD_REQUEST', `entradas: ${JSON.stringify(caminho)} is there twice`);
    paths.add(caminho);
  }
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (paths.has(path.slice(0, at)))
        throw new SvcError('BAD_REQUEST', `entradas: ${JSON.stringify(path.slice(0, at))} is a file and a folder`);
}

async function view({ jobs, view: queue }: QueueDeps, job: StoredJob): Promise<JobView> {
  const request = await jobs.jobRequest(job.id);
  const { outcome } = job;
  const now =
    outcome === null ? queue.stateOf(job.id) : { estado: outcome.estado, reason: outcome.reason, message: outcome.message, lugar: null };
  return {
    id: job.id,
    app: job.app,
    usuario: job.usuario,
    nome: job.nome,
    chave: job.chave,
    cluster: job.cluster,
    requestId: job.requestId,
    estado: now.estado,
    motivo: now.reason,
    mensagem: now.message,
    lugar: now.lugar,
    progresso: job.report?.progresso ?? null,
    codigo: outcome?.codigo ?? null,
    registo: job.logBytes,
    cancelamento: job.cancelAtMs !== null,
    criadoEm: job.createdAtMs,
    iniciadoEm: outcome?.iniciadoEm ?? job.startedAtMs,
    terminadoEm: outcome?.terminadoEm ?? null,
    expiraEm: job.expiresAtMs,
    imagem: request?.imagem ?? null,
    comando: request?.comando ?? [],
    limites: request?.limites ?? defaults,
  };
}
