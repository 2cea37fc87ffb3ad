/**
 * How the api reaches running backends without importing the controller: bin/ hands an implementation of this to the api.
 * All methods answer from what the controller observed last; none starts anything.
 */
import type { Duplex } from 'node:stream';
import type { Manifest } from './manifest/manifest.ts';
import type { Offers } from './repository/store-view.ts';
import type { AppProjection, ObjectView } from './wire/http.ts';

/** Everything the proxy needs for one request to a live backend. */
export interface BackendRoute {
  /** Changes when the process or the token changes: pooled connections of another generation are not reused. */
  readonly generation: string;
  /** Path for net.connect, or null when only `dial` reaches it. */
  readonly socketPath: string | null;
  readonly dial: () => Promise<Duplex>;
  /** Value of X-Svc-App-Token. Never logged, never answered. */
  readonly token: string;
}

export interface PersonRecord {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly grupos: readonly string[];
}

export interface StoreSources {
  readonly offers: Offers;
  readonly installed: readonly { readonly id: string; readonly version: string; readonly provides: readonly string[] }[];
}

export interface Gateway {
  person(usuario: string): PersonRecord | null;
  /** Everyone, for the sign-in page and search. */
  people(): readonly PersonRecord[];
  /** Apps installed for the person, with state; `url` is filled in by the api. */
  apps(usuario: string): readonly Omit<AppProjection, 'url' | 'icone'>[];
  app(usuario: string, app: string): Omit<AppProjection, 'url' | 'icone'> | null;
  manifest(usuario: string, app: string): Manifest | null;
  /** Null unless a process is believed to answer on the socket. */
  route(usuario: string, app: string): BackendRoute | null;
  /** Bytes of a file of the installed package (icon…); null when missing. Path is checked to stay inside the package. */
  packageFile(usuario: string, app: string, path: string): Promise<Uint8Array | null>;
  /** What the repository offers and what the person has, for the store; rejects NOT_FOUND for nobody. */
  store(usuario: string): Promise<StoreSources>;
  log(usuario: string, app: string, options: { readonly tail: number; readonly previous: boolean }): Promise<string>;
  /** Yields text as it is written, first the tail. Ends when the signal fires. */
  followLog(usuario: string, app: string, options: { readonly tail: number; readonly signal: AbortSignal }): AsyncIterable<string>;
  /** For the CLI over the 0600 control socket. */
  objects(keyPrefix: string): Promise<readonly ObjectView[]>;
  /** One causal sentence, what it waits for, the next deadline, log lines, the fix. */
  why(key: string): Promise<WhyAnswer | null>;
  /** Actions that a folder would cause now, by the very decide of the loop. */
  plan(dir: string | null): Promise<PlanAnswer>;
  /** Reads the folder again; with prune also what the guard holds back. */
  apply(prune: boolean): Promise<PlanAnswer>;
}

export interface WhyAnswer {
  readonly key: string;
  readonly sentence: string;
  readonly waitsFor: string | null;
  readonly nextDeadlineMs: number | null;
  readonly lastLogLines: readonly string[];
  readonly fix: string | null;
}

export interface PlanAnswer {
  readonly ok: boolean;
  readonly changes: readonly { readonly key: string; readonly action: string; readonly detail: string }[];
  readonly errors: readonly string[];
  /** Names held back by the prune guard. */
  readonly pendingPrune: readonly string[];
}
