/** Reason and sentence of an app for every observation of it (rules 3.2, 3.3). */
import { describe, expect, it } from 'vitest';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import { alive, answering, desired, intent, observed, process, stopped } from './backend-fixtures.ts';
import { assess, unobservable } from './backend-assessment.ts';
import type { BackendMemory } from './backend-types.ts';

const sees = (snapshot: AppSnapshot | null, memory: BackendMemory | null = null, changes = {}) => {
  const { saw, reason, message } = assess(desired(changes), observed(snapshot), memory, null);
  return [saw, reason, message];
};
const told = (state: 'stopped' | 'running' | 'failed' | null, reason: BackendMemory['context']['reason']): BackendMemory => ({
  ...answering(),
  context: { reason, sinceMs: 0, last: state === null ? null : { state, reason }, saw: null },
});

describe('while nobody can look', () => {
  const away = { session: false, sessionSinceMs: null };
  const lost = (reason: string, message: string) => ({ saw: 'sightLost', reason, message });
  const notUp = lost('SupervisorStarting', 'the supervisor of ana is not up yet');

  it.for([
    [
      'the server is away',
      { host: { status: 'unreachable', message: 'cut' } },
      lost('ServerUnreachable', 'the server does not answer: cut'),
    ],
    ['the server is new', { host: { status: 'unknown', message: '' } }, lost('NotObservedYet', 'the server was not looked at yet')],
    ['the supervisor is coming', { supervisor: 'starting' }, notUp],
    [
      'the server shows another key',
      { host: { status: 'unreachable', message: 'sirius shows SHA256:x', cause: { reason: 'HostKeyChanged', message: '', fix: null } } },
      lost('HostKeyChanged', 'sirius shows SHA256:x'),
    ],
    [
      'the server is away, and no more is known',
      { host: { status: 'unreachable', message: 'cut', cause: { reason: null, message: '', fix: null } } },
      lost('ServerUnreachable', 'the server does not answer: cut'),
    ],
    [
      'the supervisor can not start',
      { supervisor: 'starting', trouble: { reason: 'HomeMissing', message: 'its home /home/ana does not exist', fix: null } },
      lost('HomeMissing', 'its home /home/ana does not exist'),
    ],
    [
      'the line to the supervisor broke',
      { supervisor: 'starting', trouble: { reason: null, message: 'cut', fix: null } },
      lost('SupervisorStarting', 'the supervisor of ana is not up yet: cut'),
    ],
  ] as const)('%s', ([, changes, expected]) => {
    expect(unobservable(desired(away), observed(stopped(), changes), null)).toEqual(expected);
  });

  it.for([
    ['a session', { session: true }, stopped(), null],
    ['a document', { document: 'ligado' }, stopped(), null],
    ['somebody who asks', { intent: intent('stop') }, stopped(), null],
    ['an app that is wanted', {}, stopped({ wanted: true }), null],
    ['what was known last', {}, null, told('failed', 'Crashed')],
  ] as const)('%s needs the supervisor that is down', ([, changes, snapshot, memory]) => {
    const last = memory === null ? '' : '; last known: failed (Crashed)';
    const expected = { ...notUp, message: `${notUp.message}${last}` };
    expect(unobservable(desired({ ...away, ...changes }), observed(snapshot, { supervisor: 'down' }), memory)).toEqual(expected);
  });

  it.for([
    [
      'the last look',
      stopped({ reason: 'Idle' }),
      told('stopped', 'LastWindowClosed'),
      'Idle',
      'no connection was open for the time of its idle policy',
    ],
    ['what is remembered', null, told('stopped', 'LastWindowClosed'), 'LastWindowClosed', 'its last window was closed for two minutes'],
    ['no start', null, null, 'NeverStarted', 'was never started'],
  ] as const)('a supervisor that nothing needs leaves %s', ([, snapshot, memory, reason, message]) => {
    const expected = { saw: 'supervisorEnded', reason, message };
    expect(unobservable(desired(away), observed(snapshot, { supervisor: 'down' }), memory)).toEqual(expected);
  });

  it.for([
    ['the document that pinned it is gone', {}, 'PinnedStopped', 'StoppedByAdmin'],
    ['a document pins it', { document: 'desligado' }, 'Idle', 'PinnedStopped'],
    ['its package is there again', {}, 'Uninstalled', 'Reinstalled'],
    ['its package is gone', { manifest: null }, 'Idle', 'NotInstalled'],
  ] as const)('what is remembered of a stopped app is no longer true: %s', ([, changes, remembered, reason]) => {
    const sight = unobservable(desired({ ...away, ...changes }), observed(null, { supervisor: 'down' }), told('stopped', remembered));
    expect(sight).toMatchObject({ saw: 'supervisorEnded', reason });
  });
});

