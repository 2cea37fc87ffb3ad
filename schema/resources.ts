/** Ceilings of processes, as a manifest and an administrator say them. Source: rules 2.1 `resources`. */
import { patterns } from './manifest/patterns.ts';
import { fields, pattern, type Wire } from './static.ts';

const memory = pattern(patterns.memory, 'none, or a number with K, M, G, T or %');

export const resourcesSchema = fields({
  memoryHigh: memory,
  memoryMax: memory,
  cpuQuota: pattern(patterns.cpu, 'none, or a percentage'),
  tasksMax: pattern(patterns.tasks, 'none, or a number, with or without %'),
});

export type Resources = Wire<typeof resourcesSchema>;

/** The administrator's settings for the backends of one app and person; sent with each start. */
export interface SiteResources {
  /** In place of the built-in defaults. */
  readonly default?: Resources;
  /** The most that this backend gets. */
  readonly ceiling?: Resources;
  /** The most that all backends of the person get together. */
  readonly person?: Resources;
}
