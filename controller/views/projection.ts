/** Apps as the shell and the task manager show them (rules 4.1), and objects as `svc get` and `svc describe` do. */
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import type { AppView } from '../../schema/gateway.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { shownOf } from '../../schema/manifest/shown-fields.ts';
import { nameOf } from '../../schema/manifest/shown-text.ts';
import type { AppExit, AppProjection, ObjectView } from '../../schema/wire/http.ts';
import type { StoredStatus } from '../../store/store.ts';
import { clusterOfApp } from '../cluster-starts.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import { isShut } from '../visible-packages.ts';

/** Null for an app that is not installed and has no process. */
export function projectionOf(entries: Pick<Entries, 'byTarget'>, entry: BackendEntry): AppView | null {
  const manifest = shownManifest(entry);
  if (!manifest) return null;
  return {
    id: entry.app,
    name: nameOf(manifest, entry.app),
    version: manifest.version,
    ...shownOf(manifest),
    aoFechar: manifest.backend.aoFechar ?? 'encerrar',
    cluster: clusterOfApp(entries, entry.person, entry.app)?.name ?? null,
    ...lifeOf(entry),
  };
}

/** Null for an app that has no projection. */
export function shownManifest(entry: BackendEntry): Manifest | null {
  return entry.person.packages.get(entry.app)?.manifest ?? outlived(entry);
}

/** Manifest of a running app whose package is gone from the disk: it can be seen and stopped. */
function outlived({ person, app, lastManifest }: BackendEntry): Manifest | null {
  if (!person.link.snapshot(app)?.process || isShut(person, app)) return null;
  return lastManifest ?? { id: app, version: '', backend: { runtime: 'binary', entrypoint: '' } };
}

function lifeOf(entry: BackendEntry) {
  const { decision, memory } = entry;
  const snapshot = entry.person.link.snapshot(entry.app);
  return {
    status: decision?.state ?? 'unknown',
    ready: decision?.ready ?? false,
    reason: decision?.reason ?? 'NotObservedYet',
    message: decision?.message ?? '',
    sinceMs: memory?.context.sinceMs ?? 0,
    wanted: snapshot?.wanted ?? false,
    pinned: entry.document?.document.spec.estado === 'ligado',
    ...processOf(snapshot),
    uso: entry.person.link.usage(entry.app),
    stale: decision?.stale ?? false,
    ...updateOf(entry),
    drain: drainOf(entry),
    endsAtMs: decision?.endsAtMs ?? null,
  } as const;
}

function updateOf({ person, app }: BackendEntry) {
  const waiting = (person.packages.get(app)?.scope === 'pessoa' ? person : person.server).updates.get(app);
  if (waiting === undefined) return { update: null, updateOthers: 0 };
  const { version, people } = waiting;
  return { update: version, updateOthers: people.size - (people.has(person.name) ? 1 : 0) };
}

function drainOf({ app, person: { server, packages } }: BackendEntry) {
  const { drain } = server;
  // A server-scope app goes on: the server's service manager keeps it.
  return drain === null || packages.get(app)?.manifest.escopo === 'servidor'
    ? null
    : { server: drain.server, deadlineMs: drain.deadlineMs };
}

function processOf(snapshot: AppSnapshot | null) {
  return {
    pid: snapshot?.process?.pid ?? null,
    connections: snapshot?.connections ?? null,
    busy: snapshot?.busy ?? null,
    failures: snapshot?.failures ?? 0,
    restarts: snapshot?.restarts ?? 0,
    lastExit: exitOf(snapshot),
    nextAttemptAtMs: snapshot?.nextAttemptAtMs ?? null,
    contained: snapshot?.contained ?? false,
    containedReason: snapshot?.containedReason ?? '',
    secrets: snapshot?.secrets ?? { declared: 0, missing: [], restartNeeded: false },
    gpuVerdict: snapshot?.gpu ? { dispositivos: [], ...snapshot.gpu } : null,
    step: snapshot?.step ? { name: snapshot.step.name, detail: snapshot.step.detail } : null,
    trabalho: jobOf(snapshot?.job),
  } as const;
}

function jobOf(job: AppSnapshot['job']): AppProjection['trabalho'] {
  return job === undefined ? null : { estado: job.state, id: job.id, lugar: job.place, fimMs: job.endsAtMs, palavras: job.words };
}

/** Without the lines of its log: these have a route of their own. */
function exitOf(snapshot: AppSnapshot | null): AppExit | null {
  if (!snapshot?.lastExit) return null;
  const { code, signal, atMs, reason } = snapshot.lastExit;
  return { code, signal, atMs, reason };
}

/** `entry`: of a backend. */
export function objectView(entry: BackendEntry | undefined, status: StoredStatus): ObjectView {
  const { key, kind, state, reason, message, conditions, seenAtMs, nextDeadlineMs } = status;
  return {
    key,
    kind,
    name: key.slice(key.indexOf('/') + 1),
    state,
    reason,
    message,
    conditions,
    seenAtMs,
    nextDeadlineMs,
    details: { ...status.details, ...(entry ? backendDetails(entry) : {}) },
  };
}

/** Live, not stored: counts of connections change all the time. */
function backendDetails(entry: BackendEntry): Readonly<Record<string, unknown>> {
  const snapshot = entry.person.link.snapshot(entry.app);
  const { document, intent, windows } = entry;
  return {
    server: entry.person.server.name,
    account: entry.person.account,
    estado: document?.document.spec.estado ?? null,
    intent: intent ? { wish: intent.wish, by: intent.by, requestId: intent.requestId, atMs: intent.atMs } : null,
    windows: windows?.open ?? 0,
    installed: snapshot?.installed ?? null,
    process: snapshot?.process ?? null,
    idleDeadlineMs: snapshot?.idleDeadlineMs ?? null,
    ...lifeOf(entry),
    // Here with the last lines of its log.
    lastExit: snapshot?.lastExit ?? null,
  };
}