describe('an app that was never heard of', () => {
  it.for([
    [{}, null, 'NeverStarted', 'was never started'],
    [{ manifest: null }, null, 'NotInstalled', 'its package is not installed'],
    [{ document: 'desligado' }, null, 'PinnedStopped', 'a Backend document pins it stopped (estado: desligado)'],
    [{ manifest: null }, told('stopped', 'Idle'), 'NotInstalled', 'its package is not installed'],
    [{}, told('running', 'Probing'), 'SupervisorLost', 'it ended while no supervisor watched'],
    [{}, told('failed', 'Crashed'), 'NeverStarted', 'was never started'],
    [{}, told('stopped', 'NotInstalled'), 'NeverStarted', 'was never started'],
    [{}, told('stopped', 'PackageMissing'), 'NeverStarted', 'was never started'],
    [{}, told(null, 'Idle'), 'NeverStarted', 'was never started'],
  ] as const)('%#', ([changes, memory, reason, message]) => {
    expect(sees(null, memory, changes)).toEqual(['sawStopped', reason, message]);
  });
});

describe('an app that is stopped', () => {
  it.for([
    ['NeverStarted', 'was never started'],
    ['StoppedByPerson', 'the person stopped it'],
    ['StoppedByAdmin', 'an administrator stopped it'],
    ['LastWindowClosed', 'its last window was closed for two minutes'],
    ['Idle', 'no connection was open for the time of its idle policy'],
    ['HashChanged', 'other code was installed; the next start uses it'],
    ['PersonRemoved', 'the document of its person was removed'],
    ['NotInGroup', 'its person was in none of the groups that it was for'],
    ['Reinstalled', 'its package was removed and is there again; the next start uses it'],
    ['WishDeleted', 'its env file on the server was deleted'],
    ['EndedByItself', 'it was ended from within'],
    ['SupervisorLost', 'it ended while no supervisor watched'],
    ['NotInstalled', 'its package is not installed'],
    ['PackageMissing', 'its package is not installed'],
    ['Crashed', 'stopped: Crashed'],
  ] as const)('by %s: %s', ([reason, message]) => {
    expect(sees(stopped({ reason }))).toEqual(['sawStopped', reason, message]);
  });

  it.for([
    ['by a document that is gone', {}, stopped({ reason: 'PinnedStopped' }), 'StoppedByAdmin', 'an administrator stopped it'],
    [
      'by an administrator with a name',
      { stoppedBy: { requestId: 'q1', who: 'bia' } },
      stopped({ reason: 'StoppedByAdmin', requestId: 'q1' }),
      'StoppedByAdmin',
      'an administrator stopped it: bia',
    ],
    [
      'by an earlier request',
      { stoppedBy: { requestId: 'q2', who: 'bia' } },
      stopped({ reason: 'StoppedByAdmin', requestId: 'q1' }),
      'StoppedByAdmin',
      'an administrator stopped it',
    ],
    [
      'by the person since',
      { stoppedBy: { requestId: 'q1', who: 'bia' } },
      stopped({ reason: 'StoppedByPerson', requestId: 'q1' }),
      'StoppedByPerson',
      'the person stopped it',
    ],
    ['by a document', { document: 'desligado' }, stopped(), 'PinnedStopped', 'a Backend document pins it stopped (estado: desligado)'],
    [
      'for people of other groups',
      { manifest: null, packageKey: 'k', shutBy: ['editores'] },
      stopped({ reason: 'Idle' }),
      'NotInGroup',
      'ana is in none of the groups that it is for: editores',
    ],
    [
      'on a server that is drained',
      { drain: { server: 'sirius', deadlineMs: null } },
      stopped({ reason: 'Idle' }),
      'Drained',
      'sirius is taken out of use: nothing is started there',
    ],
    [
      'of somebody who goes to another server',
      { drain: { server: 'sirius', to: 'vega', deadlineMs: 1 } },
      stopped({ reason: 'Idle' }),
      'PersonMoves',
      'the apps of this person go from sirius to vega: nothing is started until they are there',
    ],
    ['with its package', { removing: true }, stopped({ reason: 'Uninstalled' }), 'Uninstalled', 'its package was removed'],
    [
      'with its package, which the server has',
      { manifest: null },
      stopped({ reason: 'Uninstalled' }),
      'Uninstalled',
      'its package was removed',
    ],
    ['without a package', { manifest: null }, stopped({ installed: null, reason: 'Idle' }), 'NotInstalled', 'its package is not installed'],
    [
      'without the package that a document wants',
      { manifest: null, document: 'ligado' },
      stopped({ installed: null }),
      'PackageMissing',
      'its package is not installed',
    ],
    ['without a package that the server sees', {}, stopped({ installed: null }), 'NeverStarted', 'was never started'],
    ['without a package that the portal sees', { manifest: null }, stopped(), 'NeverStarted', 'was never started'],
    ['with a reason of one that lives', {}, stopped({ reason: 'Healthy' }), 'SupervisorLost', 'it ended while no supervisor watched'],
    ['with a reason of one found', {}, stopped({ reason: 'Adopted' }), 'SupervisorLost', 'it ended while no supervisor watched'],
    ['with a reason of one that listens', {}, stopped({ reason: 'Listening' }), 'SupervisorLost', 'it ended while no supervisor watched'],
  ] as const)('%s', ([, changes, snapshot, reason, message]) => {
    expect(sees(snapshot, null, changes)).toEqual(['sawStopped', reason, message]);
  });
});

