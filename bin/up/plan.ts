/** `svc plan DIR` without a running portal: the same look and the same decisions, and nothing is carried out. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import about from '../../package.json' with { type: 'json' };
import { pino } from 'pino';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { createGateway } from '../../controller/views/gateway.ts';
import { createController } from '../../controller/loop/loop.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { createAdmin, createHost, kitFor } from './host.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { onCopy } from '../../store/upgrade/sqlite-look.ts';
import { storeFile } from './remembered-store.ts';
import { openStore, storePlace } from './store-place.ts';

export async function planOffline(dir: string, state: string): Promise<PlanAnswer> {
  const stateDir = path.resolve(state);
  const desiredDir = path.resolve(dir);
  const place = await storePlace(desiredDir, stateDir);
  const file = storeFile(place, stateDir);
  // Nothing is made by looking: a portal that never ran has an empty store, and one of an older svc stays as it is.
  if (file !== null && !(await access(file).then(isTrue, isFalse)))
    return await planWith(await openSqliteStore(':memory:'), desiredDir, stateDir);
  if (file !== null) return await onCopy(file, async (copy) => await planWith(await openSqliteStore(copy), desiredDir, stateDir));
  return await planWith((await openStore(place, { stateDir, clock: systemClock, leads: false })).store, desiredDir, stateDir);
}

async function planWith(store: Store, desiredDir: string, stateDir: string): Promise<PlanAnswer> {
  const clock = systemClock;
  try {
    const log = pino({ level: 'silent' });
    const controller = await createController({
      shellVersion: about.version,
      dir: desiredDir,
      store,
      bus: createBus(),
      clock,
      log,
      createHost: (server) => createHost({ stateDir, clock, log }, server, true),
      createAdmin: (server) => createAdmin({ stateDir, clock, log }, server),
      serverKit: kitFor,
    });
    return await createGateway(controller.context).admin.plan(null);
  } finally {
    await store.close();
  }
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
