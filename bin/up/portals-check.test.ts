import { expect, test } from 'vitest';
import type { Member } from '../../store/portals.ts';
import type { HostSeen } from '../../store/postgres-hosts.ts';
import { portalsCheck } from './portals-check.ts';

const member = (holder: string, version = '1.0.0', unreached: readonly string[] = []): Member => ({
  id: holder,
  holder,
  address: '',
  version,
  startedMs: 0,
  quietMs: 0,
  unreached,
});
const seen = { members: [member('a'), member('b')], leader: 'b', clockAheadMs: 3, connectionsMax: 97 };
const lone = { version: '1.0.0', hosts: [], hasUrl: true };

test('who they are and who leads', () => {
  expect(portalsCheck(seen, lone)).toEqual({
    name: 'portals',
    ok: true,
    warning: false,
    detail: { pt: 'a; b * (* conduz)', en: 'a; b * (* leads)' },
    fix: null,
  });
});

test.for([
  ['nobody leads', { leader: null }, false, 'none leads'],
  ['a clock that is ahead', { clockAheadMs: 6_000 }, true, 'the clock of this machine differs from that of the database by 6000 ms'],
  ['a clock that is behind', { clockAheadMs: -6_000 }, true, 'the clock of this machine differs from that of the database by -6000 ms'],
  ['another version', { members: [member('a'), member('b', '1.1.0')] }, true, 'of another version: b (1.1.0)'],
  [
    'one that does not reach what another one reaches',
    { members: [member('a'), member('b', '1.0.0', ['sirius', 'vega'])] },
    true,
    'does not reach servers that another one reaches: b (sirius, vega)',
  ],
  [
    'servers that are away',
    { leader: null, members: [member('a', '1.0.0', ['sirius']), member('b', '1.0.0', ['sirius'])] },
    false,
    'none leads',
  ],
  ['too few connections', { connectionsMax: 17 }, true, 'the database takes 17 connections, and the portals use up to 24'],
] as const)('%s', ([, trouble, ok, detail]) => {
  const row = portalsCheck({ ...seen, ...trouble }, lone);
  expect([row.ok, row.warning, row.detail.en]).toEqual([ok, ok, detail]);
  expect(row.fix?.en).not.toBe('');
});

test('an address of its own each', () => {
  expect(portalsCheck(seen, { ...lone, hasUrl: false })).toMatchObject({
    ok: true,
    warning: true,
    fix: { en: 'set Portal.spec.url to what people type' },
  });
  expect(portalsCheck({ ...seen, members: [member('b')] }, { ...lone, hasUrl: false }).warning).toBe(false);
});

test('several at once are all told', () => {
  expect(portalsCheck({ ...seen, clockAheadMs: 9_000, connectionsMax: 1 }, lone).detail.en).toMatch(/clock.*; the database takes 1/);
});

test('servers of the database that could not take over', () => {
  const check = (...states: HostSeen['state'][]) =>
    portalsCheck(seen, { ...lone, hosts: states.map((state, n) => ({ at: `db${n + 1}:5432`, state })) });
  expect(check('away')).toEqual(portalsCheck(seen, lone));
  expect(check('primary', 'standby')).toEqual(portalsCheck(seen, lone));
  expect(check('primary', 'away', 'away').detail.en).toBe('servers of the database that do not answer: db2:5432, db3:5432');
  expect(check('old', 'primary')).toMatchObject({
    ok: true,
    warning: true,
    detail: { en: 'was the primary before the last promotion, and takes writes: db1:5432' },
  });
  expect(check('primary', 'other').fix?.en).toBe('correct Portal.spec.store');
});