describe('an app without a process', () => {
  const step = { name: 'install', detail: 'npm ci', atMs: 0 } as const;
  const exit = (reason: 'Crashed' | 'OutOfMemory') => ({ code: 1, signal: null, reason, message: '', atMs: 0, lastLogLines: [] });
  it.for([
    ['is wanted', stopped({ wanted: true }), 'sawComing', 'StartRequested', 'wanted; its launch is under way'],
    ['starts', stopped({ state: 'starting', reason: 'StartRequested', message: 'm' }), 'sawComing', 'StartRequested', 'm'],
    ['runs by word', stopped({ state: 'running', reason: 'Healthy', message: 'm' }), 'sawComing', 'StartRequested', 'm'],
    ['is being set up', stopped({ state: 'starting', reason: 'StartRequested', step }), 'sawComing', 'SettingUp', 'npm ci'],
    ['failed', stopped({ state: 'failed', reason: 'Crashed', message: 'm' }), 'sawFailed', 'Crashed', 'm'],
    [
      'failed as it last ended',
      stopped({ state: 'failed', reason: 'Crashed', message: 'm', lastExit: exit('Crashed') }),
      'sawFailed',
      'Crashed',
      'm',
    ],
    [
      'failed otherwise than it last ended',
      stopped({ state: 'failed', reason: 'Crashed', message: 'm', lastExit: exit('OutOfMemory') }),
      'sawFailed',
      'Crashed',
      'm; last: OutOfMemory',
    ],
    ['ends', alive({ state: 'stopping', reason: 'StoppedByPerson', message: 'm' }), 'sawEnding', 'StoppedByPerson', 'm'],
    ['waits', stopped({ state: 'backoff', reason: 'Crashed', message: 'm' }), 'sawBackoff', 'Crashed', 'm'],
    ['is unknown', stopped({ state: 'unknown', reason: 'FilesUnreadable', message: 'm' }), 'sawNothing', 'FilesUnreadable', 'm'],
  ] as const)('that %s', ([, snapshot, ...expected]) => {
    expect(sees(snapshot)).toEqual(expected);
  });
});

