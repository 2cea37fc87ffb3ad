import { expect, test } from 'vitest';
import { closedAmong, closedBy } from './closed-accounts.ts';

const day = 24 * 60 * 60_000;

test.for([
  ['ana:$y$j9T$x:19700:0:99999:7:::', null],
  ['ana:!$y$j9T$x:19700:0:99999:7:::', 'locked'],
  ['ana:!!$6$x:19700:0:99999:7:::', 'locked'],
  ['ana:!*:19700:0:99999:7:::', 'locked'],
  // Never had a password: people come by a key.
  ['ana:!:19700:0:99999:7:::', null],
  ['ana:!!:19700:0:99999:7:::', null],
  ['ana:*:19700:0:99999:7:::', null],
  ['ana::19700:0:99999:7:::', null],
  ['ana:$y$x:19700:0:99999:7::1:', 'expired'],
  ['ana:$y$x:19700:0:99999:7::20000:', 'expired'],
  ['ana:$y$x:19700:0:99999:7::20001:', null],
  ['ana:!$y$x:19700:0:99999:7::-1:', 'locked'],
  // A password that is too old is no closed account: PAM asks for another one.
  ['ana:$y$x:0:0:1:7:0::', null],
  ['', null],
] as const)('%s is %s', ([line, why]) => {
  expect(closedBy(line, 20_000 * day)).toBe(why);
});

test('an account of a directory that can not be asked is unknown, not open', async () => {
  const ask = async (names: readonly string[]): Promise<string | null> => (names.length > 1 ? null : `${names[0]}:!$y$x:19700::::::`);
  const [ana, bia] = ['svc-none-ana', 'svc-none-bia'];
  expect([...(await closedAmong([ana, bia], 0, ask))]).toEqual([
    [ana, 'unknown'],
    [bia, 'unknown'],
  ]);
  expect([...(await closedAmong([ana], 0, ask))]).toEqual([[ana, 'locked']]);
});
