/**
 * Every code that the validator can report about a manifest or a desired-state file, with its weight as data. A code never
 * changes its meaning. docs/errors.md explains each one; a test proves that both lists agree.
 */

type Weight = 'error' | 'warning';

export const findingKinds = {
  // Text: bytes that are not valid JSON or YAML.
  INVALID_UTF8: { weight: 'error', title: 'The bytes are not UTF-8' },
  BYTE_ORDER_MARK: { weight: 'error', title: 'The file begins with a byte order mark' },
  NUL_BYTE: { weight: 'error', title: 'The file holds a NUL byte' },
  LONE_SURROGATE: { weight: 'error', title: 'An escape is half of a surrogate pair' },
  TOO_LARGE: { weight: 'error', title: 'Larger than the limit' },
  TOO_DEEP: { weight: 'error', title: 'Nested deeper than the limit' },
  SYNTAX: { weight: 'error', title: 'Not valid JSON or YAML' },
  DUPLICATE_KEY: { weight: 'error', title: 'The same field twice in one object' },
  FORBIDDEN_KEY: { weight: 'error', title: 'A field name that is never allowed' },
  YAML_FEATURE: { weight: 'error', title: 'Anchors, aliases, merge keys, tags and directives are not used here' },
  UNREADABLE: { weight: 'error', title: 'The file can not be read' },
  EMPTY: { weight: 'error', title: 'Nothing to validate here' },
  NOT_READ: { weight: 'warning', title: 'A file that nobody reads where it lies' },
  // Shape: what the JSON Schema says.
  UNKNOWN_FIELD: { weight: 'error', title: 'A field that does not exist' },
  MISSING_FIELD: { weight: 'error', title: 'A required field is missing' },
  WRONG_TYPE: { weight: 'error', title: 'A value of the wrong type' },
  PATTERN: { weight: 'error', title: 'A text that does not match its pattern' },
  ENUM: { weight: 'error', title: 'A value that is not in the list' },
  RANGE: { weight: 'error', title: 'A number out of range' },
  LENGTH: { weight: 'error', title: 'Too short or too long' },
  FORMAT: { weight: 'error', title: 'A text that is not in the expected format' },
  DUPLICATE_ITEM: { weight: 'error', title: 'The same item twice in a list' },
  ONE_OF: { weight: 'error', title: 'Exactly one of several fields is needed' },
  // Manifest: rules beside the schema (rules 2.1 to 2.5).
  TRANSPORT: { weight: 'error', title: 'The backend must use the unix socket' },
  SERVER_SCOPE_KIND: { weight: 'error', title: 'A server-scope app must be a service' },
  ID_TOO_LONG: { weight: 'error', title: 'The id of an app is too long' },
  NOT_A_HOST_NAME: { weight: 'error', title: 'The id can not stand in a host name' },
  SERVER_SCOPE_ID: { weight: 'error', title: 'The id of a server-scope app is too long' },
  ROUTE_SEGMENT: { weight: 'error', title: 'A route with a dot segment' },
  PATH_ESCAPES: { weight: 'error', title: 'A path that leaves the package' },
  HEALTHCHECK_PATH: { weight: 'error', title: 'The health path is no request path' },
  CONTROL_CHARACTER: { weight: 'error', title: 'A control character in a text' },
  OWN_TYPE_NOT_OPENED: { weight: 'error', title: 'An own file type that the app does not open' },
  BADGE_CONTRAST: { weight: 'error', title: 'White text is not readable on the badge color' },
  PUBLIC_SUFFIX: { weight: 'error', title: 'A wildcard over a public suffix' },
  RESERVED_NAME: { weight: 'error', title: 'A variable name that the system keeps for itself' },
  DUPLICATE_NAME: { weight: 'error', title: 'Two entries with one name' },
  MENU_ITEM_OMITTED: { weight: 'warning', title: 'A context-menu item that the shell omits' },
  NOT_SEMVER: { weight: 'warning', title: 'The version is not semantic' },
  NOT_PROVIDED: { weight: 'warning', title: 'A capability route without a capability' },
  NOT_CALLABLE: { weight: 'warning', title: 'A capability without a route' },
  OWN_CAPABILITY: { weight: 'warning', title: 'A capability that the app both offers and uses' },
  HAS_NO_EFFECT: { weight: 'warning', title: 'A field without effect here' },
  EXTENSION_UNKNOWN: { weight: 'warning', title: 'A browser extension that the catalogue lacks' },
  // Manifest: what can't work where it would run.
  NEEDS_NEWER_SVC: { weight: 'warning', title: 'It needs a newer svc than this one' },
  QUEUE_MISSING: { weight: 'warning', title: 'It uses the queue and there is none' },
  GPU_MISSING: { weight: 'warning', title: 'It needs a GPU and no server has one' },
  SYSTEMD_MISSING: { weight: 'warning', title: 'It runs for a whole server and no server can keep it' },
  NOBODY_PROVIDES: { weight: 'warning', title: 'A capability that no app offers there' },
  FILE_NOT_HERE: { weight: 'warning', title: 'A file that the manifest names is not beside it' },
  ICON_TYPE: { weight: 'warning', title: 'An icon of a type that the shell does not draw' },
  // Package: the manifest beside the files (publishing and the repository).
  FILE_MISSING: { weight: 'error', title: 'A file that the manifest names is not in the package' },
  FILE_TOO_LARGE: { weight: 'error', title: 'A file that the portal serves is larger than the limit' },
  NOT_EXECUTABLE: { weight: 'error', title: 'The entrypoint of a binary app may not be executed' },
  MADE_AT_INSTALL: { weight: 'warning', title: 'The entrypoint must be made by installCommand' },
  // Desired state: what several documents say together.
  UNKNOWN_KIND: { weight: 'error', title: 'A kind of document that does not exist' },
  INLINE_CREDENTIAL: { weight: 'error', title: 'A credential written into the file' },
  DUPLICATE_OBJECT: { weight: 'error', title: 'Two documents of one kind and name' },
  UNKNOWN_REFERENCE: { weight: 'error', title: 'A reference to something that is not declared' },
  WRONG_SERVER: { weight: 'error', title: 'A reference across servers' },
  DUPLICATE_ACCOUNT: { weight: 'error', title: 'Two people with one account' },
  UNSEPARATED_PEOPLE: { weight: 'error', title: 'Several people on a local server that is not declared trusted' },
  PEOPLE_WITHOUT_ACCOUNTS: { weight: 'error', title: 'People of a group on a local server' },
  DUPLICATE_LOGIN: { weight: 'error', title: 'Two people with one login' },
  DUPLICATE_BACKEND: { weight: 'error', title: 'Two wishes for one backend' },
  DUPLICATE_PACKAGE: { weight: 'error', title: 'One package installed twice in one place' },
  MANY_PORTALS: { weight: 'error', title: 'More than one portal' },
  UNREACHABLE_PORTAL: { weight: 'error', title: 'Jobs on another machine can not reach the portal' },
  NUMERIC_ADDRESS: { weight: 'error', title: 'Apps on origins of their own below an IP address' },
  INSECURE_ADDRESS: { weight: 'error', title: 'Apps on origins of their own below an address of plain http' },
  PASSKEY_ORIGIN: { weight: 'error', title: 'Passkeys where apps are of the origin of the portal' },
  MISSING_PERSON: { weight: 'error', title: 'An installation for one person without the person' },
  UNEXPECTED_PERSON: { weight: 'error', title: 'An installation for everybody that names a person' },
  DUPLICATE_GRANT: { weight: 'error', title: 'Two roles of one person or group in one room' },
  GRANT_OWNER: { weight: 'error', title: 'Documents that do not agree on the owner of a room' },
  NOT_OFFERED: { weight: 'warning', title: 'A version that the repository does not hold' },
  UNKNOWN_GROUP: { weight: 'warning', title: 'A group without people' },
  PRIVILEGED_ACCOUNT: { weight: 'warning', title: 'Apps would run as root' },
} as const satisfies Record<string, { weight: Weight; title: string }>;

