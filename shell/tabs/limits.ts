/** Limits of the tabs of windows; those of a page's are in schema/bridge/limits.ts. */
export const limits = {
  /** Tabs that `close-tabs` carries: those of two full windows, below the 64 KiB that a browser sends while a page goes. */
  closedTabsMax: 100,
} as const;