describe('an app whose process lives', () => {
  type Start = NonNullable<BackendMemory['start']>;
  const context: Start['context'] = {
    pid: process.pid,
    startTicks: process.startTicks,
    sinceMs: 1_000,
    attempts: 3,
    answered: 3,
    code: null,
    nextAtMs: 0,
    listening: false,
  };
  const start = (value: Start['value'], changes: Partial<Start['context']> = {}): Start => ({ value, context: { ...context, ...changes } });
  const after = 'not ready after 15 probes';
  const gpu = { name: 'gpu', detail: 'waits for a GPU', atMs: 0 } as const;
  const job = { state: 'waiting', id: '7', place: 3, endsAtMs: null, words: 'PENDING' } as const;
  it.for([
    [
      'is seen by nobody',
      alive({ state: 'unknown', reason: 'FilesUnreadable', message: 'm' }),
      start('ready'),
      'sawNothing',
      'FilesUnreadable',
      'm',
    ],
    ['hangs', alive({ reason: 'NotAnswering', message: 'm' }), start('ready'), 'sawLiving', 'NotAnswering', 'm'],
    ['is suspended', alive({ reason: 'Suspended', message: 'm' }), start('ready'), 'sawLiving', 'Suspended', 'm'],
    ['is not probed yet', alive(), null, 'sawComing', 'SettingUp', 'the app is being set up'],
    ['is set up', alive({ step: gpu }), null, 'sawComing', 'SettingUp', 'waits for a GPU'],
    ['waits on a cluster', alive({ socket: 'absent', job }), null, 'sawComing', 'InQueue', 'in the queue of the cluster, place 3: PENDING'],
    [
      'begins on a cluster',
      alive({ socket: 'orphan', job: { ...job, state: 'running', place: null, words: 'no7' } }),
      null,
      'sawComing',
      'JobStarting',
      'runs on no7; its socket is not here yet',
    ],
    [
      'answers from a cluster after a long wait',
      alive({ job: { ...job, state: 'running' } }),
      start('ready', { attempts: 1, sinceMs: 99_999 }),
      'sawLiving',
      'Healthy',
      'answers its health probe with 0',
    ],
    ['answers', alive(), start('ready', { code: 204 }), 'sawLiving', 'Healthy', 'answers its health probe with 204'],
    ['answered before it was remembered', alive(), start('ready'), 'sawLiving', 'Healthy', 'answers its health probe with 0'],
    ['was found', alive(), start('ready', { attempts: 1, sinceMs: 900 + 15_001 }), 'sawLiving', 'Adopted', 'found running and answering'],
    [
      'was not found',
      alive(),
      start('ready', { attempts: 1, sinceMs: 900 + 15_000 }),
      'sawLiving',
      'Healthy',
      'answers its health probe with 0',
    ],
    [
      'took two probes',
      alive(),
      start('ready', { attempts: 2, sinceMs: 99_999 }),
      'sawLiving',
      'Healthy',
      'answers its health probe with 0',
    ],
    ['is probed', alive(), start('probing'), 'sawLiving', 'Probing', 'probe 3/15, no answer yet'],
    ['refuses', alive(), start('probing', { code: 0 }), 'sawLiving', 'Probing', 'probe 3/15, last code 000'],
    ['errs', alive(), start('probing', { code: 503 }), 'sawLiving', 'Probing', 'probe 3/15, last code 503'],
    ['never answered', alive(), start('slow'), 'sawLiving', 'SlowStart', after],
    ['wanted a sign-in', alive(), start('slow', { code: 401 }), 'sawLiving', 'AnswersError', `${after}: answers with an error (401)`],
    ['erred', alive(), start('slow', { code: 500 }), 'sawLiving', 'AnswersError', `${after}: answers with an error (500)`],
    ['listened', alive(), start('slow', { code: 0 }), 'sawLiving', 'SlowStart', `${after}: its socket listens but nothing answers`],
    [
      'listened elsewhere',
      alive({ socket: 'absent', tcpPorts: [80, 81] }),
      start('slow', { code: 0 }),
      'sawLiving',
      'BoundTcp',
      `${after}: it listens on TCP port 80, 81 instead of SVC_APP_SOCKET`,
    ],
    [
      'listened nowhere',
      alive({ socket: 'absent' }),
      start('slow', { code: 0 }),
      'sawLiving',
      'NeverBound',
      `${after}: it has not bound SVC_APP_SOCKET`,
    ],
  ] as const)('and that %s', ([, snapshot, at, ...expected]) => {
    const { saw, reason, message } = assess(desired(), observed(snapshot), null, at);
    expect([saw, reason, message]).toEqual(expected);
  });

  it('refused the token where the gate said so, in its last answer', () => {
    const probe = { pid: 41, attempt: 15, code: 403, byGate: true, atMs: 2_000 };
    const { reason, message } = assess(desired(), observed(alive(), { probe }), null, start('slow', { code: 403 }));
    expect([reason, message]).toEqual(['RefusesToken', `${after}: refuses the token (403)`]);
  });
});
