/** Tests whether an account lasts, by the administrator's last observation, and the one that an arrival asks for. */
import { expect, test } from 'vitest';
import type { KitObservation } from '../../reconcilers/server.ts';
import type { Context } from '../context.ts';
import type { PersonEntry } from '../entries.ts';
import { accountLasts, observeArrival } from './kit-work.ts';
import { moving } from '../../schema/testing/moving.ts';

const account = { name: 'ana', found: true, linger: true, manager: true, key: true };
const seen = (accounts: readonly (typeof account)[]): KitObservation => ({
  status: 'seen',
  id: null,
  origins: '',
  key: true,
  rival: null,
  accounts,
});
const personOn = (kit: unknown): PersonEntry => ({ account: 'ana', server: { key: 'Server/sirius', kit } }) as unknown as PersonEntry;

test.for([
  ['on this machine', null, null],
  ['where nobody looked', { observed: { status: 'unknown', message: 'no key' } }, null],
  ['that lasts', { observed: seen([account]) }, true],
  ['that does not linger', { observed: seen([{ ...account, linger: false }]) }, false],
  ['whose manager died with the last logout', { observed: seen([{ ...account, manager: false }]) }, false],
  ['that is not there', { observed: seen([{ ...account, found: false, linger: false, manager: false }]) }, null],
  ['that came after the look', { observed: seen([]) }, null],
] as const)('an account %s: %s', ([, kit, lasts]) => {
  expect(accountLasts(personOn(kit))).toBe(lasts);
});

test('an arrival makes the server look again, but not within a minute of the last look', () => {
  const added: string[] = [];
  let nowMs = 1_000_000;
  const context = {
    options: { clock: { nowMs: moving(() => nowMs) } },
    queue: { add: (key: string) => added.push(key) },
  } as unknown as Context;
  const kit = { observedAtMs: nowMs, observed: seen([account]), lookedFor: new Set(['ana']) };
  const ana = personOn(kit);
  nowMs += 59_999;
  observeArrival(context, ana);
  expect([added, kit.observedAtMs]).toEqual([[], 1_000_000]);
  nowMs += 1;
  observeArrival(context, ana);
  expect([added, kit.observedAtMs]).toEqual([['Server/sirius'], 0]);
  observeArrival(context, personOn(null));
  expect(added).toHaveLength(1);
  // An account made after the observation has no key of the portal there.
  observeArrival(context, personOn({ observedAtMs: nowMs, observed: seen([]), lookedFor: new Set() }));
  expect(added).toHaveLength(2);
});
