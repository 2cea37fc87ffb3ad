/** The line from a supervisor to the portal: snapshots in order, each late by a little; some get lost, some come much too late. */
import { observe } from './portal-model.ts';
import { snapshotOf } from './server-model.ts';
import { afterInPortal, countFault, type AppModel, type World } from './world.ts';

export function push(world: World, app: AppModel): void {
  if (world.several !== null && world.among === null) return world.several.pushed(app);
  const { person } = app;
  if (world.portal === null || person.link !== 'up' || person.supervisor === null) return;
  world.seq += 1;
  const seq = world.seq;
  const snapshot = snapshotOf(app);
  let lateMs = world.random.int(1, 20);
  if (world.mischief.lostPushes > 0 || !person.server.reachable) {
    if (person.server.reachable) {
      world.mischief.lostPushes -= 1;
      countFault(world, 'lost push');
    }
    world.unseen.add(app);
    return;
  }
  if (world.mischief.latePushes > 0) {
    world.mischief.latePushes -= 1;
    countFault(world, 'stale observation');
    lateMs = world.random.int(500, 9_000);
  }
  afterInPortal(world, lateMs, () => observe(world, app, snapshot, seq));
}
