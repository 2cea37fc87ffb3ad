/** The desired state of an app, case by case: rules 3.3 and docs/decisions/0026-intents-are-one-shot.md. */
import { describe, expect, it } from 'vitest';
import type { SentOrder } from '../machines/backend-order.ts';
import { alive, answering, desired, intent, notas, observed, stopped } from './backend-fixtures.ts';
import { wishOf, type Wished, type WishInput } from './backend-orders.ts';

const input = (changes: Partial<WishInput> = {}): WishInput => ({
  desired: desired(),
  observed: observed(stopped()),
  memory: null,
  stale: false,
  failedHash: null,
  nowMs: 2_000,
  ...changes,
});
const wished = (changes: Partial<WishInput>): Wished => wishOf(input(changes));
const sent = (changes: Partial<SentOrder>) => ({
  ...answering(),
  sent: { op: 'start', cause: 'rewritten', requestId: 'x', atMs: 0, ...changes } as const,
});

const failed = (changes = {}) => observed(stopped({ state: 'failed', reason: 'Crashed', wanted: true, ...changes }));
const nothing = { type: 'nothing' };
const uninstalled = { type: 'stop', cause: 'uninstalled', requestId: null, reason: 'Uninstalled' };
const unpinned = { type: 'stop', cause: 'desligado', requestId: null, reason: 'PinnedStopped' };
const start = (cause: string, reason: string) => ({ type: 'start', cause, requestId: null, reason, replace: null });

describe('somebody who asks for', () => {
  it.for([
    ['a start', intent('start'), false, { type: 'start', reason: 'StartRequested', replace: null }],
    ['a start on other code', intent('start'), true, { type: 'start', reason: 'StartRequested', replace: 'HashChanged' }],
    ['a restart', intent('restart'), true, { type: 'start', reason: 'StartRequested', replace: 'StoppedByPerson' }],
    ['a restart, an administrator', intent('restart', { by: 'admin' }), false, { type: 'start', replace: 'StoppedByAdmin' }],
    ['a stop', intent('stop'), false, { type: 'stop', reason: 'StoppedByPerson' }],
    ['a stop, an administrator', intent('stop', { by: 'admin' }), false, { type: 'stop', reason: 'StoppedByAdmin' }],
    ['a stop, their last window', intent('stop', { by: 'windows' }), false, { type: 'stop', reason: 'LastWindowClosed' }],
  ] as const)('%s', ([, asked, stale, wish]) => {
    const { wish: given, finished } = wished({ desired: desired({ intent: asked }), observed: observed(alive()), stale });
    expect([given, finished]).toEqual([{ cause: 'intent', requestId: 'r1', reason: 'StartRequested', ...wish }, null]);
  });

  it.for([
    ['is refused', observed(stopped(), { refused: { requestId: 'r1', reason: 'Invalid', message: 'no' } }), {}, 'refused', 'no'],
    ['is done', observed(alive({ requestId: 'r1' })), {}, 'done', ''],
    ['leaves', observed(null), { leaving: true }, 'refused', 'the document of ana was removed'],
    ['is too late', observed(stopped()), { intent: intent('start', { atMs: -600_000 }) }, 'expired', 'could not be carried out in time'],
    ['has it nowhere', observed(stopped({ installed: null })), { manifest: null }, 'refused', 'notas is not installed for ana'],
    ['has it nowhere, unseen', observed(null), { manifest: null }, 'refused', 'notas is not installed for ana'],
    [
      'has it for others',
      observed(stopped()),
      { manifest: null, shutBy: ['a', 'b'] },
      'refused',
      'ana is in none of the groups that it is for: a, b',
    ],
    [
      'is drained',
      observed(stopped()),
      { drain: { server: 'sirius', deadlineMs: null } },
      'refused',
      'sirius is taken out of use: nothing is started there',
    ],
    ['removes it', observed(stopped()), { removing: true }, 'refused', 'notas is being removed'],
    ['stops what was never there', observed(null), { intent: intent('stop') }, 'done', ''],
  ] as const)('something and %s is told', ([, sees, changes, outcome, message]) => {
    const given = wished({ desired: desired({ intent: intent('start'), ...changes }), observed: sees });
    expect(given.finished).toEqual({ requestId: 'r1', outcome, message });
  });

  it.for([
    ['an order refused of another', observed(stopped(), { refused: { requestId: 'r0', reason: 'Invalid', message: '' } }), {}, null],
    ['a start of what only the server has', observed(stopped()), { manifest: null }, null],
    ['a start of what only the portal has', observed(stopped({ installed: null })), {}, null],
    ['a stop while a start is under way', observed(null), { intent: intent('stop') }, sent({ cause: 'intent' })],
  ] as const)('%s has to wait', ([, sees, changes, memory]) => {
    const given = wished({ desired: desired({ intent: intent('start'), ...changes }), observed: sees, memory });
    expect(given.finished).toBeNull();
  });
});

