/** The one connection to an account, against an sshd in memory that opens sessions on demand of the test. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type ServerChannel } from 'ssh2';
import { expect, test, vi } from 'vitest';
import { createSimulatedClock } from '../../clock/simulated.ts';
import { limits } from '../limits.ts';
import { hostKeyOf } from './connect.ts';
import { createSshConnection } from './connection.ts';

import { publicKeyOf } from './credential.ts';
import { newKey } from './portal-key.ts';

/** Opens a session for every command but `slow`. */
async function startServer() {
  const privateKey = Buffer.from(newKey());
  const [slow, opened] = [[] as string[], [] as ServerChannel[]];
  let [signIns, connected] = [0, 0];
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => context.accept());
    client.on('ready', () => {
      [signIns, connected] = [signIns + 1, connected + 1];
    });
    client.on('close', () => (connected -= 1));
    client.on('session', (acceptSession) => {
      acceptSession().on('exec', (accept, _reject, { command }) => {
        if (command.includes('slow')) slow.push(command);
        else {
          const channel = accept();
          channel.write(`${/svc-begins-[0-9a-f]+/.exec(command)?.[0]}\n`);
          opened.push(channel);
        }
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const publicKey = publicKeyOf({ kind: 'key', privateKey })?.split(' ')[1] ?? '';
  const { port } = server.address() as AddressInfo;
  const target = { host: '127.0.0.1', port, hostKey: hostKeyOf(Buffer.from(publicKey, 'base64')).fingerprint };
  return { target, privateKey, slow, opened, signIns: () => signIns, connected: () => connected, close: () => server.close() };
}

test('a connection that is renewed signs in anew, and what is open on the one before goes on', async () => {
  const server = await startServer();
  const connection = createSshConnection({
    target: server.target,
    account: 'ana',
    credential: async () => ({ kind: 'key', privateKey: server.privateKey }),
    clock: createSimulatedClock(0),
    gate: (work) => work(),
    onUp: () => undefined,
    onLost: () => undefined,
  });
  const heard: string[] = [];
  const talk = (word: string) => connection.run({ argv: [word], msMax: 60_000, onLine: (line) => heard.push(line) });
  const first = talk('first');
  await expect.poll(() => server.opened.length).toBe(1);
  connection.renew();
  expect(connection.isUp()).toBe(false);
  const second = talk('second');
  await expect.poll(() => server.opened.length).toBe(2);
  expect(server.signIns()).toBe(2);
  server.opened[0]?.write('still here\n');
  await vi.waitFor(() => expect(heard).toEqual(['still here']));
  // The one that nothing is open on any more ends at once.
  server.opened[1]?.exit(0);
  server.opened[1]?.end();
  expect((await second).code).toBe(0);
  connection.renew();
  await expect.poll(server.connected).toBe(1);
  connection.close();
  expect((await Promise.allSettled([first])).map(({ status }) => status)).toEqual(['rejected']);
  server.close();
});

test('a session that is slow to open says nothing of how many there may be', async () => {
  const server = await startServer();
  const clock = createSimulatedClock(0);
  const connection = createSshConnection({
    target: server.target,
    account: 'ana',
    credential: async () => ({ kind: 'key', privateKey: server.privateKey }),
    clock,
    gate: (work) => work(),
    onUp: () => undefined,
    onLost: () => undefined,
  });
  const msMax = 60 * 60_000;
  const heard: string[] = [];
  const talking = connection.run({ argv: ['talk'], msMax, onLine: (line) => heard.push(line) });
  await expect.poll(() => server.opened.length).toBe(1);
  const slow = connection.run({ argv: ['slow'], msMax }).catch((error: unknown) => error);
  await expect.poll(() => server.slow.length).toBe(1);
  // The server lives: what it says meanwhile keeps the connection.
  server.opened[0]?.write('still here\n');
  await vi.waitFor(() => expect(heard).toEqual(['still here']));
  clock.advance(limits.dialMsMax);
  expect(await slow).toMatchObject({ code: 'TIMEOUT' });
  const more = Array.from({ length: limits.sshSessionsPerConnectionMax }, () => connection.run({ argv: ['hold'], msMax }));
  await expect.poll(() => server.opened.length).toBe(limits.sshSessionsPerConnectionMax);
  connection.close();
  expect((await Promise.allSettled([talking, ...more])).every(({ status }) => status === 'rejected')).toBe(true);
  server.close();
});
