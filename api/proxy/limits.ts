/** Limits of the proxy. */
export const limits = {
  /** A request without an answer for so long is a doubt. */
  proxyDoubtMs: 3_000,
  proxySocketsPerBackendMax: 256,
  proxyFreeSocketsPerBackendMax: 64,
  // Proxy. Decision: docs/decisions/0040-own-upstream-client.md
  /** Backends take 8 to 64 KiB of header; more than this is not the app's own. */
  proxyCookieBytesMax: 8 * 1_024,
  proxyQueuePerBackendMax: 1_024,
  proxyQueueMsMax: 10_000,
  /** A cold connection to a server (sshConnectMsMax), the socket behind it (dialMsMax), and a little. */
  proxyConnectMsMax: 16_000,
  /** From the last byte of the request to the first of the answer. */
  proxyAnswerMsMax: 300_000,
  /** Free connections beyond the one that rules 3.3 rule 3 keeps. */
  proxySpareConnectionMsMax: 30_000,
  /** A tunnel whose one side has ended. */
  proxyHalfOpenMsMax: 60_000,
  proxyKeepAliveProbeMs: 60_000,
  proxyReadBufferBytes: 64 * 1_024,
  /** Bytes of an answer over ssh that wait for their client: those of one read leave in one write. */
  proxyQueuedBytesMax: 512 * 1_024,
  /** Time between checks whether a backend that takes no more of a body has sent bytes still. */
  proxyLastBytesLookMs: 20,
  proxyResponseHeadersMax: 256,
  /** Interim answers (1xx) to one request. */
  proxyInterimAnswersMax: 16,
  proxyPanelStreamsPerAppMax: 32,
} as const;
