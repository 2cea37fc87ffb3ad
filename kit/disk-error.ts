/** Maps errno values of the disk to coded errors: a full or read-only disk is an operating condition, not a defect of svc. */
import { SvcError } from '../schema/errors.ts';
import { errorCode } from '../schema/system-error.ts';

/** No space, no quota, or mounted read-only: no process can write. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS'].includes(errorCode(error));
}

/** The error itself unless it is one of the disk. `more` ends the sentence. */
export function diskError(error: unknown, more = ''): unknown {
  if (error instanceof SvcError) return error;
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new SvcError('DISK_FULL', `no space left: ${message}${more}`, {}, { cause: error });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return new SvcError('FORBIDDEN', message, {}, { cause: error });
  return error;
}