describe('a server that is drained', () => {
  const at = (deadlineMs: number | null) => ({ drain: { server: 'sirius', deadlineMs } }) as const;
  const idle = alive({ connections: 0 });
  const stop = { type: 'stop', cause: 'drained', requestId: null, reason: 'StoppedByAdmin' };
  const open = { open: 1, zeroSinceMs: null };
  it.for([
    ['stops what nobody uses', at(null), idle, stop, 0],
    ['stops what nobody uses, whatever pins it', { ...at(null), document: 'ligado' }, idle, stop, 0],
    ['leaves what has a window', { ...at(null), windows: open }, idle, nothing, null],
    ['leaves what has a window until the deadline', { ...at(9_000), windows: open }, idle, nothing, 9_000],
    ['stops what has a window at the deadline', { ...at(2_000), windows: open }, idle, stop, 2_000],
    ['leaves what has a connection', at(null), alive({ connections: 1 }), nothing, null],
    ['leaves what has connections that nobody could count', at(null), alive({ connections: null }), nothing, null],
    ['stops what waits for its next attempt', at(null), stopped({ state: 'backoff', wanted: true, connections: null }), stop, 0],
    [
      'leaves what had a window a moment ago',
      { ...at(null), windows: { open: 0, zeroSinceMs: 1_000 } },
      idle,
      { type: 'windowsClosed', sinceMs: 1_000 },
      121_000,
    ],
    ['lets end what ends', at(0), alive({ state: 'stopping', wanted: false }), nothing, null],
    ['starts nothing that is pinned on', { ...at(null), document: 'ligado' }, stopped(), nothing, null],
    ['starts no service', { ...at(null), manifest: { ...notas, kind: 'service' } }, stopped(), nothing, null],
    ['tries nothing again', at(null), stopped({ state: 'failed', reason: 'Crashed' }), nothing, null],
  ] as const)('%s', ([, changes, snapshot, wish, drainAtMs]) => {
    const given = wished({ desired: desired(changes), observed: observed(snapshot), failedHash: 'hash-0' });
    expect([given.wish, given.drainAtMs]).toEqual([wish, drainAtMs]);
  });
});

describe('the newest start', () => {
  const memory = { ...answering(), startedAtMs: 700 };
  it.for([
    ['counts once it was carried out', intent('start'), 'r1', 1_000],
    ['counts when it was a restart', intent('restart'), 'r1', 1_000],
    ['is none that waits', intent('start'), null, 700],
    ['is none that stops', intent('stop'), 'r1', 700],
    ['is the one before', null, 'r1', 700],
  ] as const)('%s', ([, asked, requestId, startedAtMs]) => {
    const sees = observed(alive({ requestId }));
    expect(wished({ desired: desired({ intent: asked }), observed: sees, memory }).startedAtMs).toBe(startedAtMs);
  });
});

