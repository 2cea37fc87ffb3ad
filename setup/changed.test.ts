import { expect, test } from 'vitest';
import { reachOf } from './changed.ts';

const realTests = [
  'test/backup/killed.real.test.ts',
  'api/connections/fault-owner.real.test.ts',
  'bin/svc.real.test.ts',
  'controller/hosts/local.real.test.ts',
  'kit/job/wrapper.real.test.ts',
  'sdk/gate.real.test.ts',
  'shell/events/events.real.test.ts',
  'store/kill.real.test.ts',
  'test/browser/files.real.test.ts',
  'test/fairness/fairness.real.test.ts',
  'test/integration/cli.real.test.ts',
  'test/journeys/operator.real.test.ts',
  'test/journeys/person.real.test.ts',
  'test/postgres/store.real.test.ts',
  'test/ssh/load.real.test.ts',
] as const;

test.for([
  ['texts', ['docs/limits.md', 'README.md', 'bench/proxy.ts', 'test/journeys/README.md'], []],
  ['the shell', ['shell/files/svc-files.ts'], ['shell/', 'test/browser/', 'test/journeys/person']],
  ['a real test', ['test/ssh/load.real.test.ts'], ['test/ssh/load']],
  ['a unit test', ['api/front.test.ts'], []],
  ['what one folder of tests shares', ['test/postgres/faults/world.ts'], ['test/postgres/']],
  [
    'the kit, of which the controller takes its reader of archives only',
    ['kit/job/wrapper.sh'],
    ['kit/', 'bin/', 'test/backup/', 'test/ssh/', 'test/integration/', 'test/journeys/'],
  ],
  [
    'svc-wrap, which is tested beside the runtimes',
    ['kit/wrap/head.c'],
    ['kit/', 'bin/', 'sdk/', 'test/backup/', 'test/ssh/', 'test/integration/', 'test/journeys/'],
  ],
  ['what all have', ['schema/errors.ts'], ['']],
  ['what all tests have', ['test/support/portal.ts'], ['']],
  ['how it is built', ['setup/build.ts'], ['']],
  ['what is installed', ['package-lock.json'], ['']],
] as const)('%s', ([, changed, beginnings]) => {
  const { real } = reachOf(changed, realTests);
  expect(real).toEqual(realTests.filter((one) => beginnings.some((from) => one.startsWith(from))));
});

test('unit tests run of what imports a source', () => {
  expect(reachOf(['docs/a.md', 'api/front.ts', 'store/kill.ts'], realTests).sources).toEqual(['api/front.ts', 'store/kill.ts']);
});
