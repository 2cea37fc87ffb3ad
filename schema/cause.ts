/** Why a server, or what runs on it, can't be had: the reason that is shown for an error, and what mends it where who made the error knows. */
import type { Reason } from './backend.ts';
import type { ErrorCode, SvcError } from './errors.ts';
import type { Words } from './texts/reasons.ts';

const reasonOfCode: Partial<Record<ErrorCode, Reason>> = {
  HOST_KEY_CHANGED: 'HostKeyChanged',
  SSH_REFUSED: 'KeyRefused',
  SECRET_UNREADABLE: 'KeyUnreadable',
  ADMIN_REFUSED: 'AdminRefused',
  KIT_MISSING: 'KitMissing',
  SHELL_REFUSED: 'ShellRefused',
  LOGIN_SHELL: 'LoginShell',
  HOME_MISSING: 'HomeMissing',
  // The only thing that can be missing where a server or an account of it is asked for.
  NOT_FOUND: 'AccountMissing',
  ACCOUNT_CLOSED: 'AccountClosed',
  DISK_FULL: 'DiskFull',
  FILES_UNREADABLE: 'FilesUnreadable',
  SUPERVISOR_FAILED: 'SupervisorFailed',
};

export interface Cause {
  /** Null: no more is known than that there was no answer. */
  readonly reason: Reason | null;
  readonly message: string;
  readonly fix: Words | null;
}

const causes = new WeakMap<SvcError, Cause>();

/** The very same object for the same error: decisions compare what they go by. */
export function causeOf(error: SvcError): Cause {
  const { fix } = error.details as { readonly fix?: Words };
  const cause = causes.get(error) ?? { reason: reasonOfCode[error.code] ?? null, message: error.message, fix: fix ?? null };
  causes.set(error, cause);
  return cause;
}
