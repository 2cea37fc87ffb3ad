/** Rests of a history: nothing goes wrong any more, and after a while everything has to be as it is wanted. */
import { violate } from '../world.ts';
import { goOn } from './app-acts.ts';
import { checkRest } from './checks.ts';
import { applyFolder, moveServer } from './folder.ts';
import { endLinesOf } from './lines.ts';
import { closePage } from './pages.ts';
import { renamed } from './people.ts';
import { checkForbidden, checkRooms } from './room-checks.ts';
import { calm, type Site } from './site.ts';
import { trialMs, tryApps } from './trial.ts';

/** Ends what is still waiting to go wrong. */
function heal(site: Site): void {
  Object.assign(site.weather, calm());
  site.closedAccounts.clear();
  for (const server of site.world.servers) server.reachable = true;
  for (const server of site.world.servers) moveServer(site, server);
  for (const [person, double] of site.doubles) if (double === 'written') renamed(site, person, 'leaving');
  endLinesOf(site, (line) => line.person.supervisor !== line.life);
  goOn(site);
  const rooms = site.rooms!;
  rooms.refusesUntilMs = 0;
  rooms.slowMs = 0;
  rooms.troubleAtMs = site.world.clock.monotonicMs();
  for (const page of rooms.pages) {
    if (!page.isOnline) page.setOnline(true);
    if (page.person.session === null) closePage(rooms, page);
  }
}

async function check(site: Site, ms: number): Promise<void> {
  await checkRest(site, ms);
  await checkRooms(site.rooms!, ms);
  checkForbidden(site.rooms!);
}

/** How long everything rests until the last look; some rests go on for long after it, some with a trial. */
const restMs = 120_000;
const kinds = { short: 0, trial: trialMs, long: 7 * 60_000 } as const;

/** Returns how long it lasts. */
export function rest(site: Site): number {
  const { clock } = site.world;
  const isFirst = site.callsAtRest === 0;
  if (isFirst) site.callsAtRest = site.calls;
  const kind = isFirst ? 'short' : site.chance('rests').pick(['short', 'trial', 'trial', 'long'] as const);
  const lastsMs = restMs + kinds[kind];
  site.isResting = true;
  site.restsUntilMs = clock.monotonicMs() + lastsMs;
  heal(site);
  const at = (ms: number, act: () => void): void => void clock.at(clock.monotonicMs() + ms, act);
  at(7_000, () => {
    if (site.isApplyDue) applyFolder(site);
  });
  if (kind === 'trial') at(restMs, () => tryApps(site));
  for (const ms of [45_000, 115_000, ...(kind === 'long' ? [lastsMs - 5_000] : [])])
    at(ms, () => void check(site, ms).catch((error: unknown) => violate(site.world, `a check failed: ${String(error)}`)));
  at(lastsMs, () => {
    site.isResting = false;
  });
  return lastsMs;
}
