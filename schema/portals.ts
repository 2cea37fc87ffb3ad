/** Portals that share a store. */
/** As `svc get Portal` shows one. */
export interface PortalSeen {
  /** A host and a process. */
  readonly holder: string;
  readonly address: string;
  readonly version: string;
  readonly leads: boolean;
  /** Rooms that are at it. */
  readonly rooms: number;
  /** Whole seconds since its last sign of life. */
  readonly quietS: number;
  /** Names of servers that it does not reach. */
  readonly unreached: readonly string[];
}
