/** Accounts as directories name them (`ana.souza`, `Ana`, `ana@dom`), over a real sshd: their apps start, and the kit makes them ready. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createConnections } from '../../controller/hosts/ssh/connections.ts';
import { createServerAdmin } from '../../controller/hosts/server/admin.ts';
import { repository } from '../support/portal.ts';
import type { TestAccount } from '../support/sshd.ts';
import { createSshWorld, sshHostOptions, type SshWorld } from './world.ts';

const forms = ['svct*.souza', 'Svct*', 'SVCT*', 'svct*@dom.example', '9svct*', 'DOM+svct*', 'svct*.tmp', 'svct*-_.x'];

let world: SshWorld;
beforeAll(async () => {
  world = await createSshWorld({ accounts: forms, apps: ['notas'] });
}, 120_000);
afterAll(() => world?.stop());

/** A backend of another machine, as other tests have them: a pid namespace, in which an account has the same number. */
function elsewhere({ uid }: TestAccount): ChildProcess {
  const command = ['setpriv', `--reuid=${uid}`, '--clear-groups', 'bash', '-c', 'sleep 300; :', '/svc-apps/notas/main.py'];
  return spawn('unshare', ['--pid', '--fork', '--kill-child', ...command], {
    env: { ...process.env, SVC_APP_ID: 'notas' },
    stdio: 'ignore',
  });
}

test('an app starts for each, as that account', { timeout: 120_000 }, async ({ onTestFinished }) => {
  const other = elsewhere(world.sshd.accounts[0] as TestAccount);
  onTestFinished(() => void other.kill('SIGKILL'));
  const started = await Promise.all(
    world.people.map(async ({ name, account }) => {
      await world.whenState(`Backend/${name}/notas`, 'stopped', 60_000);
      await world.order(name, 'start', 'notas');
      await world.whenState(`Backend/${name}/notas`, 'running', 90_000);
      return [account.name, world.backends('notas', account).length, existsSync(join(account.home, '.svc-apps/notas/run.pid'))];
    }),
  );
  expect(started).toEqual(world.people.map(({ account }) => [account.name, 1, true]));
});

test('the kit gives each of them the key of the portal, and takes it away again', async () => {
  const root = join(world.sshd.dir, 'server');
  mkdirSync(join(root, 'etc'), { recursive: true });
  const connections = createConnections(sshHostOptions(world.sshd));
  const admin = createServerAdmin({
    server: 'sirius',
    admin: 'root',
    runner: connections.admin(),
    publicKey: async () => 'ssh-ed25519 AAAA',
    publicKeyAt: '',
    hurry: () => undefined,
    close: () => connections.close(),
    scripts: join(repository, 'kit/server'),
    clock: systemClock,
    root,
  });
  const names = world.people.map(({ account }) => account.name);
  const keys = (): readonly string[] => readdirSync(join(root, 'etc/svc-kit/authorized_keys')).toSorted();
  try {
    expect(await admin.prepareAccounts('path', names)).toEqual([]);
    expect(keys()).toEqual(names.toSorted());
    const { accounts } = await admin.facts([...names, 'svctnone.souza']);
    expect(accounts.map(({ name, found, home, key }) => [name, found, home, key])).toEqual([
      ...names.map((name) => [name, true, true, true]),
      ['svctnone.souza', false, true, false],
    ]);
    await admin.prepareAccounts('path', names.slice(1));
    expect(keys()).toEqual(names.slice(1).toSorted());
  } finally {
    admin.close();
  }
});
