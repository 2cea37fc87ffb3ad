/**
 * How many windows of an app a person has open, over all pages (rules 3.3, `encerrar`). A page is one connection of the events channel: its counts
 * end with it. The totals go to the store, where the controller reads them.
 */
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../limits.ts';

export interface Windows {
  pageOpened(person: string, page: string): void;
  pageClosed(page: string): Promise<void>;
  /**
   * Rejects PAGE_UNKNOWN unless the page is an open connection of this person. Resolves when the total is stored; what the store refused is written
   * again later, since the page may be gone.
   */
  count(person: string, page: string, app: string, open: number): Promise<number>;
  /** Nothing is written any more. */
  close(): void;
}

interface Page {
  readonly person: string;
  readonly open: Map<string, number>;
}

type WindowStore = Pick<Store, 'putWindows' | 'closeWindows'>;

/**
 * `portal`: its id among others. After a restart of the only one no page is known yet: what was open counts as closed now, until pages say
 * otherwise.
 */
export async function openWindows(store: WindowStore, bus: Bus, clock: Clock, portal = ''): Promise<Windows> {
  const closed = portal === '' ? await store.closeWindows(false, [], clock.nowMs()) : [];
  for (const { person, app } of closed) bus.enqueue(keys.backend(person, app), false);
  return createWindows(store, bus, clock, portal);
}

function createWindows(store: WindowStore, bus: Bus, clock: Clock, portal: string): Windows {
  const pages = new Map<string, Page>();
  /** Keeps the writes of one backend in order. */
  const writes = new Map<string, Promise<number>>();
  /** Backends whose total the store refused, with what ends the wait for the next try. */
  const unwritten = new Map<string, () => void>();
  let isClosed = false;

  const total = (person: string, app: string): number => {
    let sum = 0;
    for (const page of pages.values()) if (page.person === person) sum += page.open.get(app) ?? 0;
    return sum;
  };
  const writeAfter = async (before: Promise<unknown>, person: string, app: string): Promise<number> => {
    // The call before reported its own result to its caller.
    await before.catch(() => {});
    const open = total(person, app);
    await store.putWindows(portal, { person, app, open, zeroSinceMs: open === 0 ? clock.nowMs() : null });
    bus.enqueue(keys.backend(person, app), false);
    return open;
  };
  const write = async (person: string, app: string): Promise<number> => {
    const key = keys.backend(person, app);
    const next = writeAfter(writes.get(key) ?? Promise.resolve(), person, app);
    writes.set(key, next);
    try {
      const open = await next;
      unwritten.get(key)?.();
      unwritten.delete(key);
      return open;
    } catch (error) {
      writeLater(key, person, app);
      throw error;
    } finally {
      if (writes.get(key) === next) writes.delete(key);
    }
  };
  const writeLater = (key: string, person: string, app: string): void => {
    if (isClosed) return;
    unwritten.get(key)?.();
    const again = (): void => void write(person, app).catch(() => undefined);
    unwritten.set(key, clock.at(clock.monotonicMs() + limits.windowsRetryMs, again));
  };

  return {
    close: () => {
      isClosed = true;
      for (const cancel of unwritten.values()) cancel();
    },
    pageOpened: (person, page) => {
      pages.set(page, { person, open: new Map() });
    },
    pageClosed: async (page) => {
      const closed = pages.get(page);
      pages.delete(page);
      if (!closed) return;
      const apps = [...closed.open].filter(([, open]) => open > 0);
      await Promise.all(apps.map(([app]) => write(closed.person, app)));
    },
    count: async (person, page, app, open) => {
      const known = pages.get(page);
      if (known?.person !== person) {
        throw new SvcError(
          'PAGE_UNKNOWN',
          'this page has no open connection to /ws/events; connect, then send the counts with the new `pagina`',
        );
      }
      const before = known.open.get(app) ?? 0;
      if (open === 0) known.open.delete(app);
      else known.open.set(app, open);
      // A repeated zero must not restart the two minutes.
      return before === open && !unwritten.has(keys.backend(person, app)) ? total(person, app) : await write(person, app);
    },
  };
}
