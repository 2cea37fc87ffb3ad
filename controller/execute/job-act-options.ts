/** Inputs of the acts on jobs. */
import type { Clock } from '../../schema/clock.ts';
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import type { JobStore } from '../../store/jobs.ts';
import type { Entries } from '../entries.ts';

export interface JobActOptions {
  readonly entries: Entries;
  readonly jobs: JobStore;
  readonly clock: Clock;
  /** Ends calls to clusters when the portal ends. */
  readonly ending: AbortSignal;
  /** Where jobs of that cluster reach the portal; waits until it listens. */
  readonly portalUrl: (cluster: ClusterDocument) => Promise<string>;
  /** Reads what was written. */
  readonly onJobs: () => Promise<void>;
  /** The job is gone. */
  readonly onDropped: (key: string) => void;
  readonly onChange: (key: string) => void;
}
