/** All tables of the store, whatever holds them. */
import type { Sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { openAppErrors } from './app-errors.ts';
import { openConsents } from './consents.ts';
import { openEvents } from './events.ts';
import { openInstalls } from './installs.ts';
import { openJobs } from './jobs.ts';
import { openIntents, openNames, openWindows } from './names.ts';
import { openPasskeys } from './passkeys.ts';
import { openPersonal } from './personal.ts';
import { openPreferences } from './preferences.ts';
import { openRoomStore } from './room-store.ts';
import { openPasses, openSessions } from './sessions.ts';
import { openStatuses } from './statuses.ts';

export async function openTables(sql: Sql): Promise<Omit<Store, 'giveUp' | 'close'>> {
  return {
    ...openIntents(sql),
    ...(await openStatuses(sql)),
    ...(await openEvents(sql)),
    ...openSessions(sql),
    ...openPasses(sql),
    ...openPasskeys(sql),
    ...openInstalls(sql),
    ...openPreferences(sql),
    ...openConsents(sql),
    ...openAppErrors(sql),
    ...openWindows(sql),
    ...openNames(sql),
    ...openPersonal(sql),
    rooms: openRoomStore(sql),
    jobs: openJobs(sql),
  };
}
