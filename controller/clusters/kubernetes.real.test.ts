/**
 * No API server is in Debian's packages. This stand-in keeps objects as one does (names are unique, merge patches, pages), and checks every
 * request body against the schema of the client: a field that Kubernetes does not know is an error. No pod runs: the tests set its outcome.
 */
import { ObjectSerializer } from '@kubernetes/client-node/dist/gen/models/ObjectSerializer.js';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../clock/system.ts';
import type { Cluster, ClusterJob } from './cluster.ts';
import { createKubernetesCluster } from './kubernetes.ts';

type Json = Record<string, unknown>;
interface Stored extends Json {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string>; [field: string]: unknown };
}

let server: Server;
let objects: Map<string, Stored>;
let asked: { readonly what: string; readonly type: string; readonly authorization: string }[];
/** Answered in place of the next request that fits: a status, or nothing at all once it was done. */
let fault: { readonly on: RegExp; readonly status: number | 'lost' } | null;
let cluster: Cluster;

const kinds: Readonly<Record<string, string>> = { jobs: 'V1Job', secrets: 'V1Secret', pods: 'V1Pod' };
const never = new AbortController().signal;
const prefix = 'svc-0123456789ab-';
const job: ClusterJob = {
  name: `${prefix}j1`,
  account: 'ana',
  image: 'debian:12',
  command: ['python3', 'a b.py'],
  env: { NOME: 'x\ny' },
  limits: { cpus: 2, memoryMb: 512, seconds: 60, gpus: 1 },
  report: { url: 'https://apps.example.org/api/fila/executor', token: 'segredo-do-trabalho' },
};

