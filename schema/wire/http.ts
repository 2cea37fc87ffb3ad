/** What the portal's HTTP API answers and takes (spec 4.1, design 6). JSON over HTTP; errors are RFC 9457 problem documents. */
import type { BackendState, Condition, GpuSummary, Reason, SecretsSummary, StartStep } from '../backend.ts';

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
  /** What the person should know about their account; null: nothing. */
  readonly aviso: { readonly reason: Reason; readonly message: string } | null;
}

/** The ways to sign in that the portal offers now; the link works always. */
export interface SignInMethodsAnswer {
  readonly link: true;
  readonly ssh: boolean;
  readonly oidc: { readonly label: string } | null;
}

/** Where the person is signed in, the last used first. */
export interface SessionsAnswer {
  readonly sessoes: readonly {
    readonly id: string;
    readonly method: 'link' | 'ssh' | 'oidc';
    readonly address: string;
    /** What the browser said about itself. */
    readonly agent: string;
    readonly admin: boolean;
    readonly createdAtMs: number;
    readonly seenAtMs: number;
    readonly expiresAtMs: number;
    /** The one that asks. */
    readonly current: boolean;
  }[];
}

/** One app as the shell and its launcher see it (spec 4.1 `GET /api/apps`). */
export interface AppProjection {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly type: 'app' | 'engine';
  readonly kind: 'app' | 'service';
  /** `servidor`: one backend for all people, kept by the server; nobody here starts or stops it. */
  readonly escopo: 'pessoa' | 'servidor';
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
  readonly secrets: SecretsSummary;
  /** What the launcher decided; null without a declaration. The legacy field above only repeats the manifest. */
  readonly gpuVerdict: GpuSummary | null;
  readonly stale: boolean;
  readonly step: { readonly name: StartStep; readonly detail: string } | null;
}

export interface StartAnswer {
  readonly ready: boolean;
  readonly status: BackendState;
  readonly reason: Reason;
  readonly message: string;
  /** When asking again makes sense; absent when what was asked for is so. */
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
