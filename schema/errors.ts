/**
 * Every coded error of the server side, with its HTTP status and retry class as data (style rule 10).
 * A code never changes its meaning. A test proves that docs/errors.md explains every code of this table and no other.
 */
export type RetryClass =
  /** passes by itself: back off and try again */
  | 'transient'
  /** waits for something named to change */
  | 'waiting'
  /** stays until a person does something */
  | 'terminal';

interface ErrorKind {
  readonly status: number;
  readonly retry: RetryClass;
  readonly title: string;
}

export const errorKinds = {
  INTERNAL: { status: 500, retry: 'terminal', title: 'Unexpected error of the portal' },
  NOT_FOUND: { status: 404, retry: 'terminal', title: 'No such thing here' },
  BAD_REQUEST: { status: 400, retry: 'terminal', title: 'The request does not have the expected shape' },
  UNAUTHENTICATED: { status: 401, retry: 'terminal', title: 'Sign in first' },
  FORBIDDEN: { status: 403, retry: 'terminal', title: 'Not allowed for this person' },
  TOO_LARGE: { status: 413, retry: 'terminal', title: 'Larger than the limit' },
  TIMEOUT: { status: 504, retry: 'transient', title: 'No answer within the deadline' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** An error that a person can act on: stable code, and a message that names what was expected and where. */
export class SvcError extends Error {
  readonly code: ErrorCode;
  /** Extra machine-readable members of the problem document (RFC 9457). Never secrets. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SvcError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorKinds[this.code].status;
  }

  get retry(): RetryClass {
    return errorKinds[this.code].retry;
  }
}
