import { describe, expect, test } from 'vitest';
import type { Reason } from '../../schema/backend.ts';
import { faceOf, type PanelState } from './panel-face.ts';

const state = (changes: Partial<PanelState>): PanelState => ({
  name: 'Notas',
  status: 'stopped',
  ready: false,
  reason: 'NeverStarted',
  message: '',
  wanted: false,
  pinned: false,
  escopo: 'pessoa',
  lastExit: null,
  step: null,
  retryAfterMs: 1_000,
  log: '',
  ...changes,
});
const exit = (reason: Reason, code: number | null = 1): PanelState['lastExit'] => ({
  code,
  signal: code === null ? 'SIGKILL' : null,
  atMs: 1,
  reason,
});

describe('the title and the cause of a failure', () => {
  test.for([
    ['failed', 'TooManyFailures', exit('Crashed'), 'crashed', 'Crashed'],
    ['failed', 'TooManyFailures', exit('OutOfMemory', null), 'crashed', 'OutOfMemory'],
    ['failed', 'TooManyFailures', exit('ExitedAtOnce'), 'notStarted', 'ExitedAtOnce'],
    ['failed', 'TooManyFailures', null, 'notStarted', 'TooManyFailures'],
    ['failed', 'InvalidManifest', exit('Crashed'), 'notStarted', 'InvalidManifest'],
    ['backoff', 'Crashed', exit('Crashed'), 'crashedAgain', 'Crashed'],
    ['backoff', 'ExitedAtOnce', exit('ExitedAtOnce'), 'notStartedYet', 'ExitedAtOnce'],
    ['running', 'BACKEND_TIMEOUT', exit('Crashed'), 'running', 'BACKEND_TIMEOUT'],
    ['running', 'NotAnswering', null, 'running', 'NotAnswering'],
    // "Answering" is no cause of a failure.
    ['running', 'Healthy', null, 'opening', ''],
    ['running', 'Adopted', exit('Crashed'), 'opening', ''],
  ] as const)('%s, %s', ([status, reason, lastExit, title, cause]) => {
    expect(faceOf(state({ status, reason, lastExit }))).toMatchObject({ title, cause });
  });

  test('the exit is of interest only while the app is down for it', () => {
    expect(faceOf(state({ status: 'failed', lastExit: exit('Crashed', 3) })).exit).toEqual({ code: 3, signal: null });
    expect(faceOf(state({ status: 'backoff', lastExit: exit('OutOfMemory', null) })).exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(faceOf(state({ status: 'stopped', lastExit: exit('Crashed', 3) })).exit).toBeNull();
    expect(faceOf(state({ status: 'failed', lastExit: { ...exit('NeverBound')!, code: null, signal: null } })).exit).toBeNull();
  });
});

describe('the buttons', () => {
  test.for([
    ['stopped', {}, ['iniciar']],
    ['failed', { wanted: true }, ['iniciar']],
    ['backoff', { wanted: true }, ['iniciar', 'parar']],
    ['starting', { wanted: true }, ['parar']],
    ['stopping', { wanted: true }, []],
    ['running', { wanted: true }, ['deNovo', 'parar']],
    ['running', { wanted: true, pinned: true }, ['deNovo']],
    ['unknown', { wanted: true }, ['deNovo']],
    ['stopped', { reason: 'PinnedStopped' }, ['deNovo']],
    ['stopped', { reason: 'Drained' }, ['deNovo']],
    ['failed', { escopo: 'servidor' }, ['deNovo']],
  ] as const)('of an app that is %s %o', ([status, changes, buttons]) => {
    expect(faceOf(state({ status, ...changes })).buttons).toEqual(buttons);
  });
});
