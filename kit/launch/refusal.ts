/** Why a start is refused, with what may end the refusal. */
import type { RetryClass } from '../../schema/errors.ts';
import { retryOf, type RefusalReason } from '../../schema/reasons/derived.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isDiskFull } from '../disk-error.ts';

export interface Refusal {
  readonly reason: RefusalReason;
  readonly retry: RetryClass;
  /** A sentence for the person; goes to run.log. Never holds a value of a secret. */
  readonly message: string;
}

/** Thrown by the steps, caught once by `prepareLaunch`. */
export class LaunchRefused extends Error {
  readonly refusal: Refusal;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = 'LaunchRefused';
    this.refusal = { reason, retry: retryOf[reason], message };
  }
}

export function isRefusalReason(value: unknown): value is RefusalReason {
  return typeof value === 'string' && Object.hasOwn(retryOf, value);
}

export function refusalOf(reason: RefusalReason, message: string): Refusal {
  return { reason, retry: retryOf[reason], message };
}

/** Maps a failed step to a refusal. Disk errors are transient: they do not count as a failure of the app. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof LaunchRefused) return error.refusal;
  if (isDiskFull(error)) return refusalOf('DiskFull', `the home can't be written: ${errorCode(error)}`);
  // EACCES, EIO, ESTALE… of a home or a package, and EMFILE or EAGAIN of the machine.
  return refusalOf('FilesUnreadable', `the start could not be prepared: ${error instanceof Error ? error.message : String(error)}`);
}
