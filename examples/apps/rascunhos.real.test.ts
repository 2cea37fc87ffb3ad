/** Tests the drafts that Rascunhos keeps when its last window closes. Decision: docs/decisions/0207-tabs-of-a-window.md */
import { afterAll, afterEach, expect, test } from 'vitest';
import { cleanUp } from '../../sdk/testing/runtimes.ts';
import { launch, ready } from '../testing/launch.ts';

afterEach(cleanUp);
afterAll(cleanUp);

const aba = (id: string, ativa = false) => ({ id, titulo: id, ativa, janela: 1 });

test('loses what the person closed when the last window closes, keeps the rest in the order of the tabs, also after a restart', async () => {
  const app = await ready(launch('apps', 'rascunhos'));
  const put = async (id: string, fechado = false) => (await app.json('PUT', `/api/rascunhos/${id}`, { texto: id, fechado })).status;
  for (const id of ['um', 'dois', 'tres', 'quatro']) expect(await put(id)).toBe(200);
  expect(await put('dois', true)).toBe(200);
  expect(await app.json('POST', '/close-tabs', { abas: [aba('tres'), aba('um', true), aba('outro')] })).toMatchObject({
    status: 200,
    value: { rascunhos: 3 },
  });
  app.process.kill('SIGKILL');
  await app.ended;
  const again = await ready(launch('apps', 'rascunhos', { home: app.home }));
  expect((await again.json('GET', '/api/rascunhos')).value).toEqual({
    ativa: 'um',
    rascunhos: [
      { id: 'tres', texto: 'tres', fechado: false },
      { id: 'um', texto: 'um', fechado: false },
      // The tab of a window that closed before its page was there.
      { id: 'quatro', texto: 'quatro', fechado: false },
    ],
  });
  for (const body of [{ texto: 7 }, { texto: 'x'.repeat(100_001) }, null])
    expect((await again.json('PUT', '/api/rascunhos/um', body)).status).toBe(400);
  for (const body of [{}, { abas: 'um' }, { abas: [{}] }, []]) expect((await again.json('POST', '/close-tabs', body)).status).toBe(400);
  expect((await again.json('GET', '/api/rascunhos')).value.rascunhos).toHaveLength(3);
});