describe('what holds at any time', () => {
  const ending = { state: 'stopping', wanted: false } as const;
  const shutOut = { manifest: null, packageKey: 'k', shutBy: ['editores'] } as const;
  const shut = { ...uninstalled, cause: 'shut', reason: 'NotInGroup' };
  it.for([
    ['a removed package ends what is wanted', { removing: true }, observed(stopped({ wanted: true })), uninstalled],
    ['a removed package ends what lives', { removing: true }, observed(alive({ wanted: false })), uninstalled],
    ['a removed package lets end what ends', { removing: true }, observed(alive(ending)), nothing],
    ['a removed package ends nothing that is stopped', { removing: true }, observed(stopped()), nothing],
    ['a removed package ends nothing that was never heard of', { removing: true }, observed(null), nothing],
    ['groups of others end what is wanted', shutOut, observed(stopped({ wanted: true })), shut],
    ['groups of others end what lives, whatever pins it', { ...shutOut, document: 'ligado' }, observed(alive({ pinned: true })), shut],
    ['groups of others let end what ends', shutOut, observed(alive(ending)), nothing],
    ['groups of others end nothing that is stopped', { ...shutOut, document: 'ligado' }, observed(stopped()), nothing],
    ['desligado ends what is wanted', { document: 'desligado' }, observed(stopped({ wanted: true })), unpinned],
    ['desligado ends what lives', { document: 'desligado' }, observed(alive({ wanted: false })), unpinned],
    ['desligado lets end what ends', { document: 'desligado' }, observed(alive(ending)), nothing],
    ['desligado ends nothing that is stopped', { document: 'desligado' }, observed(stopped()), nothing],
    [
      'a package that is nowhere ends what is wanted',
      { manifest: null },
      observed(stopped({ wanted: true, installed: null })),
      uninstalled,
    ],
    ['a package that is nowhere ends what lives', { manifest: null }, observed(alive({ wanted: false, installed: null })), uninstalled],
    ['a package that is nowhere ends nothing that is stopped', { manifest: null }, observed(stopped({ installed: null })), nothing],
    ['a package that the server has ends nothing', { manifest: null }, observed(alive()), nothing],
    [
      'a package that a document wants back ends nothing',
      { manifest: null, packageKey: 'k' },
      observed(alive({ installed: null })),
      nothing,
    ],
    ['a package that no document wants ends it', { manifest: null, packageKey: null }, observed(alive({ installed: null })), uninstalled],
    ['a job that ended is not submitted again', { document: 'ligado' }, observed(stopped({ reason: 'JobTimeOver' })), nothing],
    ['a package that is nowhere starts nothing', { manifest: null, document: 'ligado' }, observed(null), nothing],
    ['ligado starts', { document: 'ligado' }, observed(stopped()), start('ligado', 'PinnedRunning')],
    ['ligado starts what was never heard of', { document: 'ligado' }, observed(null), start('ligado', 'PinnedRunning')],
    ['ligado lets alone what failed', { document: 'ligado' }, failed({ wanted: false }), nothing],
    ['ligado pins', { document: 'ligado' }, observed(alive()), { type: 'pin', pinned: true }],
    ['ligado pins nothing twice', { document: 'ligado' }, observed(alive({ pinned: true })), nothing],
    ['without ligado the pin goes', {}, observed(alive({ pinned: true })), { type: 'pin', pinned: false }],
    ['without ligado the pin of what is not wanted is nothing', {}, observed(stopped({ pinned: true })), nothing],
  ] as const)('%s', ([, changes, sees, wish]) => {
    expect(wished({ desired: desired(changes), observed: sees }).wish).toEqual(wish);
  });

  it.for([
    ['with other code', {}, failed(), 'hash-0', start('mended', 'StartRequested')],
    ['with other code, under ligado', { document: 'ligado' }, failed({ wanted: false }), 'hash-0', start('mended', 'StartRequested')],
    ['not with the same code', {}, failed(), 'hash-1', nothing],
    ['not when its code was not known', {}, failed(), null, nothing],
    ['not when nobody wants it', {}, failed({ wanted: false }), 'hash-0', nothing],
    ['not when it did not fail', {}, observed(alive()), 'hash-0', nothing],
  ] as const)('a failed app is tried again %s', ([, changes, sees, failedHash, wish]) => {
    expect(wished({ desired: desired(changes), observed: sees, failedHash }).wish).toEqual(wish);
  });

  it.for([
    ['when none was tried', null, 2_000, true],
    ['when another order came before', sent({ cause: 'mended' }), 2_000, true],
    ['when it came up meanwhile and failed anew', sent({ requestId: 'y' }), 2_000, true],
    ['not again', sent({}), 599_999, false],
    ['again after ten minutes', sent({}), 600_000, true],
  ] as const)('a damaged env file is written anew %s', ([, memory, nowMs, isWritten]) => {
    const sees = failed({ reason: 'EnvFileDamaged', requestId: 'x' });
    expect(wished({ observed: sees, memory, nowMs }).wish).toEqual(isWritten ? start('rewritten', 'StartRequested') : nothing);
  });
});

