/** `Engine/<server>/<app>/<nome>/<versao>`: an engine that a manifest declares, or that stands on the disk. */
import {
  engineMemory,
  decideEngine,
  type EngineDecision,
  type EngineDesired,
  type EngineMemory,
  type EngineObserved,
} from '../../reconcilers/engine.ts';
import { readKey } from '../../schema/keys.ts';
import { targetKey } from '../world-packages.ts';
import type { EngineEntry, ServerEntry, World } from '../world.ts';
import type { PackageTarget } from '../../reconcilers/actions.ts';
import type { Kind } from './kind.ts';
import { packageDesired } from './package.ts';

export const engineKind: Kind<EngineEntry, EngineDesired, EngineObserved, EngineMemory, EngineDecision> = {
  name: 'Engine',
  entries: (world) => world.engines.values(),
  find: (world, _name, key) => world.engines.get(key),
  keyOf: ({ key }) => key,
  lane: ({ server }) => server.name,
  desired: ({ world }, entry) => engineDesired(world, entry),
  observed: ({ world }, entry) => engineObserved(world, entry),
  decide: decideEngine,
  memory: engineMemory,
  report: (_context, { app, nome, versao, declared, server, present }) => ({
    generation: 0,
    details: { server: server.name, app, nome, versao, declared, bytes: present?.bytes ?? null },
  }),
  // Which there are is known after the first look at the server.
  remembers: ({ world }, key) => world.servers.has(readKey(key).parts[0]),
};

export function engineDesired(world: World, { server, app, nome, versao, declared }: EngineEntry): EngineDesired {
  const owner = world.byTarget.get(targetKey(systemTarget(server, app)));
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

export function engineObserved(world: World, { server, app, present, failure }: EngineEntry): EngineObserved {
  const task = world.tasks.get(targetKey(systemTarget(server, app)));
  return {
    host: server.sight,
    present: present !== null,
    busy: task ? { reason: task.reason, message: task.message } : null,
    failure,
  };
}

function systemTarget(server: ServerEntry, app: string): PackageTarget {
  return { server: server.name, app, scope: 'sistema', person: null };
}
