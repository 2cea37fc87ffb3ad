/**
 * Every coded error of the server side, with its HTTP status and retry class as data (style rule 10).
 * A code never changes its meaning. A test proves that docs/errors.md explains every code of this table and no other.
 */
export type RetryClass =
  /** transient: back off and retry */
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
  MANIFEST_INVALID: { status: 422, retry: 'waiting', title: 'The manifest of the app breaks a rule' },
  PORTAL_NOT_RUNNING: { status: 503, retry: 'waiting', title: 'No portal answers on the control socket' },
  TIMEOUT: { status: 504, retry: 'transient', title: 'No answer within the deadline' },
  STORE_NEWER: { status: 500, retry: 'terminal', title: 'The store was written by a newer svc' },
  STORE_FAILED: { status: 500, retry: 'transient', title: 'The store could not be read or written' },
  DESIRED_INVALID: { status: 422, retry: 'waiting', title: 'The desired-state folder has errors and nothing was in force before' },
  DESIRED_MANAGED: {
    status: 409,
    retry: 'waiting',
    title: 'The desired-state folder is kept elsewhere: the desktop does not write into it',
  },
  ADDRESS_IN_USE: { status: 409, retry: 'terminal', title: 'Another program listens on the address of the portal' },
  STATE_IN_USE: { status: 409, retry: 'terminal', title: 'Another svc up uses this state folder' },
  ROOM_ELSEWHERE: { status: 503, retry: 'transient', title: 'Another portal carries the room' },
  SOCKET_PATH_TOO_LONG: { status: 500, retry: 'terminal', title: 'The path of a unix socket is longer than the kernel takes' },
  PORTAL_UNREACHABLE: { status: 503, retry: 'transient', title: 'Another portal of the same store does not answer' },
  PORTAL_PROTOCOL: { status: 502, retry: 'transient', title: 'Another portal of the same store said something unexpected' },
  SERVER_UNREACHABLE: { status: 503, retry: 'transient', title: 'The server or its supervisor does not answer' },
  HOST_KEY_CHANGED: { status: 502, retry: 'waiting', title: 'The server shows another host key than the pinned one' },
  SSH_REFUSED: { status: 502, retry: 'waiting', title: 'The server refuses the sign-in over ssh' },
  SSH_SATURATED: { status: 503, retry: 'transient', title: 'The server opens no further ssh session' },
  LOGIN_SHELL: { status: 503, retry: 'waiting', title: 'The login shell of the account is in the way of commands' },
  KIT_MISSING: { status: 503, retry: 'waiting', title: 'The server kit is not on the server, or not this one' },
  SUPERVISOR_FAILED: { status: 503, retry: 'transient', title: 'The supervisor did not start' },
  ADMIN_REFUSED: { status: 502, retry: 'waiting', title: 'The account of the administrator does not become root there' },
  SHELL_REFUSED: { status: 503, retry: 'waiting', title: 'The shell of the account lets nobody in' },
  HOME_MISSING: { status: 503, retry: 'waiting', title: 'The home of the account is not there' },
  SUPERVISOR_PROTOCOL: { status: 502, retry: 'transient', title: 'The supervisor said something unexpected' },
  PACKAGE_SOURCE_MISSING: { status: 404, retry: 'waiting', title: 'The package is not in the repository' },
  PACKAGE_REFUSED: { status: 422, retry: 'waiting', title: 'The package breaks a rule of the installer' },
  ARCHIVE_REFUSED: { status: 422, retry: 'terminal', title: 'The tarball breaks a rule of the strict reader' },
  REPOSITORY_INVALID: { status: 502, retry: 'waiting', title: 'A file of the repository does not have the expected shape' },
  REPOSITORY_UNREACHABLE: { status: 503, retry: 'transient', title: 'The repository does not answer' },
  REPOSITORY_BUSY: { status: 503, retry: 'transient', title: 'Another publisher holds the repository' },
  REPOSITORY_DAMAGED: { status: 500, retry: 'waiting', title: 'A file of the repository is missing or is not what its record says' },
  SIGNATURE_MISSING: { status: 422, retry: 'waiting', title: 'The package is not signed, and its repository needs a signature' },
  SIGNATURE_REFUSED: { status: 422, retry: 'waiting', title: 'The signature of the package is not good' },
  VERSION_TAKEN: { status: 409, retry: 'terminal', title: 'This version was published with other bytes' },
  DIGEST_MISMATCH: { status: 422, retry: 'terminal', title: 'The bytes are not those that were announced' },
  INSTALLED: { status: 409, retry: 'terminal', title: 'The app is installed already' },
  VERSION_CHANGED: { status: 409, retry: 'terminal', title: 'The same version with other bytes' },
  SCOPE_REFUSED: { status: 422, retry: 'terminal', title: 'The app is not installed in this scope' },
  MISSING_PACKAGE: { status: 422, retry: 'waiting', title: 'A Linux package that the app needs is not installed' },
  MISSING_CAPABILITY: { status: 422, retry: 'waiting', title: 'No installed app offers a capability that the app requires' },
  PREFERENCES_CHANGED: { status: 412, retry: 'transient', title: 'Another page changed the preferences meanwhile' },
  SERVER_DRAINED: { status: 409, retry: 'waiting', title: 'The server is taken out of use: nothing new begins there' },
  CONFLICT: { status: 409, retry: 'waiting', title: 'Something else decides or is under way' },
  INSTALL_COMMAND_FAILED: { status: 422, retry: 'waiting', title: 'The installCommand of the app failed' },
  CANCELLED: { status: 409, retry: 'terminal', title: 'It was cancelled' },
  INSTALL_BUSY: { status: 503, retry: 'transient', title: 'Another installer works on the app' },
  INSTALLER_DIED: { status: 500, retry: 'transient', title: 'svc-app-install ended without an answer' },
  NO_PREVIOUS_VERSION: { status: 409, retry: 'terminal', title: 'No version to go back to' },
  NOT_CONFIRMED: { status: 409, retry: 'waiting', title: 'No instance of the current version answers' },
  FILES_UNREADABLE: { status: 503, retry: 'transient', title: "Files on the server can't be read now" },
  SPACE_USED: { status: 507, retry: 'waiting', title: 'The space for the rooms, or for the jobs, of this person is used up' },
  DISK_FULL: { status: 507, retry: 'waiting', title: 'No space left' },
  DOWNLOAD_FAILED: { status: 502, retry: 'transient', title: 'A download did not come to its end' },
  CHECKSUM_MISMATCH: { status: 422, retry: 'waiting', title: 'A file is not the one that was declared' },
  ENGINE_REFUSED: { status: 422, retry: 'waiting', title: 'The engine does not hold what the manifest says' },
  KIT_INCOMPLETE: { status: 500, retry: 'waiting', title: 'A part of the server kit is not in this installation' },
  NOT_BUILT: { status: 500, retry: 'terminal', title: 'This svc was not built' },
  KIT_FAILED: { status: 502, retry: 'waiting', title: 'The server kit could not be put in place' },
  KIT_IN_USE: { status: 409, retry: 'waiting', title: 'Something still runs from the server kit' },
  PATH_REFUSED: { status: 400, retry: 'terminal', title: 'The path of the request breaks a rule of the proxy' },
  CROSS_ORIGIN: { status: 403, retry: 'terminal', title: 'Another origin may not call this app' },
  APP_NOT_RUNNING: { status: 503, retry: 'waiting', title: 'The app is not running' },
  BACKEND_BUSY: { status: 503, retry: 'transient', title: 'Too many requests wait for this backend' },
  BACKEND_UNREACHABLE: { status: 502, retry: 'transient', title: 'The backend does not take or broke the connection' },
  BACKEND_BAD_RESPONSE: { status: 502, retry: 'transient', title: 'The backend answered something that is not HTTP/1.1' },
  BACKEND_TIMEOUT: { status: 504, retry: 'transient', title: 'The backend did not answer in time' },
  BACKEND_REFUSED_TOKEN: { status: 503, retry: 'transient', title: 'The backend refused the token of the portal' },
  METHOD_NOT_ALLOWED: { status: 405, retry: 'terminal', title: 'This path does not take the method' },
  WRONG_HOST: { status: 421, retry: 'terminal', title: 'The portal has another name' },
  HEADERS_TOO_LARGE: { status: 431, retry: 'terminal', title: 'The head of the request is larger than the limit' },
  UNSUPPORTED_MEDIA: { status: 415, retry: 'terminal', title: 'The body has a type that is not taken here' },
  RATE_LIMITED: { status: 429, retry: 'transient', title: 'Too many attempts' },
  LINK_FROM_APP: { status: 403, retry: 'terminal', title: 'A page of an app opened a sign-in link' },
  OTHER_PERSON: { status: 409, retry: 'terminal', title: 'Another person is signed in than the page was loaded for' },
  PASS_REFUSED: { status: 401, retry: 'terminal', title: 'The one-time link is unknown, was used or has expired' },
  CREDENTIALS_REFUSED: { status: 401, retry: 'terminal', title: 'The login or the password is not right' },
  PASSWORD_EXPIRED: { status: 403, retry: 'waiting', title: 'The password has expired' },
  SIGN_IN_ASKS_MORE: { status: 403, retry: 'terminal', title: 'The server asks for more than a password' },
  PASSWORD_UNCHECKED: { status: 503, retry: 'transient', title: 'The password could not be checked' },
  SIGN_IN_METHOD: { status: 404, retry: 'terminal', title: 'The portal has no such way to sign in' },
  ACCOUNT_CLOSED: { status: 403, retry: 'waiting', title: 'The account on the server is locked or expired' },
  PASSKEY_REFUSED: { status: 401, retry: 'terminal', title: 'The passkey is not one of this portal, or its answer is not right' },
  PASSKEY_BEHIND: { status: 401, retry: 'terminal', title: 'The passkey counted fewer uses than before' },
  PASSKEYS_MANY: { status: 409, retry: 'waiting', title: 'The person has as many passkeys as there may be' },
  SIGN_IN_AGAIN: { status: 403, retry: 'waiting', title: 'The sign-in is too old for this' },
  OIDC_UNREACHABLE: { status: 503, retry: 'transient', title: 'The provider of the sign-in does not answer' },
  OIDC_REFUSED: { status: 401, retry: 'terminal', title: 'The provider did not confirm who you are' },
  OIDC_STATE: { status: 401, retry: 'terminal', title: 'The sign-in took too long or was begun elsewhere' },
  OIDC_NO_PERSON: { status: 403, retry: 'waiting', title: 'No person here has the login that the provider names' },
  OIDC_OTHER_IDENTITY: { status: 403, retry: 'waiting', title: 'The login belongs to another identity of the provider' },
  SECRET_UNREADABLE: { status: 500, retry: 'waiting', title: 'A secret can not be read where the document says' },
  PAGE_UNKNOWN: { status: 409, retry: 'transient', title: 'No open events connection has this page id' },
  SECRET_UNDECLARED: { status: 404, retry: 'waiting', title: 'The manifest of the app asks for no such secret' },
  SECRET_REFUSED: { status: 422, retry: 'terminal', title: 'The value can not become a variable of the environment' },
  SECRETS_UNUSABLE: { status: 409, retry: 'waiting', title: 'The vault on the server can not be used in its present state' },
  CAPABILITY_UNDECLARED: { status: 403, retry: 'terminal', title: 'The app does not declare that it uses this capability' },
  CAPABILITY_UNKNOWN: { status: 404, retry: 'waiting', title: 'No installed app offers this capability' },
  PROVIDER_CHOICE: { status: 409, retry: 'waiting', title: 'Several apps offer this capability: one has to be chosen' },
  CONSENT_NEEDED: { status: 403, retry: 'waiting', title: 'The person has not said yet whether the app may use the other' },
  CONSENT_REFUSED: { status: 403, retry: 'terminal', title: 'The person does not let the app use the other' },
  PERSON_NEEDED: { status: 403, retry: 'terminal', title: 'An app of the whole server says for which person it asks' },
  CAPABILITY_LOOP: { status: 508, retry: 'terminal', title: 'Apps ask each other in a circle' },
  QUEUE_OFF: { status: 503, retry: 'waiting', title: 'The queue takes no job' },
  INPUT_MISSING: { status: 409, retry: 'waiting', title: 'An input of the job is not there whole' },
  REFUSED: { status: 422, retry: 'terminal', title: 'The cluster refuses the job' },
  CLUSTER_UNREACHABLE: { status: 503, retry: 'transient', title: 'The cluster does not answer' },
  TERMINAL_AS_PORTAL: {
    status: 403,
    retry: 'terminal',
    title: 'Without an account of their own on this machine only an administrator opens a terminal',
  },
  TERMINALS_FULL: { status: 409, retry: 'waiting', title: 'As many terminals are open as may be' },
  FILE_REFUSED: { status: 403, retry: 'terminal', title: 'The account may not do this with the file' },
  FILE_EXISTS: { status: 409, retry: 'waiting', title: 'Something is there already' },
  FILE_CHANGED: { status: 412, retry: 'waiting', title: 'The file was changed meanwhile' },
  FILE_INSIDE: { status: 409, retry: 'terminal', title: 'The place lies in the folder itself' },
  FILE_NAME_REFUSED: {
    status: 400,
    retry: 'terminal',
    title: 'No file can have this name: it is too long, "." or "..", or has a "/" in it',
  },
  FILE_KIND: { status: 409, retry: 'terminal', title: 'It is another kind of file than this needs' },
  UNPACK_REFUSED: {
    status: 422,
    retry: 'terminal',
    title: 'The archive is damaged, locked, of a kind that is not unpacked, or has a name that leads out of it',
  },
  UNPACK_UNSUPPORTED: { status: 422, retry: 'terminal', title: 'The archive is packed in a way that is not unpacked here' },
  FILE_UNREADABLE: { status: 409, retry: 'terminal', title: 'The system gives no content of the file' },
  FILE_FAILED: { status: 502, retry: 'transient', title: 'The server could not do it with the file' },
  QUOTA_USED: { status: 507, retry: 'waiting', title: 'The quota of the account is used up' },
  NO_OWN_ACCOUNT: {
    status: 403,
    retry: 'waiting',
    title: 'Without an account of their own on this machine only an administrator opens files',
  },
  SFTP_OFF: { status: 503, retry: 'waiting', title: 'The server offers no SFTP' },
  PINNED: { status: 409, retry: 'terminal', title: 'A Backend document decides whether this app runs' },
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
