/** Handlers of all bridge verbs on this desktop. */
import { publicNames } from '../../schema/bridge/verbs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { appHandlers } from './app-verbs.ts';
import type { Desk } from './desk.ts';
import { fileHandlers } from './file-verbs.ts';
import { linkHandlers } from './link-verbs.ts';
import { metricHandlers } from './metric-verbs.ts';
import { personHandlers } from './person-verbs.ts';
import { queueHandlers } from './queue-verbs.ts';
import { roomHandlers } from './room-verbs.ts';
import { settingsHandlers } from './settings-verbs.ts';
import { tabHandlers } from './tab-verbs.ts';
import { windowHandlers } from './window-verbs.ts';

export function bridgeHandlers(desk: () => Desk): BridgeHandlers {
  return {
    ...personHandlers(desk),
    ...roomHandlers(desk),
    ...appHandlers(desk),
    ...queueHandlers(desk),
    ...settingsHandlers(desk),
    ...tabHandlers(desk),
    ...fileHandlers(desk),
    ...linkHandlers(desk),
    ...metricHandlers(desk),
    ...windowHandlers(desk),
    'app.capacidades': () => ({ host: 'svc', shellVersion: desk().session.shellVersion, verbos: publicNames }),
  };
}
