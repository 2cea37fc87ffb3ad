/**
 * Cluster driver `kubernetes`: a Job and a Secret of one name for each job, through the official client, which is loaded at the first question since it
 * is large. The Secret holds what the wrapper reads, its token among it. Cancelling suspends the Job, so that it stays to be seen. It was held
 * against the schemas of the client, never against an API server: docs/decisions/0212-clusters.md
 */
import type { ApiException, BatchV1Api, CoreV1Api, V1Job, V1Pod } from '@kubernetes/client-node';
import { type Clock, withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Cluster, ClusterJob } from './cluster.ts';
import { jobFiles } from './job-files.ts';
import { checkJobName, noteOf } from './job-server.ts';
import { jobLabel, jobObject, seenJob, ours, cancelledMark } from './kubernetes-objects.ts';
import { limits } from './limits.ts';

export interface KubernetesClusterOptions {
  readonly name: string;
  readonly namespace: string;
  /** Text of a kubeconfig; null: the service account of the pod that the portal runs in. Read once. */
  readonly kubeconfig: () => Promise<string | null>;
  readonly context: string | null;
  /** For jobs that name none. */
  readonly image: string | null;
  readonly clock: Clock;
}

/** All that is taken of the client: a package of svc holds these of it. */
export const clientNames = [
  'ApiException',
  'BatchV1Api',
  'CoreV1Api',
  'KubeConfig',
  'PatchStrategy',
  'setHeaderMiddleware',
  'setHeaderOptions',
] as const;
type Client = Pick<typeof import('@kubernetes/client-node'), (typeof clientNames)[number]>;

interface Api {
  readonly client: Client;
  readonly batch: BatchV1Api;
  readonly core: CoreV1Api;
}

type Options = ReturnType<Client['setHeaderOptions']>;

/** A question: its deadline and signal are in `asked`; `merging` is the same for a patch. */
type Ask = <Result>(what: (api: Api, asked: Options, merging: Options) => Promise<Result>, signal: AbortSignal) => Promise<Result>;

export function createKubernetesCluster(options: KubernetesClusterOptions): Cluster {
  const { namespace } = options;
  const ask = createAsk(options);
  return {
    name: options.name,
    isolation: 'kubernetes',
    list: async (prefix, signal) => {
      const [jobs, pods] = [await allJobs(ask, namespace, signal), await allPods(ask, namespace, signal)];
      const byJob = Map.groupBy(pods, (pod) => pod.metadata?.labels?.[jobLabel] ?? '');
      return jobs
        .filter((job) => job.metadata?.name?.startsWith(prefix) ?? false)
        .slice(0, limits.jobsListedMax)
        .flatMap((job) => seenJob(job, byJob.get(job.metadata?.name ?? '') ?? []));
    },
    submit: (job, signal) => submit(ask, options, job, signal),
    cancel: async (name, signal) => {
      checkJobName(name);
      const body = { metadata: { annotations: { [cancelledMark]: 'yes' } }, spec: { suspend: true } };
      const found = await unlessAbsent(ask(({ batch }, asked) => batch.readNamespacedJob({ name, namespace }, asked), signal));
      if (
        found === null ||
        found.status?.conditions?.some(({ type, status }) => status === 'True' && ['Complete', 'Failed'].includes(type))
      )
        return;
      await unlessAbsent(ask(({ batch }, _, merging) => batch.patchNamespacedJob({ name, namespace, body }, merging), signal));
    },
    forget: async (name, signal) => {
      checkJobName(name);
      await unlessAbsent(
        ask(({ batch }, asked) => batch.deleteNamespacedJob({ name, namespace, propagationPolicy: 'Background' }, asked), signal),
      );
      await unlessAbsent(ask(({ core }, asked) => core.deleteNamespacedSecret({ name, namespace }, asked), signal));
    },
    close: async () => undefined,
  };
}

async function submit(ask: Ask, { namespace, image }: KubernetesClusterOptions, job: ClusterJob, signal: AbortSignal): Promise<void> {
  checkJobName(job.name);
  const { name } = job;
  const runs = job.image ?? image;
  if (runs === null) throw new SvcError('REFUSED', 'a job on Kubernetes needs an image');
  const files = jobFiles(job, { ownImage: true });
  const data = Object.fromEntries(Object.entries(files).map(([file, text]) => [file, Buffer.from(text).toString('base64')]));
  const metadata = { name, namespace, labels: { ...ours, [jobLabel]: name } };
  const isNew = await unlessThere(
    ask(({ core }, asked) => core.createNamespacedSecret({ namespace, body: { metadata, type: 'Opaque', data } }, asked), signal),
  );
  if (!isNew) {
    // Where it was submitted before: the token may be another one by now.
    const body = { data: { header: data['header'], url: data['url'] } };
    await ask(({ core }, _, merging) => core.patchNamespacedSecret({ name, namespace, body }, merging), signal);
  }
  try {
    await unlessThere(
      ask(({ batch }, asked) => batch.createNamespacedJob({ namespace, body: jobObject(job, namespace, runs) }, asked), signal),
    );
  } catch (error) {
    if (error instanceof SvcError && error.code === 'REFUSED')
      await unlessAbsent(ask(({ core }, asked) => core.deleteNamespacedSecret({ name, namespace }, asked), signal));
    throw error;
  }
}

