/** Lingering of a local server, by the real shell script; a folder stands for the system's, and a script for loginctl, which needs systemd. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../context.ts';
import type { PersonEntry } from '../entries.ts';
import { systemClock } from '../clock/system.ts';
import type { Host } from '../hosts/host.ts';
import { runProgram } from '../hosts/local-run.ts';
import { lingerOnArrival, lookAtLingering } from './local-linger.ts';

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-'));
  path = process.env['PATH'] ?? '';
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(root, { recursive: true, force: true });
});

const portal = { pt: 'x', en: 'x' };
const hostOf = (asPortal: typeof portal | null): Pick<Host, 'run' | 'asPortal'> => ({
  run: async (_account, run) => await runProgram({ ...run, home: root, clock: systemClock }),
  asPortal: async () => await Promise.resolve(asPortal),
});

/** systemd, and a loginctl that does as its code says. */
function withSystemd(code: 0 | 1): void {
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
  mkdirSync(join(root, 'var/lib/systemd/linger'), { recursive: true });
  const loginctl = join(root, 'loginctl');
  writeFileSync(loginctl, `#!/bin/sh\n[ ${code} = 0 ] && : >"${root}/var/lib/systemd/linger/$3"\nexit ${code}\n`);
  chmodSync(loginctl, 0o755);
  process.env['PATH'] = `${root}:${path}`;
}

const lingers = (account: string): boolean => existsSync(join(root, 'var/lib/systemd/linger', account));

describe('lingering on this machine', () => {
  test('is turned on for the account that the apps run as, once', async () => {
    withSystemd(0);
    const look = async () => await lookAtLingering({ host: hostOf(null), account: 'ana', fixes: true, root });
    expect([await look(), lingers('ana'), await look()]).toEqual(['enabled', true, 'on']);
  });

  test('is that of the portal where apps run as its account', async () => {
    withSystemd(0);
    await lookAtLingering({ host: hostOf(portal), account: 'ana', fixes: true, root });
    expect([lingers('ana'), lingers(userInfo().username)]).toEqual([false, true]);
  });

  test('that is refused, only looked at, or without systemd is told as that', async () => {
    const look = async (fixes: boolean) => await lookAtLingering({ host: hostOf(null), account: 'ana', fixes, root });
    expect(await look(true)).toBe('none');
    withSystemd(1);
    expect([await look(true), await look(false), lingers('ana')]).toEqual(['refused', 'off', false]);
  });
});

test('many who come at once: one look at an account after the other, and one for all who run as the portal', async () => {
  let [running, most] = [0, 0];
  const argvs: (readonly string[])[] = [];
  const counted = (asPortal: typeof portal | null): Pick<Host, 'run' | 'asPortal'> => ({
    asPortal: hostOf(asPortal).asPortal,
    run: async (account, run) => {
      argvs.push(run.argv);
      most = Math.max(most, (running += 1));
      return await hostOf(null)
        .run(account, run)
        .finally(() => (running -= 1));
    },
  });
  const people = Array.from({ length: 10 }, (_, n) => `p${n}`);
  const come = async (asPortal: typeof portal | null): Promise<readonly string[]> =>
    await Promise.all(people.map(async (account) => await lookAtLingering({ host: counted(asPortal), account, fixes: true, root })));
  expect([await come(portal), argvs.length]).toEqual([people.map(() => 'none'), 1]);
  expect([await come(null), argvs.length, most]).toEqual([people.map(() => 'none'), 11, 1]);
});

/** Returns the lines that are logged when a session begins. */
async function logged(spec: object, host: Pick<Host, 'run' | 'asPortal'>): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const line = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
  const context = { options: { log: { info: line('info'), warn: line('warn') } } } as unknown as Context;
  const server = { host, placed: { document: { spec } } };
  await lingerOnArrival(context, { key: 'Person/ana', account: 'ana', server } as unknown as PersonEntry);
  return lines;
}

describe('a session that begins', () => {
  const broken: Pick<Host, 'run' | 'asPortal'> = { ...hostOf(null), run: async () => await Promise.reject(new Error('no shell')) };

  test('has it logged, with the line that mends it, where lingering can not be turned on', async () => {
    const lines = await logged({ local: {} }, broken);
    const mends = expect.stringContaining('loginctl enable-linger') as string;
    expect(lines).toEqual([['warn', { key: 'Person/ana', account: 'ana', error: 'no shell' }, mends]]);
  });

  test('on a server of ssh is not this one’s business', async () => {
    expect(await logged({ ssh: { host: 'x' } }, broken)).toEqual([]);
  });
});
