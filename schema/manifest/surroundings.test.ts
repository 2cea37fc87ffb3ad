import { expect, test } from 'vitest';
import { readJson } from '../positions/json.ts';
import type { Manifest } from './manifest.ts';
import { type Place, surroundingProblems, type Surroundings } from './surroundings.ts';

const good = { id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js' } } as const;
const complete: Place = { queue: 'on', gpu: 'present', systemd: 'possible', provided: new Set(['texto/v1']) };
const poor: Place = { queue: 'off', gpu: 'absent', systemd: 'absent', provided: new Set() };
const everything: Surroundings = { svcVersion: '1.2.3', place: complete, file: () => 'present' };

function found(change: Partial<Manifest>, surroundings: Partial<Surroundings> = {}): string[] {
  const manifest = { ...good, ...change } as Manifest;
  const { node } = readJson(JSON.stringify(manifest));
  return surroundingProblems(manifest, node!, { ...everything, ...surroundings }).map(({ code, path }) => `${code} ${path}`);
}

// Each alone: where it works, where it does not, and where nothing is known.
test.for<[Partial<Manifest>, string]>([
  [{ recursos: { fila: true } }, 'QUEUE_MISSING /recursos/fila'],
  [{ recursos: { gpu: { modo: 'necessaria' } } }, 'GPU_MISSING /recursos/gpu/modo'],
  [{ escopo: 'servidor', kind: 'service' }, 'SYSTEMD_MISSING /escopo'],
  [{ requires: ['texto/v1'] }, 'NOBODY_PROVIDES /requires/0'],
  [{ usa: ['texto/v1'] }, 'NOBODY_PROVIDES /usa/0'],
])('%j where it can not work: %s', ([change, expected]) => {
  expect(found(change, { place: poor })).toEqual([expected]);
  expect(found(change)).toEqual([]);
  expect(found(change, { place: null })).toEqual([]);
});

test('what an app does without is not warned about, nor what is not known', () => {
  expect(found({ recursos: { gpu: { modo: 'opcional' }, salas: true, metricas: true } }, { place: poor })).toEqual([]);
  const unknown: Place = { ...poor, gpu: 'unknown', provided: null };
  expect(found({ recursos: { gpu: { modo: 'necessaria' } }, requires: ['texto/v1'] }, { place: unknown })).toEqual([]);
  // Its own offer satisfies what it requires, as for the installer.
  expect(found({ requires: ['texto/v1'], provides: ['texto/v1'] }, { place: poor })).toEqual([]);
});

test('a newer svc than this one is needed', () => {
  expect(found({ minShellVersion: '1.3' })).toEqual(['NEEDS_NEWER_SVC /minShellVersion']);
  expect(found({ minShellVersion: '1.2' })).toEqual([]);
});

test('files that are not there; those that can not be looked at and what installCommand makes are not called absent', () => {
  const change = { icon: 'a.svg', contributes: { settings: 's.js' } } as const;
  const absent: Partial<Surroundings> = { file: () => 'absent' };
  expect(found(change, absent)).toEqual([
    'FILE_NOT_HERE /icon',
    'FILE_NOT_HERE /contributes/settings',
    'FILE_NOT_HERE /backend/entrypoint',
  ]);
  expect(found(change, { file: (): 'unknown' => 'unknown' })).toEqual([]);
  expect(found({ backend: { ...good.backend, installCommand: 'make' } }, absent)).toEqual([]);
});
