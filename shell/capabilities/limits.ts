/** Limits of the desktop on calls of one app to another. Decision: docs/decisions/0200-capability-calls.md */
export const limits = {
  /** A body that the page gives as a stream: browsers send none over HTTP/1.1, so the desktop gathers it in Blobs. */
  callStreamedBodyBytesMax: 1_073_741_824,
  /** An answer that says it is no longer than this goes to the page in one message. */
  callWholeAnswerBytesMax: 65_536,
  /** Calls that use the browser's connections to the portal at once: over HTTP/1.1 it has six for everything, and two stay for the desktop. */
  callsAtOnceMax: 4,
  /** The same over HTTP/2. */
  callsAtOnceMultiplexedMax: 64,
  /** A call that waits for longer than this is told about where its provider is starting. */
  callSlowMs: 600,
  /** A question that was closed twice within this time is not asked for as long. */
  questionQuietMs: 60_000,
  /** So often its second step, which is at a place that nobody knows beforehand, may lead back to the first; with one time more the question is closed. */
  questionReturnsMax: 1,
} as const;
