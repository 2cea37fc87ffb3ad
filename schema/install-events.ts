/** The progress of svc-app-install: one JSON line each with `--json`, one sentence each for people. */
import type { ErrorCode } from './errors.ts';

export type Scope = 'sistema' | 'pessoa';

export const installSteps = ['fetch', 'stage', 'check', 'engines', 'set-up', 'swap', 'end-instances', 'clean'] as const;
export type InstallStepName = (typeof installSteps)[number];

export type InstallEvent =
  | { readonly event: 'step'; readonly step: InstallStepName }
  | {
      readonly event: 'download';
      readonly nome: string;
      readonly versao: string;
      readonly bytes: number;
      readonly total: number;
      /** Null while nothing has come yet. */
      readonly etaMs: number | null;
    }
  | { readonly event: 'engine'; readonly step: 'extract' | 'ready'; readonly nome: string; readonly versao: string };

/** The last line. `unchanged`: that version with those bytes was there already. */
export interface InstallResult {
  readonly event: 'done';
  readonly result: 'installed' | 'unchanged' | 'rolled-back' | 'removed' | 'absent' | 'confirmed';
  readonly app: string;
  readonly scope: Scope;
  readonly version: string | null;
  /** packageHash of what was delivered. */
  readonly hash: string | null;
  /** The version that was there before. */
  readonly before: string | null;
  /** Processes of the code before that were ended. */
  readonly ended: number;
}

export interface InstallFailure {
  readonly event: 'error';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The answer to `--look`: what of the server itself matters to packages. */
export interface InstallInventory {
  readonly event: 'look';
  /** Of the requirements that were asked for, as given: those of which no alternative is installed. */
  readonly missing: readonly string[];
  readonly engines: readonly { readonly app: string; readonly nome: string; readonly versao: string; readonly bytes: number | null }[];
  /** A physical GPU. */
  readonly gpu: boolean;
}

export type InstallOutcome = InstallResult | InstallFailure | InstallInventory;

/** Every line of `svc-app-install --json`. */
export type InstallLine = InstallEvent | InstallOutcome;

export type OnEvent = (event: InstallEvent) => void;