export type FindingCode = keyof typeof findingKinds;

/** Half-open range of UTF-16 offsets in the text that was read. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A finding before its offset became a line and a column. */
export interface Problem {
  readonly code: FindingCode;
  readonly path: string;
  readonly span: Span;
  readonly message: string;
}

/** A finding of the validator, for YAML and JSON alike (`svc validate --json`). */
export interface Finding {
  readonly code: string;
  /** JSON pointer into the document, e.g. `/spec/versao`. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface FileReport {
  readonly file: string;
  readonly ok: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** 1-based line and column of UTF-16 offsets. Both LF and CRLF end a line. */
export function lineFinder(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Problems of one text as the report that `svc validate` prints, in the order of the file. */
export function toReport(file: string, text: string, problems: readonly Problem[]): FileReport {
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  if (problems.length > 0) {
    const place = lineFinder(text);
    for (const problem of [...problems].sort((a, b) => a.span.start - b.span.start)) {
      const finding = { code: problem.code, path: problem.path, ...place(problem.span.start), message: problem.message };
      (findingKinds[problem.code].weight === 'error' ? errors : warnings).push(finding);
    }
  }
  return { file, ok: errors.length === 0, errors, warnings };
}

/** JSON pointer (RFC 6901) of the segments. */
export function pointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Segments of a JSON pointer; list positions stay strings. */
export function segmentsOf(path: string): string[] {
  return path === ''
    ? []
    : path
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
