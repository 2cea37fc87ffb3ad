/** Checks of the doctor on a server and through its sshd, over a real one. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createConnections, type Connections } from '../../controller/hosts/ssh/connections.ts';
import { forwardsSockets } from '../../controller/hosts/ssh/forwarding.ts';
import { createServerAdmin, type ServerAdmin } from '../../controller/hosts/server/admin.ts';
import { freePort, repository, until } from '../support/portal.ts';
import { createSshWorld, sshHostOptions, type SshWorld } from './world.ts';

let world: SshWorld;
let connections: Connections;
let admin: ServerAdmin;
beforeAll(async () => {
  world = await createSshWorld({ accounts: 2, apps: ['relogio'], url: 'localhost' });
  const root = join(world.sshd.dir, 'server');
  mkdirSync(join(root, 'opt/svc'), { recursive: true });
  symlinkSync(world.sshd.kit, join(root, 'opt/svc/current'));
  connections = createConnections(sshHostOptions(world.sshd));
  admin = createServerAdmin({
    server: 'sirius',
    admin: 'root',
    runner: connections.admin(),
    forwards: (account, node) => forwardsSockets(connections.of(account), node),
    publicKey: async () => null,
    publicKeyAt: '',
    hurry: () => undefined,
    close: () => connections.close(),
    scripts: join(repository, 'kit/server'),
    clock: systemClock,
    root,
  });
}, 120_000);
afterAll(async () => {
  admin?.close();
  await world?.stop();
});

test('the portal is asked from the server, at the very URL that backends get', async () => {
  expect(await admin.askPortal(`http://${world.host}`)).toBe('ok');
  expect(await admin.askPortal(`http://localhost:${await freePort()}`)).toBe('ECONNREFUSED');
  expect(await admin.askPortal(`http://127.0.0.1:${world.port}`)).toBe('WRONG_HOST');
  expect(await admin.askPortal("http://nao.existe.invalid:8787/'; reboot #")).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
});

test('an sshd that forwards to no sockets, for all or for one account, is told apart from a socket that nobody listens on', async () => {
  const [ana, bia] = world.sshd.accounts.map(({ name }) => name) as [string, string];
  expect(await admin.unforwarded([ana, bia])).toEqual([]);
  const again = async (config: readonly string[]): Promise<void> => {
    await world.sshd.halt();
    await world.sshd.resume(config);
    connections.of(ana).hurry();
    connections.of(bia).hurry();
  };
  // A Match block ends with the file that it stands in.
  writeFileSync(join(world.sshd.dir, 'bia.conf'), `Match User ${bia}\n  AllowStreamLocalForwarding no\n`);
  await again([`Include ${join(world.sshd.dir, 'bia.conf')}`]);
  await until('a connection again', async () => (await admin.unforwarded([ana, bia])).includes(bia));
  expect(await admin.unforwarded([ana, bia])).toEqual([bia]);
  await again(['AllowStreamLocalForwarding no']);
  await until('a connection again', async () => (await admin.unforwarded([ana, bia])).length === 2);
});
