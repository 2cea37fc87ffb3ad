/** Which failed installations are tried again by themselves. Decision: docs/decisions/0366-what-a-server-forbids.md */
import { expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { retryOf } from './package-acts.ts';

test.for([
  ['FORBIDDEN', 'waiting'],
  ['INTERNAL', 'waiting'],
  ['DISK_FULL', 'waiting'],
  ['SERVER_UNREACHABLE', 'transient'],
  ['SCOPE_REFUSED', 'terminal'],
] as const)('%s: %s', ([code, retry]) => {
  expect(retryOf(new SvcError(code, 'x'))).toBe(retry);
});
