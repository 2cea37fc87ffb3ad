/** Limits of the reconcilers. */
export const limits = {
  /** A change that removes more than this share of the objects waits for `--prune`. */
  pruneShareMax: 0.2,
  /** Full name of an account of a server; same bound as `Person.spec.nome`. */
  personNameCharsMax: 200,
  /** Instances of a package that goes are waited for so long; then the installer ends them. */
  packageEndMsMax: 30_000,
  kitRetryMsMax: 10 * 60_000,
  // A new kit. Decision: docs/decisions/0419-a-kit-goes-to-one-server-first.md
  /** Once it ran well on one server, so many get it at once. */
  kitsAtOnce: 3,
  /** A server with a new kit has to be well for so long before it counts as such, and unwell for so long before that stops the others. */
  kitTrialMs: 30_000,
  // The loop.
  /** A start that could not be carried out for so long is dropped. Decision: docs/decisions/0026-intents-are-one-shot.md */
  startIntentMsMax: 10 * 60_000,
  // `maximo` of a Package document. Decision: docs/decisions/0433-the-end-of-a-run-is-told.md
  /** The person is told so long before the end, or for this part of the time where that is shorter. */
  endToldMsMax: 10 * 60_000,
  endToldPart: 1 / 6,
  /** How long a supervisor runs on when it is not needed. Decision: docs/decisions/0025-backend-reconciler.md */
  supervisorUnwantedMs: 60_000,
  /** A supervisor that stayed up for so long has proved itself: its own start failures are forgotten. */
  supervisorStableMs: 60_000,
  /** Equals one resync, so that everything converges within two resyncs after the cause is gone. */
  supervisorRestartMsMax: 10_000,
  packageRetryMsMax: 10 * 60_000,
  /** So long without a repair, and a package that was changed again and again is repaired at once as the first time. */
  driftCalmMs: 60 * 60_000,
  confirmRetryMs: 60_000,
  // The queue. Decision: docs/decisions/0211-the-queue.md
  /** A job that the portal never let go ends after so long. */
  jobWaitMsMax: 30 * 24 * 60 * 60_000,
  /** When the end of a job, or that it is gone, is written once more. */
  jobWriteRetryMs: 10_000,
  /** A wrapper that reported within this time lives, whatever the cluster says. */
  jobHeardMs: 60_000,
} as const;
