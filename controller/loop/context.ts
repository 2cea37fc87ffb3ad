/** What the parts of the loop share. Made once by loop.ts. */
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import type { DesiredSource } from '../desired/in-force.ts';
import type { Bus } from '../events/bus.ts';
import type { Executors } from '../execute/executors.ts';
import type { Host } from '../hosts/host.ts';
import type { WorkQueue } from './queue.ts';
import type { Log, Recorder } from './record.ts';
import type { Store } from '../store/store.ts';
import type { World, WorldFactory } from '../world.ts';

export interface ControllerOptions {
  /** Folder of desired-state YAML, absolute. */
  readonly dir: string;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** `readOnly` for `svc plan`: looks, and neither makes nor mends anything. */
  readonly createHost: (server: ServerDocument, readOnly: boolean) => Host;
}

export interface Context {
  readonly options: ControllerOptions;
  readonly source: DesiredSource;
  readonly world: World;
  readonly recorder: Recorder;
  readonly queue: WorkQueue;
  readonly executors: Executors;
  readonly factory: WorldFactory;
  /** To be told of each decision. */
  readonly alarm: (key: string) => void;
}
