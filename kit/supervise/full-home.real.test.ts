/** A home without space: the supervisor goes on at no cost, answers, says so, and all comes back with the space. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { accountPaths } from '../../schema/server-paths.ts';
import { mountTmpfs, unmount } from '../../test/support/mounts.ts';
import { testHome, type TestClient, type TestHome } from '../test-home.ts';
import { roundMs, startOrder } from './testing/started-app.ts';

/** User and system time of the process so far. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Until the supervisor says that of its disk. */
async function saying(client: TestClient, disk: string | undefined): Promise<void> {
  const endMs = performance.now() + roundMs;
  while ((await client.call('hello')).disk !== disk) {
    expect(performance.now()).toBeLessThan(endMs);
    await sleep(500);
  }
}

/** Also the page that the end of the log stands on. */
function fill(home: TestHome, log: string): string {
  const filler = join(home.home, 'filler');
  for (const [file, text] of [
    [filler, 'x'.repeat(4_096)],
    [filler, 'x'],
    [log, '\n'],
  ] as const) {
    try {
      for (;;) writeFileSync(file, text, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  return filler;
}

test.runIf(process.getuid?.() === 0)(
  'a full home costs no processor and no answer, and everything comes back with the space',
  async ({ onTestFinished }) => {
    const within = mkdtempSync(join(tmpdir(), 'svc-full-'));
    onTestFinished(() => rmSync(within, { recursive: true, force: true }));
    await mountTmpfs(within, 'size=6m');
    onTestFinished(() => unmount(within));
    const home = testHome({ within });
    onTestFinished(() => home.dispose());
    const { root, supervisorLog } = accountPaths({ home: home.home, prefix: home.home });
    mkdirSync(root, { mode: 0o700 });
    for (const app of ['notas', 'outra']) home.install(app);
    const { child, client } = await home.supervisor({}, supervisorLog);
    await client.call('subscribe');
    await client.call('start', startOrder('notas', 'first'));
    const { process: live } = await client.state('notas', ({ state }) => state === 'running');
    expect((await client.call('hello')).disk).toBe(undefined);

    const filler = fill(home, supervisorLog);
    process.kill(live?.pid ?? 0, 'SIGKILL');
    const refused = await client.state('notas', ({ state, reason }) => state === 'backoff' && reason === 'DiskFull');
    expect(refused).toMatchObject({ message: "the home can't be written: ENOSPC", wanted: true, failures: 1 });
    expect((await client.call('start', startOrder('outra', 'second'))).error).toMatchObject({ code: 'DISK_FULL' });
    const before = cpuMs(child.pid ?? 0);
    await sleep(3_000);
    expect(cpuMs(child.pid ?? 0) - before).toBeLessThan(150);
    const told = `the home ${home.home} can't be written: ENOSPC`;
    await saying(client, told);

    rmSync(filler);
    const again = await client.state('notas', ({ state }) => state === 'running', roundMs);
    expect(home.backends('notas')).toEqual([again.process?.pid]);
    await saying(client, undefined);
    expect((await client.call('start', startOrder('outra', 'third'))).error).toBe(undefined);
    await client.state('outra', ({ state }) => state === 'running');
    const lines = readFileSync(supervisorLog, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{"time"') && line.endsWith('}'));
    expect(
      lines.map((line) => JSON.parse(line) as { event: string; linesLost?: number }).some(({ linesLost }) => (linesLost ?? 0) > 0),
    ).toBe(true);
    expect(lines.join()).not.toContain('unexpected');
  },
);
