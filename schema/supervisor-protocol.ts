/**
 * The conversation between the portal and the supervisor of a person: one JSON object a line, over the 0600 unix socket
 * `~/.svc-apps/supervisor.sock` (direct on the local host, through a stream-local channel over SSH).
 * A request has an id; its reply repeats it. After `subscribe` the supervisor also pushes lines without an id.
 * Both sides refuse a line over limits.supervisorLineBytesMax and an unknown `op` (code BAD_REQUEST).
 */
import type { StopReason } from './reasons/derived.ts';

export const supervisorProtocolVersion = 1;

/** In the env file, for the launcher only: the ceilings of the administrator, as JSON of SiteResources. */
export const ceilingsVariable = 'SVC_APP_CEILINGS';

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

/** Carried by what changes something: whose orders count is the portal with the highest number. Decision: docs/decisions/0288-the-number-of-an-order.md */
export interface Numbered {
  readonly leader?: number;
}

/**
 * The ops that are numbered. `quit` is not: older supervisors get it too, and it ends no app. `subscribe` is never refused for its number: by it a
 * portal that leads from now on makes itself known before its first order.
 */
export const numberedOps = ['subscribe', 'start', 'stop', 'pin', 'secret-put', 'secret-delete'] as const;

export type SupervisorRequest =
  | { readonly id: number; readonly op: 'hello' }
  /** Reply holds all snapshots; afterwards every change is pushed. */
  | ({ readonly id: number; readonly op: 'subscribe' } & Numbered)
  | { readonly id: number; readonly op: 'snapshot' }
  /** Asks for the present usage of the living apps. It is not in the snapshots because it changes with every reading. */
  | { readonly id: number; readonly op: 'usage' }
  /** Writes the env file, resets the failures and launches. Replies when the launch is under way, not when the app answers. */
  | ({ readonly id: number; readonly op: 'start' } & StartOrder & Numbered)
  /** Deletes the env file, then SIGTERM, limits.stopGraceMs, SIGKILL. Replies when the env file is gone. */
  | ({
      readonly id: number;
      readonly op: 'stop';
      readonly app: string;
      readonly requestId: string;
      readonly reason: StopReason;
    } & Numbered)
  /** Sets or clears the pin of a wanted app without touching the process. */
  | ({ readonly id: number; readonly op: 'pin'; readonly app: string; readonly pinned: boolean } & Numbered)
  /** A request went to the app. Its connection may be gone before a pass sees it. Source: rules 3.3, supervisor rule 3. */
  | { readonly id: number; readonly op: 'used'; readonly app: string }
  /** A request waits for the app: does it answer? The result comes as a snapshot. */
  | { readonly id: number; readonly op: 'doubt'; readonly app: string }
  /** The token of a wanted app, so that a restarted portal can go on proxying. */
  | { readonly id: number; readonly op: 'token'; readonly app: string }
  | { readonly id: number; readonly op: 'log'; readonly app: string; readonly tail: number; readonly previous: boolean }
  /** Pushes `log` lines until the connection closes. */
  | { readonly id: number; readonly op: 'follow'; readonly app: string; readonly tail: number }
  /** Appends one line of ours to run.log of a living app: what the shell saw of it. */
  | { readonly id: number; readonly op: 'note'; readonly app: string; readonly text: string }
  /** Names of the manifest and of the vault; never a value. */
  | { readonly id: number; readonly op: 'secrets'; readonly app: string }
  /** Into the vault, when the manifest asks for the name. The value is in no reply, no push and no log. Source: rules 5. */
  | ({ readonly id: number; readonly op: 'secret-put'; readonly app: string; readonly name: string; readonly value: string } & Numbered)
  /** Out of the vault; no error when it is not there. */
  | ({ readonly id: number; readonly op: 'secret-delete'; readonly app: string; readonly name: string } & Numbered)
  /** Ends the supervisor; backends stay. */
  | { readonly id: number; readonly op: 'quit' };

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
