/**
 * sshd is restarted under fifteen apps of five people (fifty with SVC_TEST_LONG=1), and sshd opens no more sessions: nothing is
 * stopped, nothing is started twice, nothing counts as a crash, and all is seen again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createSshConnection, type SshConnection } from '../../controller/hosts/ssh/connection.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { limits } from '../../controller/limits.ts';
import { repository, until } from '../support/portal.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { createSshWorld, type SshWorld } from './world.ts';

const people = 5;
const ids = Array.from({ length: process.env['SVC_TEST_LONG'] === '1' ? 10 : 3 }, (_unused, n) => `notas${n}`);
const appCount = people * ids.length;

/** Apps of different names from one example. */
async function copies(folder: string): Promise<string> {
  const packages = join(folder, '../p');
  await mkdir(packages, { recursive: true });
  for (const id of ids) {
    await cp(join(repository, 'examples/apps/notas'), join(packages, id), { recursive: true });
    const file = join(packages, id, 'svc-app.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"id": "notas"', `"id": "${id}"`));
  }
  return packages;
}

describe('sshd under many apps', () => {
  let world: SshWorld;
  let pids: readonly number[];
  const running = async (): Promise<number> => {
    const { body } = await world.admin('GET', '/api/admin/objects?prefix=Backend/');
    return (body as readonly ObjectView[]).filter(({ state }) => state === 'running').length;
  };
  const seenAgain = async (): Promise<void> => {
    await world.pass();
    await until('all apps seen again', async () => (await running()) === appCount);
  };
  const all = (): readonly number[] => ids.flatMap((id) => world.backends(id)).toSorted((a, b) => a - b);
  let startMs = 0;
  beforeAll(async () => {
    startMs = performance.now();
    world = await createSshWorld({ accounts: people, apps: ids, pinned: ids, packages: copies });
    await until('all apps running', async () => (await running()) === appCount, 240_000);
    pids = all();
  }, 280_000);
  afterAll(() => world?.stop());

  const failuresOf = async (): Promise<readonly string[]> => {
    const files = world.people.flatMap(({ account }) => ids.map((id) => `${account.home}/.svc-apps/${id}/status.json`));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    return texts.flatMap((text, index) => ((JSON.parse(text) as { failures?: number }).failures === 0 ? [] : [`${files[index]}: ${text}`]));
  };

  test('runs each of them once, with one supervisor and one connection a person, and one more that installed them', async () => {
    expect(pids).toHaveLength(appCount);
    expect(world.supervisors()).toHaveLength(people);
    const accepted = Array.from(world.sshd.log().matchAll(/Accepted publickey for (\S+)/g), ([, name]) => name);
    // The administrator comes more often: whether the server takes a new connection is tried every second resync (decision 0351).
    for (const { account } of world.people)
      expect([account.name, accepted.filter((name) => name === account.name).length]).toEqual([account.name, 1]);
    const byAdmin = accepted.filter((name) => name === 'root').length;
    expect(byAdmin).toBe(accepted.length - people);
    expect(byAdmin).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - startMs) / limits.doorPollMs));
    expect(await failuresOf()).toEqual([]);
  });

  test('that is restarted: all are seen again by the next scans, the same processes', { timeout: 120_000 }, async () => {
    await world.sshd.halt();
    await world.pass();
    await until('all unknown', async () => (await running()) === 0);
    expect(all()).toEqual(pids);
    await world.sshd.resume();
    await seenAgain();
    expect(all()).toEqual(pids);
    expect(world.supervisors()).toHaveLength(people);
    expect(await failuresOf()).toEqual([]);
  });

  test('that opens no session any more: everything goes on over sockets, and nobody calls it down', { timeout: 120_000 }, async () => {
    await world.sshd.halt();
    await world.sshd.resume(['MaxSessions 0']);
    // Supervisors and apps are reached; only commands are not.
    const browser = await world.signedIn('p0');
    await until('a page of an app', async () => (await browser.visit(`http://${world.appHost('notas2')}/`)).status === 200);
    expect(all()).toEqual(pids);
    await world.sshd.halt();
    await world.sshd.resume();
    await seenAgain();
    expect(all()).toEqual(pids);
    expect(await failuresOf()).toEqual([]);
  });
});

