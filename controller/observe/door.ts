/**
 * Whether a server that answers also lets in who is not connected yet. A connection outlives the sshd that made it: observations over it
 * prove nothing about an sshd that was stopped, or that shows another host key since. Decision: docs/decisions/0351-the-door-of-a-server.md
 */
import { causeOf } from '../../schema/cause.ts';
import { ageMs } from '../clock/age.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import type { ServerEntry } from '../entries.ts';

/** Not waited for: a firewall that drops all takes its ten seconds. */
export function lookAtDoor({ options: { clock }, queue }: Context, server: ServerEntry): void {
  if (server.seen.status !== 'reachable') {
    // The observations themselves fail, and say why; the next connection that is made is a new one.
    Object.assign(server, { door: null, doorSeenAtMs: clock.nowMs() });
    return;
  }
  if (ageMs(clock.nowMs(), server.doorSeenAtMs) < limits.doorPollMs) return;
  server.doorSeenAtMs = clock.nowMs();
  void look(server, queue);
}

async function look(server: ServerEntry, queue: Context['queue']): Promise<void> {
  const error = (await server.host.door?.()) ?? null;
  const door = error === null || server.seen.status !== 'reachable' ? null : causeOf(error);
  if (door?.message === server.door?.message && door?.reason === server.door?.reason) return;
  server.door = door;
  queue.add(server.key, true);
}
