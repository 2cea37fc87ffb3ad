import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MetricsAvailable } from '../../schema/wire/metrics.ts';
import { ApiError } from '../session/api.ts';
import type { Desk } from './desk.ts';
import { metricHandlers } from './metric-verbs.ts';

// Node has no window that is left.
beforeEach(() => void vi.stubGlobal('addEventListener', () => undefined));
afterEach(() => void vi.unstubAllGlobals());

const desk = { windows: { find: () => ({ app: 'placa' }) } } as unknown as Desk;
const ask = async (answer: () => Promise<MetricsAvailable>): Promise<unknown> =>
  await metricHandlers(() => desk, answer)['metricas.disponivel']('w1', {}, new AbortController().signal);

test('the page hears what the portal says of the manifest', async () => {
  const unread = { disponivel: false, motivo: 'ainda não se sabe', codigo: 'NAO_LIDO' } as const;
  expect(await ask(async () => await Promise.resolve(unread))).toEqual(unread);
});

test.for([
  [0, 'OFFLINE'],
  [503, 'SERVER_UNREACHABLE'],
] as const)('a portal that does not answer (%i) is no manifest without metrics', async ([status, code]) => {
  expect(await ask(async () => await Promise.reject(new ApiError(status, code, 'x')))).toMatchObject({
    disponivel: false,
    codigo: 'SEM_REDE',
  });
});

test('a refusal for another reason is none of the manifest: the page hears its code, and nothing is raised', async () => {
  expect(await ask(async () => await Promise.reject(new ApiError(403, 'CROSS_ORIGIN', 'x')))).toEqual({
    disponivel: false,
    motivo: 'x',
    codigo: 'CROSS_ORIGIN',
  });
});
