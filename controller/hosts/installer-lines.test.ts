import { expect, test } from 'vitest';
import { errorKinds } from '../../schema/errors.ts';
import type { InstallEvent } from '../../schema/install-events.ts';
import { createInstallerLines } from './installer-lines.ts';

const done = { event: 'done', result: 'installed', app: 'notas', scope: 'sistema', version: '1.0.0', hash: null, before: null, ended: 0 };

/** Returns what these lines lead to: the events that went on, and the outcome or the code of its error. */
function after(lines: readonly (string | object)[], aborted = false): { events: readonly InstallEvent[]; outcome: unknown } {
  const events: InstallEvent[] = [];
  const read = createInstallerLines((event) => events.push(event));
  for (const line of lines) read.take(typeof line === 'string' ? line : JSON.stringify(line));
  try {
    return { events, outcome: read.outcome('exit code 1: said', aborted) };
  } catch (error) {
    return { events, outcome: (error as { code?: string }).code };
  }
}

test('events go on as they come, the last word is kept', () => {
  const step = { event: 'step', step: 'swap' };
  const download = { event: 'download', nome: 'm', versao: '1', bytes: 5, total: 9, etaMs: null };
  expect(after([step, download, done])).toEqual({ events: [step, download], outcome: done });
});

test.for([
  ['a greeting of the shell', 'Bem-vindo'],
  ['another event', { event: 'rm', path: '/' }],
  ['a number that is none', { event: 'download', nome: 'm', versao: '1', bytes: '5', total: 9, etaMs: null }],
  ['an app that is a path', { ...done, app: '../x' }],
  ['a list', '[]'],
] as const)('%s is passed over', ([, line]) => {
  expect(after([line])).toEqual({ events: [], outcome: 'INSTALLER_DIED' });
});

test.for([
  ['DISK_FULL', 'DISK_FULL'],
  ['HOST_OWNED', 'INTERNAL'],
  ['toString', 'INTERNAL'],
] as const)('the error %s is told as %s', ([code, told]) => {
  expect(after([{ event: 'error', code, message: 'm', details: {} }]).outcome).toBe(told);
});

test('nothing said: cancelled when it was; otherwise it was killed, which is worth another try', () => {
  expect([after([], true).outcome, after([]).outcome]).toEqual(['CANCELLED', 'INSTALLER_DIED']);
  expect(errorKinds.INSTALLER_DIED.retry).toBe('transient');
});
