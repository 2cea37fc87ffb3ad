import { describe, expect, test } from 'vitest';
import { readReply, readSupervisorLine } from './supervisor-lines.ts';

const snapshot = {
  app: 'notas',
  state: 'running',
  reason: 'Healthy',
  message: '',
  sinceMs: 1,
  wanted: true,
  pinned: false,
  requestId: 'q1',
  installed: { version: '1.0.0', hash: 'a'.repeat(64), scope: 'sistema' },
  process: { pid: 7, startTicks: 8, bootId: 'b', startedAtMs: 9, hash: null },
  socket: 'listening',
  tcpPorts: [],
  step: { name: 'socket', detail: '', atMs: 3 },
  failures: 0,
  nextAttemptAtMs: null,
  restarts: 1,
  lastExit: { code: 1, signal: null, atMs: 2, reason: 'Crashed', lastLogLines: ['ai'] },
  connections: 0,
  idleDeadlineMs: null,
  contained: false,
  containedReason: 'no manager',
  secrets: { declared: 2, missing: ['API_KEY'], restartNeeded: true },
  gpu: { modo: 'opcional', concedida: false, motivo: 'não há placa gráfica neste servidor' },
};
const push = (over: object): string => JSON.stringify({ event: 'app', snapshot: { ...snapshot, ...over } });

describe('lines of a supervisor', () => {
  test('a whole snapshot passes', () => {
    expect(readSupervisorLine(push({}))).toEqual({ kind: 'push', push: { event: 'app', snapshot } });
  });

  test.for(Object.keys(snapshot))('a snapshot without %s is refused', (field) => {
    expect(() => readSupervisorLine(push({ [field]: undefined }))).toThrowError(expect.objectContaining({ code: 'SUPERVISOR_PROTOCOL' }));
  });

  test.for([
    ['no JSON', 'hello'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a field too many', push({ extra: 1 })],
    ['an unknown state', push({ state: 'dreaming' })],
    ['an unknown reason', push({ reason: 'Because' })],
    ['an app id that is a path', push({ app: '../x' })],
    ['a pid that is text', push({ process: { ...snapshot.process, pid: '7' } })],
    ['a pid of 0', push({ process: { ...snapshot.process, pid: 0 } })],
    ['21 log lines', push({ lastExit: { ...snapshot.lastExit, lastLogLines: Array.from({ length: 21 }, String) } })],
    ['an unknown push', '{"event":"party"}'],
    ['an id that is text', '{"id":"1","ok":true}'],
    ['no verdict', '{"id":1}'],
    ['an error without code', '{"id":1,"ok":false,"error":{"message":"x"}}'],
    ['an error with more beside', '{"id":1,"ok":false,"error":{"code":"X","message":"x"},"token":"y"}'],
  ])('%s is refused', ([, line]) => {
    expect(() => readSupervisorLine(line ?? '')).toThrowError(expect.objectContaining({ code: 'SUPERVISOR_PROTOCOL' }));
  });

  test('a reply has to be that of its op', () => {
    expect(readReply('token', { token: null })).toEqual({ token: null });
    expect(() => readReply('token', { token: 7 })).toThrowError(expect.objectContaining({ code: 'SUPERVISOR_PROTOCOL' }));
    expect(() => readReply('hello', { accepted: true })).toThrowError(expect.objectContaining({ code: 'SUPERVISOR_PROTOCOL' }));
    expect(readReply('subscribe', { apps: [snapshot] })).toEqual({ apps: [snapshot] });
  });

  test('the message of a refusal never repeats the line', () => {
    const secret = 'S3CRET'.repeat(10);
    expect(() => readReply('token', { tokem: secret })).toThrowError(
      expect.not.objectContaining({ message: expect.stringContaining(secret) as string }),
    );
  });
});
