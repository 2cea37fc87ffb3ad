/**
 * Every side effect of the controller, as data. The executor map in controller/execute is exhaustive over `Action['kind']`: an action without an
 * executor does not compile.
 */
import type { StopReason } from '../schema/reasons/derived.ts';
import type { JobOutcome } from '../schema/jobs.ts';
import type { PapelConcedido } from '../schema/rooms.ts';
import type { StartOrder } from '../schema/supervisor-protocol.ts';

export interface PackageTarget {
  readonly server: string;
  readonly app: string;
  readonly scope: 'sistema' | 'pessoa';
  /** The owner of a package of scope `pessoa`. */
  readonly person: string | null;
}

export type Action =
  /** Nothing is left of what a removed document owned: the object itself goes. `stays`: what is, on a server that was given up. */
  | { readonly kind: 'object/forget'; readonly key: string; readonly stays?: string }
  /** Brings the server kit to that id. */
  | { readonly kind: 'server/kit'; readonly server: string; readonly id: string }
  /** The kit before is current again. */
  | { readonly kind: 'server/roll-back'; readonly server: string }
  /** `force`: although apps run there. */
  | { readonly kind: 'server/take-off'; readonly server: string; readonly force: boolean }
  /** Key, lingering and service manager of the accounts on that server. */
  | { readonly kind: 'server/accounts'; readonly server: string }
  /** The portal's own ssh key is another one from now on: `key` is its public part. */
  | { readonly kind: 'server/key'; readonly server: string; readonly key: string }
  /** A new portal credential for the next start of a server-scope app; the one before ends. */
  | { readonly kind: 'service/give'; readonly server: string; readonly app: string }
  /** It needs none any more. */
  | { readonly kind: 'service/take'; readonly server: string; readonly app: string }
  /** Restarts a service that was started before its credential was written. */
  | { readonly kind: 'service/restart'; readonly server: string; readonly app: string }
  /** The executor makes the token and adds the variables; the order below is what the decision fixes. */
  | {
      readonly kind: 'backend/start';
      readonly person: string;
      readonly app: string;
      readonly order: Pick<StartOrder, 'pinned' | 'requestId' | 'isMend'>;
    }
  | {
      readonly kind: 'backend/stop';
      readonly person: string;
      readonly app: string;
      readonly requestId: string;
      readonly reason: StopReason;
    }
  | { readonly kind: 'backend/pin'; readonly person: string; readonly app: string; readonly pinned: boolean }
  /** Sends an HTTP probe to healthcheckPath; its verdict comes back as an observation. */
  | { readonly kind: 'backend/probe'; readonly person: string; readonly app: string; readonly attempt: number }
  /** Ends the person's sessions and takes them out of the rooms. */
  | { readonly kind: 'person/sign-out'; readonly person: string }
  /** Their account is closed: they stay who they are. */
  | { readonly kind: 'person/end-sessions'; readonly person: string }
  /** Removes the files that svc made on their server; the account and its own files stay. */
  | { readonly kind: 'person/erase'; readonly person: string }
  /** Removes also what they asked for: the name may be given to another person later. */
  | { readonly kind: 'person/forget'; readonly person: string; readonly stays?: string }
  | { readonly kind: 'supervisor/ensure'; readonly person: string }
  | { readonly kind: 'supervisor/end'; readonly person: string }
  | ({ readonly kind: 'package/install'; readonly version: string } & PackageTarget)
  | ({ readonly kind: 'package/remove' } & PackageTarget)
  /** The version before, which the server keeps, is current again. */
  | ({ readonly kind: 'package/roll-back'; readonly version: string } & PackageTarget)
  /** The version before is dropped: the current one has answered. */
  | ({ readonly kind: 'package/confirm' } & PackageTarget)
  /** Ends an installation that is not wanted any more. */
  | ({ readonly kind: 'package/cancel' } & PackageTarget)
  /** Makes the room that the document wants. */
  | { readonly kind: 'grant/create'; readonly grant: string; readonly app: string; readonly sala: string; readonly dona: string }
  | { readonly kind: 'grant/owner'; readonly grant: string; readonly app: string; readonly room: string; readonly dona: string }
  | {
      readonly kind: 'grant/person';
      readonly grant: string;
      readonly room: string;
      readonly usuario: string;
      readonly papel: PapelConcedido;
    }
  | {
      readonly kind: 'grant/group';
      readonly grant: string;
      readonly room: string;
      readonly grupo: string;
      readonly papel: PapelConcedido;
    }
  | { readonly kind: 'grant/withdraw-person'; readonly grant: string; readonly room: string; readonly usuario: string }
  | { readonly kind: 'grant/withdraw-group'; readonly grant: string; readonly room: string; readonly grupo: string }
  /** Another version is wanted than the one that was left: nothing is held any more. */
  | { readonly kind: 'rollback/end'; readonly key: string; readonly requestId: string }
  /** Ends a fulfilled, cancelled or overruled request of a person. */
  | {
      readonly kind: 'wish/end';
      readonly person: string;
      readonly app: string;
      readonly requestId: string;
      readonly outcome: 'removed' | 'cancelled' | 'overruled';
    }
  /** They gave it up: the version that is there is what they want again. */
  | { readonly kind: 'wish/keep'; readonly person: string; readonly app: string; readonly requestId: string; readonly version: string }
  /** The portal holds these back no longer: they go to the cluster. */
  | { readonly kind: 'job/release'; readonly cluster: string; readonly jobs: readonly string[] }
  /** Hands it to its cluster; what is there under its name already is adopted. */
  | { readonly kind: 'job/submit'; readonly job: string }
  | { readonly kind: 'job/cancel'; readonly job: string }
  /** Writes down how it ended. */
  | { readonly kind: 'job/settle'; readonly job: string; readonly outcome: JobOutcome; readonly expiresAtMs: number }
  /** The cluster removes what it keeps of it. */
  | { readonly kind: 'job/forget'; readonly job: string }
  /** Its time is over: it goes, with log and outputs. */
  | { readonly kind: 'job/drop'; readonly job: string }
  /** Fetches the engines that an installed package lacks and drops those that it does not declare; without a package, all. */
  | { readonly kind: 'engine/mend'; readonly server: string; readonly app: string; readonly installed: boolean };

/** The acts of the administrator on a server. */
export type ServerAction = Extract<Action, { readonly kind: `server/${string}` }>;

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>;
