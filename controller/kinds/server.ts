/** `Server/<name>`: a Server document, its kit, and what is installed there. */
import { serverMemory, decideServer, type ServerDesired, type ServerMemory, type ServerObserved } from '../../reconcilers/server.ts';
import { limits } from '../limits.ts';
import { ageMs } from '../clock/age.ts';
import type { Context } from '../context.ts';
import { inventoryDue, observeInventory } from '../observe/inventory.ts';
import { lookAtDoor } from '../observe/door.ts';
import { observePackages } from '../observe/packages.ts';
import { isOccupied, observeKit, serverDesired } from '../servers/kit-work.ts';
import { serverSight } from '../servers/rollout.ts';
import { endStrayCredentials, followServices } from '../servers/services.ts';
import type { ServerEntry } from '../entries.ts';
import type { Kind } from './kind.ts';

export const serverKind: Kind<ServerEntry, ServerDesired, ServerObserved, ServerMemory> = {
  name: 'Server',
  entries: (entries) => entries.servers.values(),
  find: (entries, name) => entries.servers.get(name),
  keyOf: ({ key }) => key,
  lane: ({ name }) => name,
  observe,
  desired: serverDesired,
  observed: serverSight,
  decide: decideServer,
  memory: serverMemory,
  notify: (context, server, _round, { change }) => {
    if (change !== null && server.kit !== null) askOthers(context, server);
  },
  report: (_context, { placed, system, kit }) => ({
    generation: placed.generation,
    details: {
      packages: system.size,
      checksPasswords: 'ssh' in placed.document.spec && kit?.facts?.sshd.password !== 'no',
      ...(kit === null ? {} : { kit: kit.facts?.kit ?? null, portalKit: kit.wanted?.id ?? null }),
    },
  }),
};

/** Wakes the other servers: the state of a new kit on one server decides when the others get it. */
function askOthers({ entries, queue }: Context, server: ServerEntry): void {
  for (const other of entries.servers.values()) if (other !== server && other.kit !== null) queue.add(other.key, false);
}

async function observe(context: Context, server: ServerEntry): Promise<boolean> {
  // Whether it answers or not, it goes.
  if (server.lost || (server.leaving && !isOccupied(context.entries, server))) return true;
  await observeKit(context, server);
  const isOff = server.kit?.wish?.removed === true;
  const fresh =
    server.reachability.status === 'reachable' && ageMs(context.options.clock.nowMs(), server.observedAtMs) < limits.packagePollMs;
  // Where the kit was removed nothing is observed and nothing started: the server can't serve apps.
  if (!isOff && !fresh) await observePackages(context, server.name);
  if (!isOff) lookAtDoor(context, server);
  followServices(context, server);
  await endStrayCredentials(context, server);
  if (!isOff && inventoryDue(context, server)) await observeInventory(context, server);
  return true;
}
