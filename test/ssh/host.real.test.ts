/** The contract of hosts, over a real sshd with a throw-away account and the kit as it would be installed. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('an installation that is cancelled', () => {
  const chunk = Buffer.alloc(64 * 1_024, 'x');
  const installed = async (host: Host, scope: 'sistema' | 'pessoa', signal: AbortSignal) =>
    await host.install({ kind: 'folder', path: '/nonexistent' }, scope, scope === 'sistema' ? null : account().name, { signal });

  test.for(['sistema', 'pessoa'] as const)('in the middle of its tarball (%s): at once, and the server takes nothing', async (scope) => {
    const abort = new AbortController();
    let sent = 0;
    const read = async function* () {
      for (; sent < 64; sent += 1) {
        yield chunk;
        if (sent === 1) abort.abort();
      }
    };
    const pack = async () => ({ bytes: 64 * chunk.length, sha256: '0'.repeat(64), read, remove: async () => undefined });
    await using({ pack }, async (host) => {
      await expect(installed(host, scope, abort.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(sent).toBeLessThan(64);
      expect(await host.installed(account().name)).toEqual([]);
    });
  });

  test('while the home of its person is looked for: told as that, not as a failure', async () => {
    const abort = new AbortController();
    const pack = async () => {
      setImmediate(() => abort.abort());
      return { bytes: 1, sha256: '0'.repeat(64), read: async function* () {}, remove: async () => undefined };
    };
    await using({ pack }, async (host) => {
      await expect(installed(host, 'pessoa', abort.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    });
  });
});

test('what is installed takes no session of those that look', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = 0;
  const read = async function* () {
    begun += 1;
    await held;
    yield Buffer.from('x');
  };
  const pack = async () => ({ bytes: 1, sha256: '0'.repeat(64), read, remove: async () => undefined });
  await using({ pack }, async (host) => {
    const installing = Array.from({ length: 8 }, () => host.install({ kind: 'folder', path: '/nonexistent' }, 'sistema', null));
    const ended = Promise.allSettled(installing);
    // As many as there are sessions on one connection; the others wait.
    await until('six installers that wait for their tarballs', () => begun === 6);
    expect(await host.installed(null)).toEqual([]);
    release();
    expect((await ended).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'rejected'));
  });
});
