/** The kernel's error, by its name. */
import os from 'node:os';

/** ENOENT and the like; '' for what is no error of the system. Node has no name for some numbers that matter here (ESTALE, EDQUOT). */
export function errorCode(error: unknown): string {
  // Errors of svc and of Node's own checks have a code, too, but no errno.
  if (!(error instanceof Error) || !('code' in error) || !('errno' in error)) return '';
  return systemNames.get(-Number(error.errno)) ?? String(error.code);
}

const systemNames: ReadonlyMap<number, string> = new Map((['ESTALE', 'EDQUOT'] as const).map((name) => [os.constants.errno[name], name]));

/** Nothing is there, or this account may not come to it: another look says the same, as it would not after a passing fault. */
export const isAbsentOrClosed = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error));
