import { afterEach, expect, test } from 'vitest';
import type { JobView } from '../../schema/wire/jobs.ts';
import { language } from '../i18n/i18n.ts';
import { jobName, progressOf, reasonLine, sayChanges, sayDuration, sayOff, stateText } from './words.ts';

afterEach(() => language.set('pt'));

const job = (fields: Partial<JobView>): JobView =>
  ({
    id: 'j1',
    nome: 'soma',
    comando: ['bash'],
    estado: 'a-correr',
    motivo: 'JobRunning',
    lugar: null,
    codigo: null,
    progresso: null,
    ...fields,
  }) as JobView;

test.for([
  ['pt', { estado: 'em-espera', motivo: 'JobHeld', lugar: 3 }, 'Em espera', 'Esperando a vez · 3º na fila'],
  ['en', { estado: 'em-espera', motivo: 'JobHeld', lugar: 3 }, 'Waiting', 'Waiting for its turn · place 3'],
  ['pt', { estado: 'a-correr', motivo: 'JobRunning' }, 'Em execução', ''],
  ['pt', { estado: 'falhou', motivo: 'CommandFailed', codigo: 3 }, 'Falhou', 'O comando falhou · código 3'],
  ['pt', { estado: 'terminado', motivo: 'JobDone', codigo: 0 }, 'Terminado', ''],
  // Never shown as failed.
  ['pt', { estado: 'desconhecido', motivo: 'ClusterUnreachable' }, 'Desconhecido', 'O cluster não responde'],
  ['en', { estado: 'desconhecido', motivo: 'ClusterUnreachable' }, 'Unknown', 'The cluster does not answer'],
] as const)('in %s %j is %s: %s', ([name, fields, state, reason]) => {
  language.set(name);
  expect([stateText(job(fields)), reasonLine(job(fields))]).toEqual([state, reason]);
});

test.for([
  [{ nome: 'soma' }, 'soma'],
  [{ nome: '', comando: ['python3', 'a\nb.py'] }, 'python3 a b.py'],
  [{ nome: '', comando: ['x'.repeat(80)] }, `${'x'.repeat(59)}…`],
  [{ nome: '', comando: ['\u202e'] }, 'j1'],
] as const)('%j is called %s', ([fields, name]) => {
  expect(jobName(job(fields))).toBe(name);
});

test('progress is said while it runs, within its bounds', () => {
  expect(progressOf(job({ progresso: 0.5 }))).toBe(0.5);
  expect(progressOf(job({ progresso: 7 }))).toBe(1);
  expect(progressOf(job({ progresso: 0.5, estado: 'terminado' }))).toBeNull();
  expect(progressOf(job({}))).toBeNull();
});

test('up to three changes are said one by one', () => {
  expect(sayChanges([job({ estado: 'terminado' }), job({ nome: 'b', estado: 'falhou' })])).toBe('soma: Terminado. b: Falhou');
  expect(sayChanges(Array.from({ length: 4 }, () => job({})))).toBe('4 trabalhos mudaram de estado');
});

test('times in the largest unit that fits, and why the queue is off', () => {
  expect([3_600, 90, 172_800].map(sayDuration)).toEqual(['1 hora', '90 segundos', '2 dias']);
  expect(sayOff({ codigo: 'DESLIGADA', motivo: 'x' })).toContain('desligada');
  expect(sayOff({ codigo: 'NEWER', motivo: 'porque sim' })).toBe('porque sim');
});
