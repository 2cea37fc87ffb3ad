/** "Can't be read" is not "not there" (style rule 20): existsSync says the same for both. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathState, readRecord } from './atomic-file.ts';
import { errorCode } from '../schema/system-error.ts';

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/[.]test[.]ts$|(^|\/)test-|testing\//.test(name))
  // Packs the kit on the portal's own machine, from its own sources.
  .filter((name) => name !== 'server/pack.ts');

test('nobody in kit/ asks with existsSync', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.filter((name) => /\bexistsSync\b/.test(readFileSync(join(import.meta.dirname, name), 'utf8')))).toEqual([]);
});

test.for([
  ['/proc/self/status', 'present'],
  ['/proc/self/none', 'absent'],
  ['/proc/self/status/below', 'absent'],
  [`/tmp/${'x'.repeat(300)}`, 'unknown'],
] as const)('%s is %s', ([path, kind]) => {
  expect(pathState(path).kind).toBe(kind);
});

test('a record that the disk does not let us read is thrown, something else in its place is none', () => {
  expect(readRecord('/proc')).toBeNull();
  expect(() => readRecord(`/tmp/${'x'.repeat(300)}`)).toThrow('ENAMETOOLONG');
});

test.for([
  [-116, 'ESTALE'],
  [-122, 'EDQUOT'],
  [-13, 'EACCES'],
] as const)('errno %i is %s, whatever Node calls it', ([errno, name]) => {
  expect(errorCode(Object.assign(new Error('x'), { errno, code: errno === -13 ? 'EACCES' : `Unknown system error ${errno}` }))).toBe(name);
});
