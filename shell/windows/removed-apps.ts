/**
 * Windows of apps that were removed on the server. A list without an app is no proof: the portal may have just started, and a window may
 * hold unsaved work. So an app counts as removed when its removal was announced and the list is without it. Pure.
 */
import type { PortalEvent } from '../../schema/wire/events.ts';

export interface RemovedApps {
  heard(event: PortalEvent): void;
  /** The apps that the portal lists now. */
  listed(apps: ReadonlySet<string>): void;
}

/** `gone` is called once for each removal. */
export function createRemovedApps(gone: (app: string) => void): RemovedApps {
  const leaving = new Set<string>();
  let last: ReadonlySet<string> | null = null;
  /** Its end is announced more than once. */
  const over = new Set<string>();
  const update = (): void => {
    if (last === null) return;
    for (const app of last) over.delete(app);
    for (const app of leaving) {
      if (last.has(app)) continue;
      leaving.delete(app);
      if (over.has(app)) continue;
      over.add(app);
      gone(app);
    }
  };
  return {
    heard: (event) => {
      if (event.type !== 'install-progress') return;
      if (event.state === 'removing' || event.state === 'removed') leaving.add(event.app);
      else leaving.delete(event.app);
      update();
    },
    listed: (apps) => {
      last = apps;
      update();
    },
  };
}
