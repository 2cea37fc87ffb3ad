/** What the portal's HTTP API answers and takes (spec 4.1, design 6). JSON over HTTP; errors are RFC 9457 problem documents. */
import type { BackendState, Condition, Reason, StartStep } from '../backend.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** Same text as `detail`: the spec asks for a string field `error` (spec 7). */
  readonly error: string;
}

export interface SessionAnswer {
  readonly usuario: string;
  readonly nome: string;
  readonly login: string;
  readonly iniciais: string;
  readonly grupos: readonly string[];
  readonly admin: boolean;
  /** Where the shell finds an app: `{id}` stands for the app id. */
  readonly appUrlTemplate: string;
  readonly origins: 'subdomain' | 'path';
  readonly shellVersion: string;
}

/** One app as the shell and its launcher see it (spec 4.1 `GET /api/apps`). */
export interface AppProjection {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly type: 'app' | 'engine';
  readonly kind: 'app' | 'service';
  readonly description: string;
  readonly category: string;
  readonly icone: string | null;
  /** The manifest `window` object as is; {} when absent. */
  readonly window: Readonly<Record<string, unknown>>;
  /** Legacy field, as declared (spec 4.1). */
  readonly gpu: boolean;
  readonly aoFechar: string;
  /** Base URL of the app, with a closing slash. */
  readonly url: string;
  readonly status: BackendState;
  readonly ready: boolean;
  readonly reason: Reason;
  readonly message: string;
  readonly sinceMs: number;
  readonly wanted: boolean;
  readonly pinned: boolean;
  readonly pid: number | null;
  readonly connections: number | null;
  readonly failures: number;
  readonly nextAttemptAtMs: number | null;
  readonly contained: boolean;
  readonly containedReason: string;
  readonly stale: boolean;
  readonly step: { readonly name: StartStep; readonly detail: string } | null;
}

export interface StartAnswer {
  readonly ready: boolean;
  readonly status: BackendState;
  readonly reason: Reason;
  readonly message: string;
  /** When asking again makes sense; absent when ready. */
  readonly retryAfterMs?: number;
}

/** `svc describe` and the task manager's details. */
export interface ObjectView {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly reason: Reason;
  readonly message: string;
  readonly conditions: readonly Condition[];
  readonly seenAtMs: number;
  readonly nextDeadlineMs: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}
