/**
 * Reports to the portal how many windows each app has on this page: by that it decides when an app with `aoFechar: encerrar` stops. Counts
 * belong to the page's event connection and end with it, so a new `pagina` gets everything again. When the last window closes the app
 * itself is notified too (`close-tabs`). Source: rules 3.3, supervisor rule 6.
 */
export interface WindowCounts {
  /** The counts now; apps without windows are absent. */
  update(counts: ReadonlyMap<string, number>): void;
  /** The event connection has a name now, or none. */
  connected(page: string | null): void;
}

export interface CountsPort {
  send(app: string, open: number, page: string): Promise<void>;
  closeTabs(app: string): void;
}

export function createWindowCounts(port: CountsPort): WindowCounts {
  let page: string | null = null;
  let counts: ReadonlyMap<string, number> = new Map();
  /** The counts that were reported for this page. */
  const reported = new Map<string, number>();
  const sending = new Set<string>();

  /**
   * Sends a single request per app at a time: an older count can't overtake a newer one. After a failure the next change or connection
   * sends again.
   */
  const report = async (app: string): Promise<void> => {
    if (sending.has(app)) return;
    sending.add(app);
    try {
      for (;;) {
        const open = counts.get(app) ?? 0;
        const to = page;
        if (to === null || (reported.get(app) ?? 0) === open) return;
        await port.send(app, open, to);
        if (page === to) reported.set(app, open);
      }
    } catch {
      // the portal is away: `connected` reports everything again
    } finally {
      sending.delete(app);
    }
  };
  const reportAll = (): void => {
    for (const app of new Set([...reported.keys(), ...counts.keys()])) void report(app);
  };

  return {
    update: (next) => {
      const before = counts;
      counts = new Map(next);
      for (const [app, open] of before) if (open > 0 && (counts.get(app) ?? 0) === 0) port.closeTabs(app);
      reportAll();
    },
    connected: (next) => {
      if (next === page) return;
      page = next;
      reported.clear();
      if (page !== null) reportAll();
    },
  };
}
