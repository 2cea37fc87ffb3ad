/** Lists the apps, services and jobs that a drain of a server ends or leaves, before the document is changed. Changes nothing. */
import path from 'node:path';
import { wishOf } from '../../reconcilers/backend-orders.ts';
import type { Drain } from '../../reconcilers/backend-types.ts';
import { keys } from '../../schema/keys.ts';
import { SvcError } from '../../schema/errors.ts';
import { serverOfCluster } from '../jobs/sync-clusters.ts';
import { backendDesired, backendObserved } from '../kinds/backend.ts';
import type { Context } from '../context.ts';
import { runningOn } from '../servers/kit-work.ts';
import { isServerScope } from '../servers/services.ts';
import type { BackendEntry, Entries } from '../entries.ts';
import type { Run } from '../people/act-events.ts';

export function drainLook({ entries, options }: Context, name: string): Run {
  const server = entries.servers.get(name);
  if (server === undefined) throw new SvcError('NOT_FOUND', `no Server document ${name}`);
  if (server.leaving) throw new SvcError('CONFLICT', `the document of ${name} was removed: it leaves already`);
  const { line } = server.placed.place;
  const file = path.join(options.dir, server.placed.place.file);
  return async (emit) => {
    emit({ event: 'document', file, text: `Server/${name}, ${file}:${line}` });
    const nowMs = options.clock.nowMs();
    const running = runningOn(entries, server).filter((entry) => !isServerScope(entry));
    const drain = server.drain ?? { server: name, deadlineMs: null };
    for (const entry of running) emit({ event: 'plan', text: `${entry.key}: ${endOf(entries, entry, drain, nowMs)}` });
    for (const { app } of server.services.values())
      emit({ event: 'step', text: `${keys.service(name, app)} is for everybody: it goes on until its package is removed` });
    for (const cluster of entries.clusters.values()) {
      if (serverOfCluster(cluster.placed.document) !== name) continue;
      const count = entries.jobs.line(cluster.name).inFlight();
      emit({ event: 'step', text: `${cluster.key}: ${count} jobs under way end by themselves, and no other is sent` });
    }
    return running.length === 0
      ? `no app of a person runs on ${name}`
      : `${running.length} ${running.length === 1 ? 'app runs' : 'apps run'} on ${name}`;
  };
}

function endOf(entries: Entries, entry: BackendEntry, drain: Drain, nowMs: number): string {
  const desired = { ...backendDesired(entry, entries), drain };
  const observed = backendObserved(entry);
  const { drainAtMs } = wishOf({ desired, observed, memory: entry.memory, stale: false, failedHash: null, nowMs });
  const open = desired.windows?.open ?? 0;
  if (drainAtMs !== null && drainAtMs <= nowMs) return 'nobody uses it: it is stopped at once';
  const used = `in use (${open} ${open === 1 ? 'window' : 'windows'}, ${observed.snapshot?.connections ?? 0} connections)`;
  return drainAtMs === null
    ? `${used}: it is stopped once nobody uses it`
    : `${used}: it is stopped at ${new Date(drainAtMs).toISOString()} at the latest`;
}
