/** Server-scope apps as the portal sees them: which there are, whether they answer, and the way to them for every person of their server. */
import { keys } from '../../schema/keys.ts';
import type { Duplex } from 'node:stream';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { limits } from '../../schema/limits.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import { probe } from '../execute/probe.ts';
import type { Context } from '../loop/context.ts';
import type { BackendEntry, ServerEntry, ServiceEntry } from '../entries.ts';

/** Whether the app is run by the server, so that this person can't start it. */
export function isServerScope({ person, app }: BackendEntry): boolean {
  return person.packages.get(app)?.manifest.escopo === 'servidor';
}

/** Updates the entries from the installed packages. */
export function followServices({ recorder, queue }: Context, server: ServerEntry): void {
  for (const [app, { manifest }] of server.system) {
    if (manifest.escopo !== 'servidor' || server.services.has(app)) continue;
    const key = keys.service(server.name, app);
    server.services.set(app, { key, server, app, probe: null, probing: false, decision: null });
    queue.add(key, false);
  }
  for (const [app, { key }] of server.services) {
    if (server.system.get(app)?.manifest.escopo === 'servidor') continue;
    server.services.delete(app);
    recorder.forget(key);
  }
}

/** Asked as any account of the server, because the socket accepts all of them; without an account nothing can be asked. */
export async function probeService({ entries, options }: Context, service: ServiceEntry): Promise<void> {
  const { server } = service;
  const asked = [...entries.people.values()].find((person) => person.server === server && person.accountSeen === true);
  if (server.reachability.status !== 'reachable' || asked === undefined || service.probing) return;
  const { clock } = options;
  service.probing = true;
  try {
    const code = await probe({
      dial: () => server.host.dial(asked.account, serverAppPaths(service.app).socket),
      path: server.system.get(service.app)?.manifest.backend.healthcheckPath ?? '/',
      token: '',
      clock,
    });
    service.probe = { code, atMs: clock.nowMs() };
  } finally {
    service.probing = false;
  }
}

/** Null unless it answered when it was asked last. It has no token: who may come in is the app's own matter (spec 5.2). */
export function serviceRoute({ person, app }: BackendEntry): BackendRoute | null {
  const { server } = person;
  const decision = server.services.get(app)?.decision;
  if (decision?.ready !== true) return null;
  const { socket } = serverAppPaths(app);
  return {
    generation: `service ${server.system.get(app)?.hash ?? ''} ${decision.memory.sinceMs}`,
    socketPath: server.host.directSocketPath(socket),
    dial: (): Promise<Duplex> => server.host.dial(person.account, socket),
    token: '',
    keepIdleMs: limits.proxyIdleConnectionMsMax,
  };
}
