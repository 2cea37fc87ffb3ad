/**
 * Words for what is installed, or is to be, on a server: shared by the controller, the api and the pages. The rules behind the states are in
 * reconcilers/package.ts.
 */
import type { Reason } from './backend.ts';
import type { InstallStepName, Scope } from './install-events.ts';

/**
 * `drifted`: the wanted version with files that were changed on the server. `outdated`: another version than the wanted one. `missing`: not
 * installed, and it waits for something. `removed`: nothing of it is left, and nothing is wanted.
 */
export const packageStates = [
  'installed',
  'installing',
  'outdated',
  'drifted',
  'missing',
  'failed',
  'removing',
  'removed',
  'unknown',
] as const;
export type PackageState = (typeof packageStates)[number];

/** How far a running installation is. */
export interface PackageProgress {
  readonly step: InstallStepName;
  /** The file that is being loaded: the name of an engine. Null, with the three below, while nothing is loaded. */
  readonly nome: string | null;
  readonly bytes: number | null;
  readonly total: number | null;
  readonly etaMs: number | null;
}

/** A `Package` object as people see it: from a document, or from a person's request in the store. */
export interface InstallView {
  /** `Package/<document>` or `Package/<person>/<app>`. */
  readonly key: string;
  readonly app: string;
  readonly scope: Scope;
  /** Null: it is to be removed. */
  readonly wanted: string | null;
  readonly state: PackageState;
  readonly reason: Reason;
  readonly message: string;
  /** Null while nothing is under way. */
  readonly progress: PackageProgress | null;
}

export const engineStates = ['present', 'missing', 'undeclared', 'unknown'] as const;
export type EngineState = (typeof engineStates)[number];
