/** Nothing goes wrong any more, and people use what is there: who starts an app gets it, and who stops it is rid of it. */
import { violate, type AppModel } from '../world.ts';
import { allWindowsClosed, ask, openWindow, signIn, signOut } from './people.ts';
import type { Site } from './site.ts';

const isOffered = ({ person, installed, document }: AppModel): boolean =>
  person.document === 'written' && installed.document === 'written' && installed.present && document !== 'desligado';

/** How long the trial takes, and how long an app may take to come and to go. */
export const trialMs = 220_000;
/** After it nobody's supervisor needs to be there. */
const awayMs = 110_000;
const comesWithinMs = 60_000;
const goesWithinMs = 45_000;

export function tryApps(site: Site): void {
  const { world } = site;
  const { clock } = world;
  const random = site.chance('trial');
  const at = (ms: number, act: () => void): void => void clock.at(clock.monotonicMs() + ms, act);
  const apps = world.apps.filter(isOffered);
  // Just signed in, or a while ago, or never out.
  const comesBack = random.chance(0.5);
  if (comesBack) for (const person of world.people) signOut(site, person);
  at(awayMs - 5_000, () => {
    for (const { person } of apps) if (person.session === null && !comesBack) signIn(site, person);
  });
  at(awayMs, () => {
    for (const app of apps) {
      const isNew = app.person.session === null;
      if (isNew || random.chance(0.5)) openWindow(site, app);
      else ask(site, app, 'start', 'person', 0);
    }
  });
  at(awayMs + comesWithinMs, () => {
    for (const app of apps) {
      if (!isOffered(app)) continue;
      const { state, reason } = app.supervision;
      if (app.env === null && state !== 'failed' && reason !== 'Idle')
        violate(world, `${app.key} was started with everything in order and is not wanted (${state}, ${reason})`);
      allWindowsClosed(site, app);
      if (app.document !== 'ligado') ask(site, app, 'stop', 'person', 0);
    }
  });
  at(awayMs + comesWithinMs + goesWithinMs, () => {
    for (const app of apps)
      if (isOffered(app) && app.document !== 'ligado' && app.env !== null && app.installed.manifest.kind !== 'service')
        violate(world, `${app.key} was stopped with everything in order and lives`);
  });
}
