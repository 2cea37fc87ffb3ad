/** When the proxy has a way to a backend, by what its supervisor and the probes say. */
import { expect, test } from 'vitest';
import type { ProbeResult } from '../../reconcilers/backend-types.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import type { BackendEntry } from '../entries.ts';
import type { Context } from '../context.ts';
import { appCommands } from './apps.ts';

function hasRoute({ socket, state }: Pick<AppSnapshot, 'socket' | 'state'>, probe: Pick<ProbeResult, 'pid' | 'code'> | null): boolean {
  const snapshot = { socket, state, process: { pid: 7, startTicks: 8, bootId: 'b', startedAtMs: 0, hash: null } };
  const server = { groupsOf: new Map(), host: { directSocketPath: (socketPath: string) => socketPath } };
  const person = {
    link: { snapshot: () => snapshot },
    place: { root: '/r' },
    account: 'ana',
    server,
    packages: new Map(),
    backends: new Map(),
  };
  const entry = { app: 'notas', person, token: { value: 't', serial: 1, process: null }, probe } as unknown as BackendEntry;
  person.backends.set('notas', entry);
  const context = { entries: { people: new Map([['ana', person]]) }, options: {} } as unknown as Context;
  return appCommands(context).route('ana', 'notas') !== null;
}

test.for([
  [true, 'listening', 'running', null],
  // The supervisor did not check the socket yet.
  [true, 'absent', 'starting', { pid: 7, code: 200 }],
  [true, 'orphan', 'starting', { pid: 7, code: 200 }],
  [false, 'absent', 'starting', { pid: 7, code: 0 }],
  [false, 'absent', 'starting', { pid: 6, code: 200 }],
  [false, 'absent', 'starting', null],
  // Its socket was lost.
  [false, 'absent', 'running', { pid: 7, code: 200 }],
  [false, 'listening', 'stopping', { pid: 7, code: 200 }],
] as const)('route %s: socket %s, %s, probe %o', ([expected, socket, state, probe]) => {
  expect(hasRoute({ socket, state }, probe)).toBe(expected);
});
