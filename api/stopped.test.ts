/** Connections of an app end with it, also where a left process still holds its end. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { createPortalWorld, type Browser, type PortalWorld } from './testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;

beforeAll(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
  for (const app of ['notas', 'relogio']) {
    await portal.world.backend('ana', app).start();
    await ana.visit(`http://${portal.appHost(app)}/`);
  }
});
afterAll(() => portal.close());

async function tunnel(app: string): Promise<WebSocket> {
  const host = portal.appHost(app);
  const socket = ana.socket('/socket', { host, origin: portal.url, cookie: ana.cookies.get(host) ?? '' });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

test.for(['stopped', 'failed'] as const)('the tunnels of an app that is %s are closed, those of others are not', async (status) => {
  const [own, other] = [await tunnel('notas'), await tunnel('relogio')];
  const closed = new Promise((resolve) => own.once('close', resolve));
  portal.world.backend('ana', 'notas').become(status, 'StoppedByPerson');
  await closed;
  other.send('still here');
  expect(String(await new Promise((resolve) => other.once('message', resolve)))).toBe('still here');
  other.close();
  await portal.world.backend('ana', 'notas').start();
});
