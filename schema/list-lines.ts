/**
 * What `svc-app-list` prints: one JSON object a line, `end` last. One run of it tells the portal everything that it asks of a
 * server at a look, so that a look is one command over ssh. Decision: docs/decisions/0085-one-look-one-command.md
 */
export type ListLine =
  /** Answers one account that was asked for; `home` is null when there is no such account. */
  | { readonly event: 'account'; readonly account: string; readonly home: string | null }
  | {
      readonly event: 'package';
      /** Whose own it is; null for the system's. */
      readonly account: string | null;
      readonly app: string;
      /** packageHash of what stands there. */
      readonly hash: string;
      /** packageHash of what was delivered, null when a file was changed since. */
      readonly delivered: string | null;
      /** The version before, as long as it is kept. */
      readonly previous: string | null;
      /** The text of svc-app.json. */
      readonly manifest: string;
    }
  /** Something that stands among the packages and can't be read. */
  | { readonly event: 'bad'; readonly account: string | null; readonly folder: string; readonly message: string }
  /** Bytes of a file that was asked for, in base64; several in order. */
  | { readonly event: 'bytes'; readonly base64: string }
  | { readonly event: 'error'; readonly code: string; readonly message: string }
  /** `version` is that of the kit. */
  | { readonly event: 'end'; readonly version: string };
