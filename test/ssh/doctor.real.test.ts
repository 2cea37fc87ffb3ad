/** What the doctor of a server asks on it and through its sshd, over a real one. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createConnections, type Connections } from '../../controller/hosts/ssh/connections.ts';
import { createServerAdmin, type ServerAdmin } from '../../controller/servers/admin.ts';
import { freePort, repository } from '../support/portal.ts';
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
    publicKey: async () => null,
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
  expect(await admin.askPortal("http://nao.existe.invalid:1/'; reboot #")).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
});
