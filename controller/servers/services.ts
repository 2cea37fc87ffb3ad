/** Server-scope apps as the portal sees them: which there are, whether they answer, and the way to them for every person of their server. */
import { keys } from '../../schema/keys.ts';
import type { Duplex } from 'node:stream';
import { healthPath } from '../../schema/manifest/manifest.ts';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { probeVerdict } from '../../machines/probe-verdict.ts';
import { limits } from '../limits.ts';
import { portalScopesOf } from '../execute/portal-scopes.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import { probe } from '../execute/probe.ts';
import type { Context } from '../context.ts';
import type { BackendEntry, ServerEntry, ServiceEntry } from '../entries.ts';

/** Whether the app is run by the server, so that this person can't start it. */
export function isServerScope({ person, app }: BackendEntry): boolean {
  return person.packages.get(app)?.manifest.escopo === 'servidor';
}

/** Updates the entries from the installed packages. */
export function followServices({ recorder, queue, credentials, options }: Context, server: ServerEntry): void {
  for (const [app, { manifest }] of server.system) {
    if (manifest.escopo !== 'servidor' || server.services.has(app)) continue;
    const key = keys.service(server.name, app);
    server.services.set(app, { key, server, app, probe: null, probing: false, ...unseen, decision: null });
    queue.add(key, false);
  }
  for (const [app, { key }] of server.services) {
    if (server.system.get(app)?.manifest.escopo === 'servidor') continue;
    server.services.delete(app);
    recorder.forget(key);
    // Its file goes with the package.
    credentials
      .endService(server.name, app)
      .catch((error: unknown) => options.log.error({ key, err: error }, 'a credential could not be ended'));
  }
}

/** Asked as any account of the server, because the socket accepts all of them; without an account nothing can be asked. */
export async function probeService({ entries, options, figures }: Context, service: ServiceEntry): Promise<void> {
  const { server } = service;
  const asked = [...entries.people.values()].find((person) => person.server === server && person.accountSeen === true);
  if (server.reachability.status !== 'reachable' || asked === undefined || service.probing) return;
  const { clock } = options;
  service.probing = true;
  try {
    const answer = await probe({
      dial: () => server.host.dial(asked.account, serverAppPaths(service.app).socket),
      path: healthPath(server.system.get(service.app)?.manifest.backend ?? {}),
      token: '',
      clock,
    });
    figures.probed(answer);
    service.probe = { code: answer.code, atMs: clock.nowMs() };
  } finally {
    service.probing = false;
  }
}

/** Once for each server: credentials of apps that were removed while no portal ran. */
export async function endStrayCredentials({ credentials }: Context, server: ServerEntry): Promise<void> {
  if (server.credentialsSwept || server.reachability.status !== 'reachable') return;
  for (const app of await credentials.servicesOf(server.name))
    if (!server.services.has(app)) await credentials.endService(server.name, app);
  // Only now: what the store could not end is ended at the next look.
  server.credentialsSwept = true;
}

const unseen = { credential: null, credentialSeenMs: 0, credentialOf: '' } as const;

/** Reads the portal credential of the app when it is due. An unreadable one is null, and changes nothing. */
export async function lookAtCredential({ credentials, options: { clock, log } }: Context, service: ServiceEntry): Promise<void> {
  const { server, app, probe: answer, credential: before } = service;
  if (server.reachability.status !== 'reachable') return;
  const { hash = '', manifest } = server.system.get(app) ?? {};
  const nowMs = clock.nowMs();
  const isUp = answer !== null && probeVerdict(answer.code).ready;
  const isOther = service.credentialOf !== hash || (isUp && before !== null && before.unit !== 'active');
  // Polls a stopped service soon, to revoke its credential.
  const pollMs = isUp && before !== null ? limits.credentialPollMs : limits.credentialRetryMs;
  if (!isOther && nowMs < service.credentialSeenMs + pollMs) return;
  service.credentialOf = hash;
  service.credentialSeenMs = nowMs;
  // An app that never had a credential and wants none is skipped.
  if (portalScopesOf(manifest).length === 0 && !(await credentials.servicesOf(server.name)).includes(app)) return;
  try {
    const { token, unit, taken } = await server.host.credential(app, 'look\n');
    const scopes = await credentials.ofService(service, token);
    service.credential = { unit, taken, scopes: scopes?.join(' ') ?? null, written: token !== null };
  } catch (error) {
    service.credential = null;
    log.warn({ key: service.key, error: (error as Error).message }, 'the portal credential of the app can not be looked at');
  }
}

/** Null unless it answered when it was asked last. It has no token: who may come in is the app's own matter (rules 5). */
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
    speaksForPeople: portalScopesOf(server.system.get(app)?.manifest).length > 0,
    keepIdleMs: sharedLimits.proxyIdleConnectionMsMax,
  };
}
