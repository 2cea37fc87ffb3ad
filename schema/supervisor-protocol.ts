/**
 * The conversation between the portal and the supervisor of a person: one JSON object a line, over the 0600 unix socket
 * `~/.svc-apps/supervisor.sock` (direct on the local host, through a stream-local channel over SSH).
 * A request has an id; its reply repeats it. After `subscribe` the supervisor also pushes lines without an id.
 * Both sides refuse a line over limits.supervisorLineBytesMax and an unknown `op` (code BAD_REQUEST).
 */

export const supervisorProtocolVersion = 1;

/** In the env file, for the launcher only: the ceilings of the administrator, as JSON of SiteResources. */
export const ceilingsVariable = 'SVC_APP_CEILINGS';

/** In the env file, for the launcher only: the app runs as a job of its cluster, as JSON of ClusterOrder. Decision: docs/decisions/0437-backends-on-a-cluster.md */
export const clusterVariable = 'SVC_APP_CLUSTER';

export interface ClusterOrder {
  /** Folder of the commands of Slurm, SLURM_CONF, and the configuration of ssh to the nodes; '' for the usual ones. */
  readonly bin: string;
  readonly conf: string;
  readonly ssh: string;
  /** Time after which the app is ended. */
  readonly seconds: number;
  /** Options of sbatch, beside the name. */
  readonly options: readonly string[];
}

/** Values that the portal writes into the env file of an app (rules 2.6). They hold no newline and no NUL. */
export interface StartOrder {
  readonly app: string;
  readonly token: string;
  readonly basePath: string;
  readonly pinned: boolean;
  readonly requestId: string;
  /** Further variables of the env file, e.g. SVC_PORTAL_URL. Names are closed: only SVC_* is taken. */
  readonly variables: Readonly<Record<string, string>>;
  /** Not requested: the env file of a wanted app can't be used, and is rewritten. Such a start does not reset the count of restarts. */
  readonly isMend?: boolean;
}

/** Carried by orders that change something: whose orders count is the portal with the highest number. Decision: docs/decisions/0288-the-number-of-an-order.md */
export interface Numbered {
  readonly leader?: number;
}

/** Version that the supervisor sends in `hello`; the portal keeps the kit at its own. */
export const kitVersion = '0.2.6';

/**
 * The oldest kit that this portal serves a server with until it gets ours. It is raised when a portal needs what older kits don't do.
 * Decision: docs/decisions/0420-an-older-kit-goes-on.md
 */
export const kitVersionMin = '0.2.5';

/** A newer one is not: two portals of one account that each brought its own would end the other's supervisor for ever. */
export function isOlderKit(version: string, ours = kitVersionMin): boolean {
  const parts = (text: string): readonly number[] => text.split('.', 3).map((part) => Number.parseInt(part, 10) || 0);
  const [theirs, own] = [parts(version), parts(ours)];
  const at = [0, 1, 2].find((index) => (theirs[index] ?? 0) !== (own[index] ?? 0));
  return at !== undefined && (theirs[at] ?? 0) < (own[at] ?? 0);
}
