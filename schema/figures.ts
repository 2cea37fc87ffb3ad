/**
 * Counts of the controller's own work, as `/metrics` shows them. The controller writes them (controller/figures.ts), and api/site/metrics.ts reads them.
 */
import type { Distribution } from './wire/distribution.ts';

/** Upper bounds in seconds of everything here: from a decision without an act to a start that takes as long as is waited for. */
export const figureBoundsS: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * The steps of a start that the controller sees, each from the end of the one before: `order`, until the supervisor took the wish; `process`,
 * until there is a process; `socket`, until it listens; `answer`, until a probe says that it is ready. Times of the portal's own clock.
 */
export const seenSteps = ['order', 'process', 'socket', 'answer'] as const;
export type SeenStep = (typeof seenSteps)[number];

export interface ReconcileFigures {
  /** Passes that did something: a key whose inputs are as they were is not worked on. */
  readonly durations: Distribution;
  /** Passes that ended with an error. */
  failed: number;
}

export interface ControllerFigures {
  /** By kind. */
  readonly reconciled: ReadonlyMap<string, ReconcileFigures>;
  /** Health probes by verdict (rules 3.2). */
  readonly probes: ReadonlyMap<string, number>;
  /** By app, then by step. */
  readonly starts: ReadonlyMap<string, ReadonlyMap<SeenStep, Distribution>>;
  /** Keys that wait or are worked on. */
  readonly queued: () => number;
  /** How the site is now. */
  readonly site: () => SiteFigures;
}

export interface SiteFigures {
  /** This portal orders; of several one does. */
  readonly leads: boolean;
  readonly servers: readonly ServerFigures[];
  /** By state. */
  readonly packages: ReadonlyMap<string, number>;
  readonly jobs: ReadonlyMap<string, number>;
}

export interface ServerFigures {
  readonly name: string;
  readonly isUp: boolean;
  /** The kit of this portal failed there, and no further server gets it. */
  readonly stopsKit: boolean;
  readonly isDrained: boolean;
  /** It has the kit of this portal; null: the portal brings none there, or it was not seen. */
  readonly hasKit: boolean | null;
  /** Free below /opt, and in the fullest home; null: not told. */
  readonly optFreeBytes: number | null;
  readonly homeFreeBytes: number | null;
}

export const noSite: SiteFigures = { leads: true, servers: [], packages: new Map(), jobs: new Map() };

export const noFigures: ControllerFigures = {
  reconciled: new Map(),
  probes: new Map(),
  starts: new Map(),
  queued: () => 0,
  site: () => noSite,
};
