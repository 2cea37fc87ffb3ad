/** What Rascunhos keeps when its last window closes. Decision: docs/decisions/0207-tabs-of-a-window.md */
import { afterAll, afterEach, expect, test } from 'vitest';
import { cleanUp } from '../../sdk/testing/runtimes.ts';
import { launch, ready } from '../testing/launch.ts';

afterEach(cleanUp);
afterAll(cleanUp);

const aba = (id: string, ativa = false) => ({ id, titulo: id, ativa, janela: 1 });

test('keeps the drafts whose tabs were open when the last window closed, in their order, also after a restart', async () => {
  const app = await ready(launch('apps', 'rascunhos'));
  for (const id of ['um', 'dois', 'tres']) expect((await app.json('PUT', `/api/rascunhos/${id}`, { texto: id })).status).toBe(200);
  expect(await app.json('POST', '/close-tabs', { abas: [aba('tres'), aba('um', true), aba('outro')] })).toMatchObject({
    status: 200,
    value: { rascunhos: 2 },
  });
  app.process.kill('SIGKILL');
  await app.ended;
  const again = await ready(launch('apps', 'rascunhos', { home: app.home }));
  expect((await again.json('GET', '/api/rascunhos')).value).toEqual({
    ativa: 'um',
    rascunhos: [
      { id: 'tres', texto: 'tres' },
      { id: 'um', texto: 'um' },
    ],
  });
  for (const body of [{ texto: 7 }, { texto: 'x'.repeat(100_001) }, null])
    expect((await again.json('PUT', '/api/rascunhos/um', body)).status).toBe(400);
  for (const body of [{}, { abas: 'um' }, { abas: [{}] }, []]) expect((await again.json('POST', '/close-tabs', body)).status).toBe(400);
  expect((await again.json('GET', '/api/rascunhos')).value.rascunhos).toHaveLength(2);
});
