/** Advice that several reasons give, or that a case has beside its reason. */
import type { Explanation } from './row.ts';

export const startIt = 'start it: svc start PERSON/APP, or open its window';
export const restartIt = 'restart it to run the installed code: svc restart PERSON/APP';
export const readLog = 'read what it printed: svc logs PERSON/APP';
/** Advice for an app that runs again: a start begins a new log. */
export const readPrevious = 'read what it printed: svc logs PERSON/APP --previous';

export const writePackage = 'write a Package document for it';

export const stayInFront = 'make the entrypoint stay and serve: no fork, no daemon mode; its log tells nothing more';

/** A disk may have bytes left and take no more files, and an account may have used up its quota. */
export const makeRoom =
  'make room in the home of the account (df -h, df -i and quota say of what: bytes or files): everything goes on by itself';

export const readOnlyHome: Required<Pick<Explanation, 'because' | 'fix'>> = {
  because: 'the home of the account is on a read-only file system',
  fix: 'mount it writable again (mount -o remount,rw; dmesg says why it became read-only): everything goes on by itself',
};
