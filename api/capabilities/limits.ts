/** Limits of capability calls. Decision: docs/decisions/0200-capability-calls.md */
export const limits = {
  /** Under way at once from one app of a person to one other. */
  capabilityCallsMax: 32,
  /** Calls that are made to answer a call, as far as `X-Svc-Pedido` shows. */
  capabilityDepthMax: 4,
  /** Calls of an app of a person: so many at once, and the time until one more. */
  capabilityCallsBurst: 600,
  capabilityCallRefillMs: 20,
  /** Consents that one person gives and takes back. */
  consentChangesBurst: 200,
  consentChangeRefillMs: 500,
  /** Further decodings of a path than these are of one that hides something. */
  capabilityPathDecodingsMax: 4,
} as const;
