/** The contract of hosts, over a real sshd with a throw-away account and the kit as it would be installed. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { until } from '../support/portal.ts';
import { describeHost } from '../../controller/hosts/host-contract.ts';
import type { Host } from '../../controller/hosts/host.ts';
import { createSshHost, type SshHostOptions } from '../../controller/hosts/ssh/host.ts';
import { sshHostOptions } from './world.ts';

let sshd: TestSshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(async () => {
  await sshd?.stop();
});

const account = () => sshd.accounts[0]!;

async function clean(): Promise<void> {
  await until('no process of the account', () => {
    const left = sshd.processes();
    for (const { pid } of left) killIfThere(pid);
    return left.length === 0;
  });
  for (const folder of [`${sshd.dir}/opt`, `${account().home}/.svc-apps`, `${account().home}/.local`, `${account().home}/s`]) {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** It may end by itself since it was listed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describeHost('ssh', async () => ({
  host: createSshHost(sshHostOptions(sshd)),
  account: account().name,
  place: { home: account().home, prefix: sshd.dir },
  again: async () => createSshHost(sshHostOptions(sshd)),
  remove: clean,
}));

async function using(over: Partial<SshHostOptions>, act: (host: Host) => Promise<void>): Promise<void> {
  const host = createSshHost(sshHostOptions(sshd, over));
  try {
    await act(host);
  } finally {
    await host.close();
    await clean();
  }
}

test('a server without the kit says so, and which command brings it', async () => {
  await using({ kit: '/nonexistent' }, async (host) => {
    await expect(host.installed(null)).rejects.toMatchObject({
      code: 'KIT_MISSING',
      message: expect.stringContaining('svc server add') as string,
    });
    await expect(host.place(account().name)).rejects.toMatchObject({ code: 'KIT_MISSING' });
  });
});

test('an account that is not there is told apart from one that is', async () => {
  await using({}, async (host) => {
    await expect(host.place('naoexiste')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await host.place(account().name)).toEqual({ home: account().home, prefix: sshd.dir });
    await expect(host.dial('naoexiste', '/tmp/s')).rejects.toMatchObject({ code: 'SSH_REFUSED' });
  });
});

test('everybody of a look is served by one command', async () => {
  await using({}, async (host) => {
    const before = sessionsOf(sshd);
    await host.installed(null, [account().name]);
    await host.place(account().name);
    await host.installed(account().name);
    expect(sessionsOf(sshd) - before).toBe(1);
  });
});

const sessionsOf = (of: TestSshd): number => of.log().split('Starting session: command').length - 1;
