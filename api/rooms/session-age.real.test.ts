/** Somebody who took a ticket and has no page open: the socket in the room ends with the session's age all the same. */
import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../auth/limits.ts';
import { startRelay } from '../../test/support/relay-world.ts';
import { connect } from '../../test/support/room-client.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld } from '../testing/portal-world.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

test('a socket in a room ends with its session, though nobody looks; one of a session that is used stays', async () => {
  const clock = createManualClock();
  const { relay, close } = await startRelay();
  ends.push(close);
  const world = await createPortalWorld({ clock, relay });
  ends.push(world.close);
  const [ana, bia] = await Promise.all([world.signedIn('ana'), world.signedIn('bia')]);
  const { id } = (await ana.call('POST', '/api/salas?app=notas', { nome: 'Atas' })).json() as { id: string };
  await ana.call('PUT', `/api/salas/${id}/pessoas/bia?app=notas`, { papel: 'editar' });
  const enter = async (browser: typeof ana) => {
    const { bilhete, caminho } = (await browser.call('POST', `/api/salas/${id}/bilhete?app=notas`, {})).json() as Record<string, string>;
    const client = connect(`ws://127.0.0.1:${world.port}${caminho}/documento`, bilhete!, { host: world.host });
    ends.push(async () => client.end());
    await client.synced;
    return client;
  };
  const [theirs, hers] = [await enter(ana), await enter(bia)];
  clock.advance(limits.sessionMs - 60_000);
  expect((await bia.call('GET', '/api/salas?app=notas')).status).toBe(200);
  expect(theirs.ws.readyState).toBe(theirs.ws.OPEN);
  clock.advance(120_000);
  expect(await theirs.closed).toBe(1013);
  await vi.waitFor(() => expect(relay.figures().sockets).toBe(1));
  expect(hers.ws.readyState).toBe(hers.ws.OPEN);
});