describe('commands over one connection', () => {
  let sshd: TestSshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.stop());

  const connect = (): SshConnection =>
    createSshConnection({
      target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
      account: sshd.accounts[0]!.name,
      credential: async () => ({ kind: 'key', privateKey: readFileSync(sshd.keyFile) }),
      clock: systemClock,
      gate: (work) => work(),
      onUp: () => undefined,
      onLost: () => undefined,
    });

  test.for([1, 2, 10])('forty at once against MaxSessions %i: all are done, in turn', { timeout: 60_000 }, async (most) => {
    await sshd.halt();
    await sshd.resume([`MaxSessions ${most}`]);
    const connection = connect();
    try {
      const results = await Promise.all(Array.from({ length: 40 }, () => connection.run({ argv: ['sleep', '0.05'], msMax: 30_000 })));
      expect(results.map(({ code }) => code)).toEqual(Array.from({ length: 40 }, () => 0));
    } finally {
      connection.close();
    }
  });

  test('none at all against MaxSessions 0: told as saturated, while sockets go on', { timeout: 60_000 }, async () => {
    await sshd.halt();
    await sshd.resume(['MaxSessions 0']);
    const connection = connect();
    try {
      await expect(connection.run({ argv: ['true'], msMax: 30_000 })).rejects.toMatchObject({ code: 'SSH_SATURATED' });
      await expect(connection.dial('/nonexistent')).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: expect.stringContaining('nothing listens') as string,
      });
      expect(connection.isUp()).toBe(true);
    } finally {
      connection.close();
    }
  });

  test('who is cancelled before the command began: it never begins', { timeout: 60_000 }, async () => {
    await sshd.halt();
    await sshd.resume(['MaxSessions 1']);
    const connection = connect();
    const mark = join(sshd.accounts[0]!.home, 'comecou');
    const marking = (signal: AbortSignal) => connection.run({ argv: ['touch', mark], msMax: 30_000, signal, cancelLine: 'cancel\n' });
    try {
      const shaking = new AbortController();
      const during = marking(shaking.signal);
      shaking.abort();
      await expect(during).rejects.toMatchObject({ code: 'CANCELLED' });
      // The second of two finds out that there is one session, and waits for it.
      const [first, abort] = [connection.run({ argv: ['sleep', '3'], msMax: 30_000 }), new AbortController()];
      const waiting = marking(abort.signal);
      const behind = connection.run({ argv: ['true'], msMax: 30_000 });
      setTimeout(() => abort.abort(), 300);
      await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
      expect([(await first).code, (await behind).code]).toEqual([0, 0]);
      expect(existsSync(mark)).toBe(false);
    } finally {
      connection.close();
    }
  });

  test('their exit codes, signals, output and input come through', async () => {
    await sshd.halt();
    await sshd.resume();
    const connection = connect();
    try {
      const lines: string[] = [];
      const cat = await connection.run({
        argv: ['cat'],
        stdin: (async function* () {
          for (let n = 0; n < 200; n += 1) yield Buffer.from(`${'ação '.repeat(1_000)}${n}\n`);
        })(),
        onLine: (line) => lines.push(line),
        msMax: 60_000,
      });
      expect([cat, lines.length, lines[199]?.slice(-4)]).toEqual([{ code: 0, signal: null, said: '' }, 200, ' 199']);
      expect(await connection.run({ argv: ['ls', '/nonexistent'], msMax: 60_000 })).toMatchObject({
        code: 2,
        said: expect.stringContaining('nonexistent') as string,
      });
      await expect(connection.run({ argv: ['sleep', '60'], msMax: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' });
      await expect(connection.run({ argv: ['sleep', '60'], msMax: 60_000, signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
        code: 'CANCELLED',
      });
      await expect(connection.run({ argv: ['seq', '1', '99999999'], msMax: 60_000, onLine: () => undefined })).rejects.toMatchObject({
        code: 'TOO_LARGE',
      });
    } finally {
      connection.close();
    }
  });

  test('a kept connection that died unnoticed is made again by the dial that finds it so', async () => {
    await sshd.halt();
    await sshd.resume();
    const connection = connect();
    try {
      await expect(connection.dial('/nonexistent')).rejects.toMatchObject({
        message: expect.stringContaining('nothing listens') as string,
      });
      for (let n = 0; n < 5; n += 1) {
        sshd.cut();
        // At once, whether or not the end of the connection was noticed.
        await expect(connection.dial('/nonexistent')).rejects.toMatchObject({
          message: expect.stringContaining('nothing listens') as string,
        });
      }
    } finally {
      connection.close();
    }
  });

  test('a shell that greets whoever comes is not taken for an answer', async () => {
    const account = sshd.accounts[0]!;
    await writeFile(join(account.home, '.bashrc'), 'echo bem-vindo\necho \'{"event":"end"}\'\n');
    const connection = connect();
    try {
      const lines: string[] = [];
      const result = await connection.run({ argv: ['echo', 'oi'], onLine: (line) => lines.push(line), msMax: 60_000 });
      expect([result.code, lines.at(-1)]).toEqual([0, 'oi']);
    } finally {
      connection.close();
    }
  });
});
