/** Shared state of the parts of the loop. Made once by loop.ts. */
import type { StartedWith } from './desired/restart.ts';
import type { Audit } from '../schema/audit.ts';
import type { Clock } from '../schema/clock.ts';
import type { BackupStanding } from '../schema/backups.ts';
import type { PortalSeen } from '../schema/portals.ts';
import type { ClusterDocument, ServerDocument } from '../schema/desired/documents.ts';
import type { Cluster } from './clusters/cluster.ts';
import type { DesiredSource } from './desired/in-force.ts';
import type { Bus } from '../store/bus.ts';
import type { PortalCredentials } from './execute/portal-credentials.ts';
import type { Executors } from './execute/guarded.ts';
import type { Figures } from './figures.ts';
import type { Host } from './hosts/host.ts';
import type { createLoopAlarm } from './work/loop-alarm.ts';
import type { Tries } from './work/tries.ts';
import type { WorkQueue } from './work/queue.ts';
import type { Log, Recorder } from './work/record.ts';
import type { OffersReader } from '../kit/repository/reading/offers.ts';
import type { Store } from '../store/store.ts';
import type { KitTarball, ServerAdmin } from './hosts/server/admin.ts';
import type { SshKeys } from './hosts/server/ssh-keys.ts';
import type { Entries, EntryFactory } from './entries.ts';

/** Services of the controller for a driver of a cluster. */
export interface AroundCluster {
  hostOf(server: string): Host | null;
  /** Jobs that it has to know of the cluster, by their names there, with the accounts of their people. */
  jobs(): readonly { readonly name: string; readonly account: string }[];
}

export interface ControllerOptions {
  /** Folder of desired-state YAML, absolute. */
  readonly dir: string;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** The audit record; absent: nothing is recorded. */
  readonly audit?: Audit;
  /** Version of this portal's shell: judges `minShellVersion`. */
  readonly shellVersion: string;
  /** False: another portal leads. This one sees and decides the same, for its own people, and carries out and writes nothing of it. Absent: it leads. */
  readonly leads?: boolean;
  /** The part of the Portal document read when this portal began; null: not yet, or never (`svc plan`). */
  readonly startedWith?: () => StartedWith | null;
  /** Takes a person who is erased out of the writers of documents. Absent: there are none. */
  readonly forgetWriter?: (person: string) => Promise<void>;
  /** The portals that share the store, this one among them; absent: there are no others. */
  readonly portals?: () => Promise<readonly PortalSeen[]>;
  /** How scheduled backups stand; null: none are asked for. */
  readonly backups?: () => BackupStanding | null;
  /** The number of its orders; without it, or null, they have none. Decision: docs/decisions/0288-the-number-of-an-order.md */
  readonly leader?: number | null;
  /** Resolves as long as no other portal can lead; before each act. Rejects when one may. Decision: docs/decisions/0303-a-lease-that-may-be-over.md */
  readonly held?: () => Promise<void>;
  /** `readOnly` for `svc plan`: observes, and neither makes nor mends anything. */
  readonly createHost: (server: ServerDocument, readOnly: boolean) => Host;
  /** Where backends on that server reach the portal; waits until it listens. Without it no backend gets a credential that works. */
  readonly portalUrl?: (server: ServerDocument) => Promise<string>;
  /** The administrator's side of a server; null where there is nothing to administrate. */
  readonly createAdmin?: (server: ServerDocument) => ServerAdmin | null;
  /** The portal's own ssh key; without it none is changed. */
  readonly sshKeys?: SshKeys;
  /** The driver of a cluster; without it no job is run. */
  readonly createCluster?: (cluster: ClusterDocument, around: AroundCluster) => Cluster;
  /** Where jobs of that cluster reach the portal; waits until it listens. */
  readonly portalUrlOfJobs?: (cluster: ClusterDocument) => Promise<string>;
  /** The portal's kit for servers with that processor (`uname -m`). Rejects KIT_INCOMPLETE. */
  readonly serverKit?: (arch: string) => Promise<KitTarball>;
}

export interface Context {
  readonly options: ControllerOptions;
  readonly source: DesiredSource;
  readonly entries: Entries;
  readonly recorder: Recorder;
  readonly queue: WorkQueue;
  readonly executors: Executors;
  /** Fires when the loop ends: calls that take long end with it. */
  readonly ending: AbortSignal;
  readonly credentials: PortalCredentials;
  readonly factory: EntryFactory;
  readonly offers: OffersReader;
  /** For `/metrics`. */
  readonly figures: Figures;
  /** Reads everything that the api wrote: the level behind the bus's edges. */
  readonly refresh: () => Promise<void>;
  /** Keys of all objects, in the order in which a resync asks for them. */
  readonly everyKey: () => Iterable<string>;
  /** When an action of a key may be tried again. */
  readonly tries: Tries;
  /** Called with each decision. */
  readonly alarm: ReturnType<typeof createLoopAlarm>;
}
