/** A job as objects of Kubernetes, and back. Pure. */
import type { V1ContainerStatus, V1Job, V1Pod } from '@kubernetes/client-node';
import type { ClusterJob, ClusterSeen } from './cluster.ts';
import { endingNote, noteOf } from './job-server.ts';
import { limits } from './limits.ts';

export const ours = { 'app.kubernetes.io/managed-by': 'svc' } as const;
/** On the Job, its Secret and its pod. */
export const jobLabel = 'svc.dev/job';
export const cancelledMark = 'svc.dev/cancelled';
/** A pod may get others beside it, in any order: what a cluster injects. */
const containerName = 'job';

/** Nothing is tried again: a command never runs twice. The pod gets no access to the API. */
export function jobObject(job: ClusterJob, namespace: string, image: string): V1Job {
  const { name, limits: wanted } = job;
  const labels = { ...ours, [jobLabel]: name };
  const amount = {
    cpu: String(wanted.cpus),
    memory: `${wanted.memoryMb}Mi`,
    ...(wanted.gpus > 0 && { 'nvidia.com/gpu': String(wanted.gpus) }),
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      template: {
        metadata: { labels },
        spec: {
          // Deadline of the pod, whose time begins on its node: the Job's deadline would include the wait for a node.
          activeDeadlineSeconds: wanted.seconds + limits.jobDeliverySeconds,
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          containers: [
            {
              name: containerName,
              image,
              command: ['bash', '/svc/job/wrapper', '/svc/job', '/svc/state'],
              resources: { limits: amount, requests: amount },
              volumeMounts: [
                { name: 'job', mountPath: '/svc/job', readOnly: true },
                { name: 'state', mountPath: '/svc/state' },
              ],
            },
          ],
          volumes: [
            // The image says which user reads it.
            { name: 'job', secret: { secretName: name, defaultMode: 0o444 } },
            { name: 'state', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** [] for what has no name or id. */
export function seenJob(job: V1Job, pods: readonly V1Pod[]): readonly ClusterSeen[] {
  const { name, uid, annotations = {} } = job.metadata ?? {};
  if (name === undefined || uid === undefined) return [];
  // The one pod of it; a second one only where the first was lost.
  const pod = pods.toSorted((a, b) => (b.metadata?.creationTimestamp?.getTime() ?? 0) - (a.metadata?.creationTimestamp?.getTime() ?? 0))[0];
  const container = pod?.status?.containerStatuses?.find(({ name: one }) => one === containerName);
  const ended = container?.state?.terminated;
  const base = {
    name,
    id: uid,
    place: null,
    startedAtMs: (ended?.startedAt ?? container?.state?.running?.startedAt)?.getTime() ?? null,
    endedAtMs: null,
    exitCode: null,
  };
  const over = job.status?.conditions?.find(({ type, status }) => status === 'True' && ['Complete', 'Failed'].includes(type));
  const isCancelled = annotations[cancelledMark] === 'yes' && (ended !== undefined || (job.status?.active ?? 0) === 0);
  if (over === undefined && isCancelled) {
    return [{ ...base, state: 'cancelled', note: 'cancelled', endedAtMs: ended?.finishedAt?.getTime() ?? null }];
  }
  // A container beside ours may run on for ever: the Job does not end then.
  if (over !== undefined || ended !== undefined) {
    const endedAtMs = (ended?.finishedAt ?? over?.lastTransitionTime)?.getTime() ?? null;
    return [{ ...base, endedAtMs, ...endingOf(over, pod?.status, ended) }];
  }
  if (container?.state?.running !== undefined) return [{ ...base, state: 'running', note: '' }];
  return [{ ...base, state: 'waiting', note: noteOf(waitsFor(pod, container)) }];
}

type Ended = NonNullable<NonNullable<V1ContainerStatus['state']>['terminated']>;
type Over = NonNullable<NonNullable<V1Job['status']>['conditions']>[number];

/** The wrapper's own word for a reason is the message of its container. */
function endingOf(
  over: Over | undefined,
  pod: V1Pod['status'],
  ended: Ended | undefined,
): Pick<ClusterSeen, 'state' | 'note' | 'exitCode'> {
  const word = ended?.message?.trim() ?? '';
  if (over?.type === 'Complete') return { state: 'ended', note: '', exitCode: ended?.exitCode ?? 0 };
  const late = [over, pod].find((one) => one?.reason === 'DeadlineExceeded');
  if (late !== undefined || ended === undefined || ended.reason === 'OOMKilled') {
    return {
      state: 'failed',
      note: noteOf(`${late?.reason ?? ended?.reason ?? over?.reason ?? ''} ${(late ?? over)?.message ?? ''}`),
      exitCode: ended?.exitCode ?? null,
    };
  }
  if (word === 'cancelled') return { state: 'cancelled', note: 'cancelled', exitCode: ended.exitCode };
  const note = endingNote(word);
  return note === null ? { state: 'ended', note: '', exitCode: ended.exitCode } : { state: 'failed', note, exitCode: ended.exitCode };
}

function waitsFor(pod: V1Pod | undefined, container: V1ContainerStatus | undefined): string {
  const waiting = container?.state?.waiting;
  if (waiting !== undefined) return `${waiting.reason ?? ''} ${waiting.message ?? ''}`;
  const unscheduled = pod?.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return unscheduled === undefined ? (pod?.status?.phase ?? 'Pending') : `${unscheduled.reason ?? ''} ${unscheduled.message ?? ''}`;
}
