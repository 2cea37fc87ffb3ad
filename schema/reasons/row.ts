/**
 * A row says all that is known of a reason: its words on the pages, what `svc why` says, its sentence in docs/reasons.md and what an app with
 * it does. PERSON, APP, PID, JOB, SERVER, NAME and FOLDER (the desired state) are replaced by the names of the case.
 */
import type { RetryClass } from '../errors.ts';

export interface Explanation {
  /** Completes "because …". */
  readonly because: string;
  /** Missing: nothing has to be mended. */
  readonly fix?: string;
  readonly waitsFor?: string;
}

export interface ReasonRow extends Explanation {
  /** For people, in each language of the pages. */
  readonly words: { readonly pt: string; readonly en: string };
  /** Sentences for docs/reasons.md alone, in Markdown, without the last stop. */
  readonly more?: string;
  /** The message of a stopped app, where `because` is not its words. The supervisor's own words change with every observation. */
  readonly stopped?: string;
  /** The portal orders a stop by it. */
  readonly isOrder?: true;
  /** A living app that answers, that is silent since it was ready, or that is slow to become ready: its verdict comes later, as an event (rules 3.2). */
  readonly life?: 'answers' | 'silent' | 'slow';
  /** A refused start: transient counts as a failure, waiting is tried again after a minute, terminal waits for a person or a change. */
  readonly retry?: RetryClass;
  /** The explanation for other kinds of objects than an app. An engine has that of a package. */
  readonly as?: { readonly [Kind in 'Package' | 'Server' | 'Service']?: Explanation };
}

export type Rows = Readonly<Record<string, ReasonRow>>;
