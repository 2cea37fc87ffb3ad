/** `GET /api/admin/portal-usage`, which `svc top --portal` shows. */
import { expect, test } from 'vitest';
import { createPortalWorld } from '../testing/portal-world.ts';

test('says who took what: the desktop of a person, each app of theirs, and what is open', async ({ onTestFinished }) => {
  const own = await createPortalWorld();
  onTestFinished(() => own.close());
  await own.world.backend('ana', 'notas').start();
  const ana = await own.signedIn('ana');
  for (let n = 0; n < 3; n += 1) await ana.call('GET', '/api/sessao');
  await ana.visit(`http://${own.appHost('notas')}/`);
  const socket = ana.socket('/ws/events');
  await new Promise((resolve) => socket.once('open', resolve));
  const { pessoas } = (await own.control('GET', '/api/admin/portal-usage')).json() as { pessoas: readonly Record<string, unknown>[] };
  expect(pessoas).toContainEqual(expect.objectContaining({ person: 'ana', app: null, recusados: 0, abertas: 1, terminais: 0 }));
  expect(pessoas).toContainEqual(expect.objectContaining({ person: 'ana', app: 'notas', abertas: 0 }));
  expect(pessoas.find(({ app }) => app === null)?.['pedidos']).toBeGreaterThanOrEqual(3);
  socket.terminate();
});