async function allJobs(ask: Ask, namespace: string, signal: AbortSignal): Promise<readonly V1Job[]> {
  return await allPages((page) => ask(({ batch }, asked) => batch.listNamespacedJob({ namespace, ...page }, asked), signal));
}

async function allPods(ask: Ask, namespace: string, signal: AbortSignal): Promise<readonly V1Pod[]> {
  return await allPages((page) => ask(({ core }, asked) => core.listNamespacedPod({ namespace, ...page }, asked), signal));
}

interface Page {
  readonly labelSelector: string;
  readonly limit: number;
  readonly _continue?: string;
}

async function allPages<Item>(
  read: (page: Page) => Promise<{ readonly items: Item[]; readonly metadata?: { readonly _continue?: string } }>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  const labelSelector = Object.entries(ours)
    .map((pair) => pair.join('='))
    .join(',');
  for (let next: string | undefined = ''; next !== undefined && found.length < limits.jobsListedMax;) {
    const page: Page = { labelSelector, limit: 500, ...(next !== '' && { _continue: next }) };
    const { items, metadata } = await read(page);
    found.push(...items);
    const { _continue: following = '' } = metadata ?? {};
    next = following === '' ? undefined : following;
  }
  return found;
}

function createAsk(options: KubernetesClusterOptions): Ask {
  let made: Promise<Api> | null = null;
  return async (what, signal) => {
    made ??= connect(options);
    const api = await made.catch((error: unknown) => {
      made = null;
      throw error;
    });
    const late = AbortSignal.any([signal, AbortSignal.timeout(limits.clusterAnswerMsMax)]);
    const agent = api.client.setHeaderMiddleware('User-Agent', 'svc');
    const middleware = {
      pre: (request: Parameters<typeof agent.pre>[0]) => {
        request.setSignal(late);
        return agent.pre(request);
      },
      post: (response: Parameters<typeof agent.post>[0]) => agent.post(response),
    };
    const asked = { middleware: [middleware], middlewareMergeStrategy: 'append' } as const;
    const merging = api.client.setHeaderOptions('Content-Type', api.client.PatchStrategy.MergePatch, {
      ...asked,
      middleware: [middleware],
    });
    try {
      return await withDeadline(
        options.clock,
        limits.clusterAnswerMsMax,
        what(api, { ...asked, middleware: [middleware] }, merging),
        () => new SvcError('TIMEOUT', 'the API server of Kubernetes did not answer in time'),
      );
    } catch (error) {
      throw codedError(error);
    }
  };
}

async function connect({ kubeconfig, context }: KubernetesClusterOptions): Promise<Api> {
  const [client, text] = [await import('@kubernetes/client-node'), await kubeconfig()];
  const config = new client.KubeConfig();
  if (text === null) config.loadFromCluster();
  else config.loadFromString(text);
  if (context !== null) config.setCurrentContext(context);
  return { client, batch: config.makeApiClient(client.BatchV1Api), core: config.makeApiClient(client.CoreV1Api) };
}

const isAnswer = (error: unknown): error is ApiException<unknown> =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'number';

/** Codes an error of the client: REFUSED where the server said no for good; anything else may change. */
function codedError(error: unknown): Error {
  if (error instanceof SvcError) return error;
  if (!isAnswer(error)) return new SvcError('CLUSTER_UNREACHABLE', noteOf((error as Error).message), {}, { cause: error });
  const said = noteOf(`${error.code} ${messageIn(error.body) ?? error.message}`);
  const details = { status: error.code };
  return new SvcError([400, 403, 422].includes(error.code) ? 'REFUSED' : 'CLUSTER_UNREACHABLE', said, details, { cause: error });
}

/** Reads the message of the Status that an API server answers with; the client leaves it as text for some codes. */
function messageIn(body: unknown): string | null {
  if (typeof body === 'string') return /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? null;
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : null;
}

const statusIs = (error: unknown, status: number): boolean => error instanceof SvcError && error.details['status'] === status;

async function unlessAbsent<Result>(work: Promise<Result>): Promise<Result | null> {
  return await work.catch((error: unknown) => {
    if (statusIs(error, 404)) return null;
    throw error;
  });
}

/** False: it was there already. */
async function unlessThere(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    (error: unknown) => {
      if (statusIs(error, 409)) return false;
      throw error;
    },
  );
}
