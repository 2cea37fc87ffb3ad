/** Inputs and memory of decidePackage, as plain JSON values: the loop, `svc plan` and the store share them. */
import type { Reason } from '../schema/backend.ts';
import type { RetryClass } from '../schema/errors.ts';
import type { PackageState } from '../schema/packages.ts';
import type { Reachability } from './backend-types.ts';
import type { ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';

export interface PackageDesired {
  /** Name of the object. */
  readonly name: string;
  /** Its document is gone. */
  readonly leaving: boolean;
  readonly server: string;
  /** Mark of where its server is and how it is reached: another one is worth a try at once. Absent: there is no server. */
  readonly place?: string;
  readonly app: string;
  readonly scope: 'sistema' | 'pessoa';
  readonly person: string | null;
  /** Version to install; null when the package is to be removed. */
  readonly version: string | null;
  /** Generation of the document; 0 for a person's request. */
  readonly generation: number;
  /** Id of a person's request: a new one allows another attempt. */
  readonly requestId: string | null;
  /** A person gave up what they had asked for: what is there stays. With version null. */
  readonly cancels: boolean;
  /** `Package.spec.paused`: nothing of it is changed. */
  readonly paused: boolean;
  /** `aplicar: ao-parar`: another version takes its place once nobody runs it. Decision: docs/decisions/0413-an-update-that-waits.md */
  readonly whenStopped?: boolean;
  /** While `from` is wanted, `to` is kept. Decision: docs/decisions/0080-rollback-is-held.md */
  readonly rollback: { readonly from: string; readonly to: string; readonly requestId: string } | null;
}

export interface PackageRefusal {
  readonly reason: Reason;
  readonly message: string;
}

/** The action that runs on the package right now. */
export interface PackageBusy {
  readonly act: 'install' | 'remove' | 'roll-back' | 'confirm' | 'mend';
  /** Version that is being installed; null for the other actions. */
  readonly version: string | null;
  readonly cancelled: boolean;
  /** How far it is, in words that change once per whole percent. */
  readonly reason: Reason;
  readonly message: string;
}

export interface PackageObserved {
  readonly host: Reachability;
  /** False before the account of its person was observed: what is installed is unknown. */
  readonly targetObserved: boolean;
  /** While the package leaves: another object wants it, or no document has its server. Nothing is removed then. */
  readonly isOthers: boolean;
  /** While the package leaves: its server was given up. */
  readonly lost?: true;
  /** A person's wish to have it removed, behind a document that wants it. */
  readonly overruled: { readonly person: string; readonly requestId: string } | null;
  /** The installed version; null when there is none. `drift`: files were changed since. `previous`: kept for a rollback. */
  readonly installed: {
    readonly version: string;
    readonly hash: string;
    readonly drift: boolean;
    readonly previous: string | null;
  } | null;
  /** Why the system refuses to read the installed version; absent while it can be read. */
  readonly unread?: string;
  /** Folder of the repository that holds other files under the installed version; absent: the same ones, or it can't be said. */
  readonly otherSource?: string;
  /** Its backend is the service manager's, and the documents say ceilings, which do not reach it; absent: all hold. */
  readonly unbounded?: true;
  /** The version that is aimed at, as the repository offers it; `mark` changes with its bytes. Null: not offered. */
  readonly offer: { readonly mark: string } | null;
  /** Versions that the repository offers, newest first. */
  readonly offered: readonly string[];
  /** Why the repository could not be read, so that the offers are those of before, if any; null when they were just read. */
  readonly problem: string | null;
  /** Why the package that the repository holds of it is not offered; null when it holds none. */
  readonly refusedThere: string | null;
  /** Why the portal does not let the offer in. */
  readonly refusal: PackageRefusal | null;
  /** Instances of it that live, by the supervisors' last word. */
  readonly living: number;
  /** An instance of exactly this code gave a ready answer. */
  readonly answered: boolean;
  readonly busy: PackageBusy | null;
  /** How the last attempt failed; null after a success. */
  readonly failure: (PackageRefusal & { readonly retry: RetryClass; readonly atMs: number }) | null;
}

/** JSON; the very same object comes back when nothing changed. */
export interface PackageMemory {
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** The attempted wish and source: a change of either starts the count over. */
  readonly attempted: string | null;
  /** The version seen last, also while nothing is there, and the other one that was there before it. */
  readonly seen: string | null;
  readonly before: string | null;
  readonly driftSinceMs: number | null;
  /** Repairs in a row, and when the last one was. */
  readonly repairs: number;
  readonly repairedAtMs: number;
  /** Since when its instances are waited for. */
  readonly endingSinceMs: number | null;
  readonly confirmAtMs: number;
  readonly since: ConditionMemory;
}

export interface PackageDecision extends Decision<PackageMemory> {
  readonly state: PackageState;
}
