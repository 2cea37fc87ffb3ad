/** Limits of signing in and of sessions. */
export const limits = {
  originPassMs: 30_000,
  /** "Yes, this once" to a capability call. */
  callPassMs: 60_000,
  /** A server-scope app speaks for a person this long after they asked it last. Decision: docs/decisions/0203-server-scope-credential.md */
  mandateMs: 10 * 60_000,
  /** Kept to be given again; any number of them may be good. */
  mandatesMax: 100_000,
  /** Length of a room ticket or a mandate. */
  sealedCharsMax: 1_024,
  /** How often a portal reads the keys of the store, and how long after it was kept a new one is used. */
  keyRingsReadMs: 60_000,
  keyRingsTakenMs: 2 * 60_000,
  /** Keys of one kind that count; no more are made. */
  keyRingKeysMax: 32,
  sessionMs: 14 * 24 * 60 * 60_000,
  // Portal border. Decision: docs/decisions/0035-http-border.md
  sessionCacheMs: 5_000,
  sessionCacheEntriesMax: 10_000,
  /** An app's origin waits this long for the pass it asked for. */
  askCookieMs: 5 * 60_000,
  /** A question for the key of a session: made, signed and sent back within this. */
  sessionQuestionMs: 60_000,
  /** How often a person's sessions may come back before a ticket whose answer was lost is forgotten. */
  sessionComeBacksMax: 8,
  /** How old the last use of a session that was written down may get. */
  sessionSeenMs: 10 * 60_000,
  sessionAgeMsMax: 90 * 24 * 60 * 60_000,
  sessionAddressCharsMax: 64,
  sessionAgentCharsMax: 256,
  // Signing in. Decision: docs/decisions/0071-guessing-passwords.md
  /** Failed sign-ins at once, and how soon one more is allowed. */
  signInAddressFailures: 20,
  signInAddressRefillMs: 30_000,
  signInLoginFailures: 10,
  signInLoginRefillMs: 60_000,
  /** Failures of one login from one address. */
  signInPairFailures: 5,
  signInPairRefillMs: 60_000,
  /** For addresses that did not try a login yet, when others used up what the login has. */
  signInFreshFailures: 30,
  signInFreshRefillMs: 15_000,
  signInGlobalFailures: 60,
  signInGlobalRefillMs: 500,
  /** A browser that signed in before has its own. */
  signInBrowserFailures: 10,
  signInBrowserRefillMs: 60_000,
  /** Passwords under check: from browsers that never signed in, in all, and at one server. */
  signInStrangersMax: 24,
  knownBrowserMs: 180 * 24 * 60 * 60_000,
  knownBrowserLoginsMax: 4,
  // Passkeys. Decision: docs/decisions/0384-passkeys.md
  passkeyChallengeMs: 5 * 60_000,
  /** A passkey is made so long after the person signed in. */
  passkeyRecentMs: 30 * 60_000,
  oidcBeginMs: 10 * 60_000,
  oidcAnswerMsMax: 10_000,
  /** Metadata, keys, tokens or userinfo of the provider. Decision: docs/decisions/0374-what-a-provider-may-answer.md */
  oidcAnswerBytesMax: 1_024 * 1_024,
  /** Time until the provider's metadata is fetched again. */
  oidcMetadataMs: 60 * 60_000,
  oidcRetryMs: 2_000,
  /** How far the clocks of the provider and of this machine may be apart. */
  oidcSkewMsMax: 120_000,
  /** A request whose session ends is answered within this, or ends as well: it may be the one that ended it. */
  endedAnswerMs: 250,
} as const;
