/** How the site is at a scrape, of what the controller knows anyway: nothing is asked of a server. */
import { makeKey } from '../schema/keys.ts';
import type { ServerFigures, SiteFigures } from '../schema/figures.ts';
import type { ServerEntry } from './entries.ts';
import type { Context } from './context.ts';
import { stoppedAt } from './servers/rollout.ts';

export function siteFigures(context: Context): SiteFigures {
  const { entries, recorder, options } = context;
  const stopped = stoppedAt(context);
  const byState = new Map([
    [makeKey('Package', ''), new Map<string, number>()],
    [makeKey('Job', ''), new Map<string, number>()],
  ] as const);
  for (const { key, state } of recorder.all())
    for (const [prefix, counts] of byState) if (key.startsWith(prefix)) counts.set(state, (counts.get(state) ?? 0) + 1);
  const [packages = new Map<string, number>(), jobs = new Map<string, number>()] = byState.values();
  return {
    leads: options.leads ?? true,
    servers: [...entries.servers.values()].map((server) => figuresOf(server, stopped.has(server.name))),
    packages,
    jobs,
  };
}

function figuresOf({ name, reachability, door, kit, drain }: ServerEntry, stopsKit: boolean): ServerFigures {
  const facts = kit?.facts ?? null;
  const homesKb = facts?.accounts.flatMap(({ freeKb }) => freeKb ?? []) ?? [];
  const bytes = (kb: number | null): number | null => (kb === null ? null : kb * 1_024);
  return {
    name,
    isUp: reachability.status === 'reachable' && door === null,
    stopsKit,
    isDrained: drain !== null,
    hasKit: facts === null || kit === null || kit.wanted === null ? null : facts.kit === kit.wanted.id,
    optFreeBytes: bytes(facts?.optFreeKb ?? null),
    homeFreeBytes: homesKb.length === 0 ? null : bytes(Math.min(...homesKb)),
  };
}
