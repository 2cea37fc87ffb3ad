/** `Service/<server>/<app>`: a server-scope app, one backend for all people of its server. */
import {
  serviceMemory,
  decideService,
  type ServiceDecision,
  type ServiceDesired,
  type ServiceMemory,
  type ServiceObserved,
} from '../../reconcilers/service.ts';
import { portalScopesOf } from '../execute/portal-scopes.ts';
import { readKey } from '../../schema/keys.ts';
import { lookAtCredential, probeService } from '../servers/services.ts';
import type { ServiceEntry } from '../entries.ts';
import type { Kind } from './kind.ts';

export const serviceKind: Kind<ServiceEntry, ServiceDesired, ServiceObserved, ServiceMemory, ServiceDecision> = {
  name: 'Service',
  entries: function* (entries) {
    for (const server of entries.servers.values()) yield* server.services.values();
  },
  find: (entries, _name, key) => {
    const [server, app = ''] = readKey(key).parts;
    return entries.servers.get(server)?.services.get(app);
  },
  keyOf: ({ key }) => key,
  lane: ({ server }) => server.name,
  observe: async (context, service) => {
    await probeService(context, service);
    await lookAtCredential(context, service);
    return true;
  },
  desired: (_context, { server, app }) => ({
    server: server.name,
    app,
    scopes: portalScopesOf(server.system.get(app)?.manifest).join(' '),
  }),
  observed: (_context, { server, probe, credential }) => ({ host: server.reachability, probe, credential }),
  decide: decideService,
  memory: serviceMemory,
  // The decision is an input of the people's backends: the same object while it says the same.
  keep: (service, { decision }) => {
    const before = service.decision;
    const isIdle = before !== null && before.actions.length === 0 && decision.actions.length === 0;
    const isSame = isIdle && before.memory === decision.memory && before.message === decision.message;
    if (!isSame) service.decision = decision;
    return isSame ? before : decision;
  },
  last: ({ decision }) => decision,
  report: (_context, { server, app }) => ({
    generation: 0,
    details: { server: server.name, app, version: server.system.get(app)?.version ?? null },
  }),
  notify: ({ entries, queue }, { server, app, decision }, _round, { before }) => {
    if (before === decision) return;
    for (const person of entries.people.values()) {
      const entry = person.server === server ? person.backends.get(app) : undefined;
      if (entry) queue.add(entry.key, true);
    }
  },
  // Which there are is known after the first observation of the server.
  remembers: ({ entries }, key) => entries.servers.has(readKey(key).parts[0]),
};