describe('a service starts with the session', () => {
  const manifest = { ...notas, kind: 'service' } as const;
  const due = { ...start('service', 'ServiceStart'), requestId: 'sessao-500' };
  it.for([
    ['of its person', { manifest }, observed(stopped()), null, due],
    ['once', { manifest }, observed(stopped()), { ...answering(), autostartedFor: 500 }, nothing],
    ['again in the next one', { manifest }, observed(stopped()), { ...answering(), autostartedFor: 400 }, due],
    ['not when it is wanted already', { manifest }, observed(alive()), null, nothing],
    ['not when it failed', { manifest }, failed({ wanted: false }), null, nothing],
    ['not while somebody asks for something', { manifest, intent: intent('stop') }, observed(stopped({ requestId: 'r1' })), null, nothing],
    ['not without one', { manifest, session: false }, observed(stopped()), null, nothing],
    ['not when nobody knows since when', { manifest, sessionSinceMs: null }, observed(stopped()), null, nothing],
    ['and no other app does', {}, observed(stopped()), null, nothing],
  ] as const)('%s', ([, changes, sees, memory, wish]) => {
    expect(wished({ desired: desired(changes), observed: sees, memory }).wish).toEqual(wish);
  });
});

describe('windows that are closed', () => {
  const windows = { open: 0, zeroSinceMs: 10_000 };
  const closed = { type: 'windowsClosed', sinceMs: 10_000 };
  it.for([
    ['count down', { windows }, alive(), 20_000, closed, 130_000],
    ['unpin while they count down', { windows }, alive({ pinned: true }), 129_999, { type: 'pin', pinned: false }, 130_000],
    ['end what is pinned still', { windows }, alive({ pinned: true }), 130_000, closed, 130_000],
    ['count for nothing that is not wanted', { windows }, stopped(), 20_000, nothing, null],
    ['count for nothing that is not installed', { windows, manifest: null }, alive(), 20_000, nothing, null],
    ['count for nothing before the first', { windows: { open: 0, zeroSinceMs: null } }, alive(), 20_000, nothing, null],
    ['count for nothing while one is open', { windows: { open: 1, zeroSinceMs: 10_000 } }, alive(), 20_000, nothing, null],
    ['count for nothing never heard of', { windows }, null, 20_000, nothing, null],
    [
      'are over when the clock was set back since',
      { windows: { open: 0, zeroSinceMs: 140_001 } },
      alive(),
      20_000,
      { type: 'windowsClosed', sinceMs: -100_000 },
      20_000,
    ],
    [
      'count on when it was set back a little',
      { windows: { open: 0, zeroSinceMs: 140_000 } },
      alive(),
      20_000,
      { type: 'windowsClosed', sinceMs: 140_000 },
      260_000,
    ],
  ] as const)('%s', ([, changes, snapshot, nowMs, wish, closeAtMs]) => {
    const given = wished({ desired: desired(changes), observed: observed(snapshot), nowMs });
    expect([given.wish, given.closeAtMs]).toEqual([wish, closeAtMs]);
  });

  it.for([
    [9_999, 130_000],
    [10_000, 130_000],
    [10_001, null],
    [null, 130_000],
  ] as const)('count from %s on, the newest start', ([startedAtMs, closeAtMs]) => {
    const memory = { ...answering(), startedAtMs };
    expect(wished({ desired: desired({ windows }), observed: observed(alive()), memory }).closeAtMs).toBe(closeAtMs);
  });

  it.for([
    [140_000, 10_000, null],
    [140_001, 10_000, 130_000],
    [140_001, 20_000, 140_000],
    [140_001, 20_001, null],
  ] as const)('count after a start of another clock, at %s, that lies ahead: closed at %s', ([startedAtMs, zeroSinceMs, closeAtMs]) => {
    const memory = { ...answering(), startedAtMs };
    const given = wished({ desired: desired({ windows: { open: 0, zeroSinceMs } }), observed: observed(alive()), memory, nowMs: 20_000 });
    expect(given.closeAtMs).toBe(closeAtMs);
  });

  it.for([
    [19_000, 150_000, null],
    [19_000, 140_000, 260_000],
    [141_000, 150_000, 20_000],
  ] as const)(
    'count for nothing after a start of now, at %s, when they closed by a clock that was ahead: at %s',
    ([atMs, zeroSinceMs, closeAtMs]) => {
      const asked = desired({ windows: { open: 0, zeroSinceMs }, intent: intent('start', { atMs }) });
      const { requestId } = asked.intent!;
      const given = wished({ desired: asked, observed: observed(alive({ requestId })), memory: answering(), nowMs: 20_000 });
      expect([given.finished?.outcome, given.closeAtMs]).toEqual(['done', closeAtMs]);
    },
  );
});
