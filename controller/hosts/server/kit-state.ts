/** State of one server's kit: the observation, the desired kit, the work under way and the failures. kit-work.ts acts on it. */
import type { Reachability } from '../../../reconcilers/backend-types.ts';
import type { KitBusy, KitFailure, KitObservation, ServerDesired } from '../../../reconcilers/server.ts';
import type { ServerDocument } from '../../../schema/desired/documents.ts';
import type { KitTarball, ServerAdmin } from './admin.ts';
import type { ServerFacts } from './facts.ts';
import { noKeys, type ServerKeys } from './ssh-keys.ts';

/** An administrator's decisions about the kit of a server, kept in the store. */
export interface KitWish {
  /** Taken off, and it stays off. */
  readonly removed: boolean;
  /** Gone back from. */
  readonly held: string | null;
  /** Not done yet. Absent in what an earlier portal wrote: it did first and wrote then. */
  readonly pending: NonNullable<ServerDesired['kit']>['pending'];
}

export const noWish: KitWish = { removed: false, held: null, pending: null };

/** The change that another portal made to the keys since. */
export interface Rival {
  readonly message: string;
  /** False: once it may have been a person. */
  readonly isCertain: boolean;
  readonly times: number;
  /** When it was seen last. */
  readonly atMs: number;
}

export interface KeysInOrder {
  /** Key of the portal, as `TYPE KEY`. */
  readonly key: string;
  /** Accounts that the key opened. */
  readonly accounts: ReadonlySet<string>;
  readonly rival: Rival | null;
}

export interface KitState {
  readonly admin: ServerAdmin;
  observed: KitObservation;
  facts: ServerFacts | null;
  /** The keys as this portal saw them in order last, and what became of them. Null before that. */
  keysInOrder: KeysInOrder | null;
  /** The portal's own key, as far as it is being changed. */
  keys: ServerKeys;
  /** The last trial: which version, and what of it did not run. Null before one, and after each change there. */
  trial: { readonly id: string; readonly lacks: readonly string[] } | null;
  /** Kit that belongs there, once its processor is known. */
  wanted: KitTarball | null;
  wish: KitWish | null;
  /** The reachability of the server while its kit is removed: no app is served there. */
  off: Reachability | null;
  busy: KitBusy | null;
  failure: KitFailure | null;
  /** Accounts that the last observation was for. */
  lookedFor: ReadonlySet<string>;
  observedAtMs: number;
  work: Promise<void> | null;
  /** How long the last observation took. */
  tookMs: number;
  /** The portal's time before and after it. */
  askedMs: readonly [before: number, after: number];
}

/** Whether svc puts the kit of that server there: an ssh server whose document names no other folder of it, and no prefix. */
export const managesKit = ({ spec }: ServerDocument): boolean =>
  'ssh' in spec && spec.ssh.kit === undefined && spec.ssh.prefix === undefined;

/** The command that brings the kit of this portal to an ssh server, or the person who does. */
export const kitFixOf = (document: ServerDocument): string =>
  managesKit(document) ? `svc server add ${document.metadata.name} puts that of this portal there` : whyNoKit(document);

/** Why svc does nothing to the kit of that server, where it manages none. */
export function whyNoKit({ metadata: { name }, spec }: ServerDocument): string {
  return 'ssh' in spec
    ? `Server/${name} names a kit or a prefix of its own: who made that folder keeps the kit in it, svc does not (docs/ssh.md)`
    : `${name} is this machine: it needs no server kit`;
}

export function newKitState(admin: ServerAdmin): KitState {
  return {
    admin,
    observed: { status: 'unknown', message: '' },
    facts: null,
    keysInOrder: null,
    keys: noKeys,
    trial: null,
    wanted: null,
    wish: null,
    off: null,
    busy: null,
    failure: null,
    lookedFor: new Set(),
    observedAtMs: 0,
    work: null,
    tookMs: 0,
    askedMs: [0, 0],
  };
}
