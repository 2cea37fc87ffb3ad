/** `Engine/<server>/<app>/<nome>/<versao>`: an engine that a manifest declares or that is on the disk. */
import {
  engineMemory,
  decideEngine,
  type EngineDecision,
  type EngineDesired,
  type EngineMemory,
  type EngineObserved,
} from '../../reconcilers/engine.ts';
import { readKey } from '../../schema/keys.ts';
import { targetKey } from '../package-entries.ts';
import type { EngineEntry, ServerEntry, Entries } from '../entries.ts';
import type { PackageTarget } from '../../reconcilers/actions.ts';
import type { Kind } from './kind.ts';
import { packageDesired } from './package.ts';

export const engineKind: Kind<EngineEntry, EngineDesired, EngineObserved, EngineMemory, EngineDecision> = {
  name: 'Engine',
  entries: (entries) => entries.engines.values(),
  find: (entries, _name, key) => entries.engines.get(key),
  keyOf: ({ key }) => key,
  lane: ({ server }) => server.name,
  desired: ({ entries }, entry) => engineDesired(entries, entry),
  observed: ({ entries }, entry) => engineObserved(entries, entry),
  decide: decideEngine,
  memory: engineMemory,
  report: (_context, { app, nome, versao, declared, server, present }) => ({
    generation: 0,
    details: { server: server.name, app, nome, versao, declared, bytes: present?.bytes ?? null },
  }),
  // Which there are is known after the first observation of the server.
  remembers: ({ entries }, key) => entries.servers.has(readKey(key).parts[0]),
};

export function engineDesired(entries: Entries, { server, app, nome, versao, declared }: EngineEntry): EngineDesired {
  const owner = entries.byTarget.get(targetKey(systemTarget(server, app)));
  const wanted = owner && packageDesired(owner);
  return {
    server: server.name,
    app,
    nome,
    versao,
    declared,
    appInstalled: server.system.has(app),
    paused: wanted?.paused === true,
    leaving: wanted?.version === null,
  };
}

export function engineObserved(entries: Entries, { server, app, present, failure }: EngineEntry): EngineObserved {
  const task = entries.tasks.get(targetKey(systemTarget(server, app)));
  return {
    host: server.reachability,
    present: present !== null,
    busy: task ? { reason: task.reason, message: task.message } : null,
    failure,
  };
}

function systemTarget(server: ServerEntry, app: string): PackageTarget {
  return { server: server.name, app, scope: 'sistema', person: null };
}
