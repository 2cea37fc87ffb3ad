import { expect, test } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { Desk } from './desk.ts';
import { personHandlers } from './person-verbs.ts';

const card = { dispositivo: '/dev/dri/renderD128', fornecedor: 'NVIDIA', modelo: 'T4', driver: 'nvidia' };
const granted = { modo: 'opcional', concedida: true, motivo: 'NVIDIA T4', dispositivos: [card] } as const;
const estado = (app: Partial<AppProjection>): unknown => {
  const desk = { windows: { find: () => ({ app: 'placa' }) }, apps: { find: () => app } } as unknown as Desk;
  return personHandlers(() => desk)['gpu.estado']('w1', {}, new AbortController().signal);
};

test('the page hears of a card while the backend that was given it runs, and of none otherwise', () => {
  expect(estado({ gpuVerdict: granted, pid: 7, stale: false })).toEqual({ declarada: true, ...granted });
  const none = { declarada: true, modo: 'opcional', concedida: false, dispositivos: [] };
  expect(estado({ gpuVerdict: granted, pid: null, stale: false })).toEqual({ ...none, motivo: 'o app não está em execução' });
  expect(estado({ gpuVerdict: granted, pid: 7, stale: true })).toEqual({ ...none, motivo: 'o servidor do app não responde agora' });
  const refused = { ...granted, concedida: false, motivo: 'em uso por outro app', dispositivos: [] };
  expect(estado({ gpuVerdict: refused, pid: 7, stale: false })).toEqual({ ...none, motivo: 'em uso por outro app' });
  expect(estado({ gpuVerdict: null, pid: 7, stale: false })).toMatchObject({ declarada: false, modo: null, concedida: false });
});