beforeEach(async () => {
  objects = new Map();
  asked = [];
  fault = null;
  server = createServer((request, response) => {
    void (async () => {
      const [status, body] = await answer(request, await text(request));
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'do-portal' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': '',
  });
  cluster = createKubernetesCluster({
    name: 'nuvem',
    namespace: 'svc',
    kubeconfig: async () => kubeconfig,
    context: 'x',
    image: null,
    clock: systemClock,
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, body: string): Promise<readonly [number, unknown]> {
  const url = new URL(request.url ?? '', 'http://api');
  const what = `${request.method} ${url.pathname}`;
  const type = request.headers['content-type'] ?? '';
  asked.push({ what, type, authorization: request.headers.authorization ?? '' });
  const now = fault !== null && fault.on.test(what) ? fault.status : null;
  if (now !== null) fault = null;
  if (typeof now === 'number') return [now, { kind: 'Status', message: 'quota exceeded' }];
  const done = act(request.method ?? '', url, type, body === '' ? null : (JSON.parse(body) as Json));
  return now === 'lost' ? [0, null] : done;
}

function act(method: string, url: URL, type: string, body: Json | null): readonly [number, unknown] {
  const [, kind = '', name = ''] = /^\/(?:api\/v1|apis\/batch\/v1)\/namespaces\/svc\/(\w+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  const model = kinds[kind];
  if (model === undefined) return [404, {}];
  if (method === 'POST') {
    expect([type.split(';')[0], strict(model, body)]).toEqual(['application/json', body]);
    const stored = body as Stored;
    const key = `${kind}/${stored.metadata.name}`;
    if (objects.has(key)) return [409, { message: 'already exists' }];
    objects.set(key, { ...stored, metadata: { ...stored.metadata, uid: `uid-${stored.metadata.name}` } });
    return [201, objects.get(key)];
  }
  if (method === 'GET' && name === '') return page(kind, model, url);
  const found = objects.get(`${kind}/${name}`);
  if (found === undefined) return [404, { message: 'not found' }];
  if (method === 'DELETE') objects.delete(`${kind}/${name}`);
  if (method === 'PATCH') {
    expect(type.split(';')[0]).toBe('application/merge-patch+json');
    objects.set(`${kind}/${name}`, merged(found, body ?? {}) as Stored);
  }
  return [200, objects.get(`${kind}/${name}`) ?? { kind: 'Status' }];
}

/** Two a page, as a server with very many would. */
function page(kind: string, model: string, url: URL): readonly [number, unknown] {
  const wanted = (url.searchParams.get('labelSelector') ?? '').split('=');
  const all = [...objects].flatMap(([key, one]) =>
    key.startsWith(`${kind}/`) && one.metadata.labels?.[wanted[0] ?? ''] === wanted[1] ? [one] : [],
  );
  const from = Number(url.searchParams.get('continue') ?? '0');
  const rest = from + 2 < all.length ? { continue: String(from + 2) } : {};
  return [200, { kind: `${model.slice(2)}List`, apiVersion: 'v1', metadata: rest, items: all.slice(from, from + 2) }];
}

/** Returns the part of the body that the client knows. */
const strict = (model: string, body: Json | null): unknown =>
  JSON.parse(JSON.stringify(ObjectSerializer.serialize(ObjectSerializer.deserialize(body, model, ''), model, '')));

function merged(old: unknown, change: Json): Json {
  const base = { ...(old as Json) };
  for (const [name, value] of Object.entries(change)) {
    base[name] = typeof value === 'object' && value !== null ? merged(base[name] ?? {}, value as Json) : value;
  }
  return base;
}

/** As its controller and kubelet would write it. */
function becomes(status: Json, container: Json | null = null, name = job.name, pod: Json = { phase: 'Running' }): void {
  const found = objects.get(`jobs/${name}`);
  if (found === undefined) throw new Error(`no job ${name}`);
  objects.set(`jobs/${name}`, { ...found, status });
  const labels = found.metadata.labels ?? {};
  const one = (called: string, state: Json): Json => ({ name: called, image: 'x', imageID: 'x', ready: true, restartCount: 0, state });
  // The cluster injected one of its own, which comes first.
  const containerStatuses = [one('istio-proxy', { running: { startedAt: '2026-11-23T06:00:00Z' } }), one('job', container ?? {})];
  objects.set(`pods/${name}-x`, { metadata: { name: `${name}-x`, labels }, status: { ...pod, containerStatuses } });
}

const seen = async () => (await cluster.list(prefix, never)).find(({ name }) => name === job.name);
const at = '2026-11-23T07:00:00Z';
const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', lastTransitionTime: at }] };

test('a job is a Secret and a Job that the client knows every field of, with the token in the Secret alone', async () => {
  await cluster.submit(job, never);
  const [made, secret] = [objects.get(`jobs/${job.name}`), objects.get(`secrets/${job.name}`)];
  expect(JSON.stringify(made)).not.toContain(job.report.token);
  const data = secret?.['data'] as Record<string, string>;
  const file = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
  expect(file('header')).toBe('Authorization: Bearer segredo-do-trabalho\n');
  expect([file('command'), file('env')]).toEqual(['python3\0a b.py\0', 'NOME=x\ny\0']);
  expect(file('wrapper')).toContain('usage: bash wrapper JOB [STATE]');
  expect(made).toMatchObject({
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          activeDeadlineSeconds: 660,
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          containers: [
            {
              image: 'debian:12',
              command: ['bash', '/svc/job/wrapper', '/svc/job', '/svc/state'],
              resources: { limits: { cpu: '2', memory: '512Mi', 'nvidia.com/gpu': '1' } },
            },
          ],
        },
      },
    },
  });
  // The deadline of a Job would run while it waits for a place.
  expect(made).not.toHaveProperty('spec.activeDeadlineSeconds');
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer do-portal']));
});

test('the answer to a submission is lost: the next one adopts it, with the token of now', async () => {
  fault = { on: /^POST .*jobs$/, status: 'lost' };
  await expect(cluster.submit(job, never)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
  await cluster.submit({ ...job, report: { ...job.report, token: 'novo' } }, never);
  expect([...objects.keys()].toSorted()).toEqual([`jobs/${job.name}`, `secrets/${job.name}`]);
  const data = objects.get(`secrets/${job.name}`)?.['data'] as Record<string, string>;
  expect(Buffer.from(data['header'] ?? '', 'base64').toString()).toBe('Authorization: Bearer novo\n');
});

test('refused for good: its words are told, and nothing is left', async () => {
  fault = { on: /^POST .*jobs$/, status: 403 };
  await expect(cluster.submit(job, never)).rejects.toMatchObject({ code: 'REFUSED', message: '403 quota exceeded' });
  expect(objects.size).toBe(0);
  await expect(cluster.submit({ ...job, image: null }, never)).rejects.toMatchObject({ code: 'REFUSED' });
});

test.for<readonly [string, Json, Json | null, Json, Json?]>([
  ['nothing has happened yet', {}, null, { state: 'waiting', place: null }],
  [
    'its image can not be had',
    { active: 1 },
    { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } },
    { state: 'waiting', note: 'ImagePullBackOff no such image' },
  ],
  ['it runs', { active: 1 }, { running: { startedAt: at } }, { state: 'running', startedAtMs: Date.parse(at), exitCode: null }],
  [
    'it is complete',
    { conditions: [{ type: 'Complete', status: 'True' }] },
    { terminated: { exitCode: 0, startedAt: at, finishedAt: at } },
    { state: 'ended', exitCode: 0, endedAtMs: Date.parse(at) },
  ],
  [
    'it ended, and another container of its pod runs on',
    { active: 1 },
    { terminated: { exitCode: 0, startedAt: at, finishedAt: at } },
    { state: 'ended', exitCode: 0, endedAtMs: Date.parse(at) },
  ],
  [
    'it failed, and another container of its pod runs on',
    { active: 1 },
    { terminated: { exitCode: 124, message: 'limit' } },
    { state: 'failed', exitCode: 124, note: 'its time was over' },
  ],
  ['its command failed', failed, { terminated: { exitCode: 3 } }, { state: 'ended', exitCode: 3, note: '' }],
  [
    'its time was over',
    failed,
    { terminated: { exitCode: 124, message: 'limit\n' } },
    { state: 'failed', exitCode: 124, note: 'its time was over' },
  ],
  ['the wrapper was told 410', failed, { terminated: { exitCode: 143, message: 'cancelled\n' } }, { state: 'cancelled' }],
  ['it took too much memory', failed, { terminated: { exitCode: 137, reason: 'OOMKilled' } }, { state: 'failed', note: 'OOMKilled' }],
  ['its node is gone', failed, null, { state: 'failed', exitCode: null, note: 'BackoffLimitExceeded' }],
  [
    'Kubernetes ended it',
    { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] },
    null,
    { state: 'failed', note: 'DeadlineExceeded' },
  ],
  [
    'its pod took too long',
    failed,
    { terminated: { exitCode: 143, reason: 'Error', message: 'cancelled\n' } },
    { state: 'failed', exitCode: 143, note: 'DeadlineExceeded Pod was active too long' },
    { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active too long' },
  ],
])('what is seen when %s', async ([, status, container, expected, pod]) => {
  await cluster.submit(job, never);
  becomes(status, container, job.name, pod);
  expect(await seen()).toMatchObject({ name: job.name, id: `uid-${job.name}`, ...expected });
});

test('all pages are read, and of another portal none', async () => {
  for (let n = 1; n <= 5; n += 1) await cluster.submit({ ...job, name: `${prefix}j${n}` }, never);
  expect((await cluster.list(prefix, never)).map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `${prefix}j${n}`));
  expect(await cluster.list('svc-ffffffffffff-', never)).toEqual([]);
});

test('a list that can not be read is no empty one', async () => {
  fault = { on: /pods$/, status: 500 };
  await expect(cluster.list(prefix, never)).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
  await expect(cluster.list(prefix, AbortSignal.abort())).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
});

test('cancelled it is suspended and stays to be seen; what ended stays as it ended', async () => {
  await cluster.submit(job, never);
  becomes({ active: 1 }, { running: { startedAt: at } });
  await cluster.cancel(job.name, never);
  expect(objects.get(`jobs/${job.name}`)).toMatchObject({ spec: { suspend: true, backoffLimit: 0 } });
  expect((await seen())?.state).toBe('running');
  becomes({ active: 0 });
  expect((await seen())?.state).toBe('cancelled');
  await cluster.cancel(`${prefix}unknown`, never);
  const other = `${prefix}j2`;
  await cluster.submit({ ...job, name: other }, never);
  becomes(failed, { terminated: { exitCode: 3 } }, other);
  await cluster.cancel(other, never);
  expect(objects.get(`jobs/${other}`)).not.toHaveProperty('spec.suspend');
});

test('forgets both objects, and is not asked twice', async () => {
  await cluster.submit(job, never);
  await cluster.forget(job.name, never);
  expect(objects.size).toBe(0);
  await cluster.forget(job.name, never);
});
