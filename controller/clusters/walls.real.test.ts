/** Tests what a confined job sees and fills, by jobs of an account whose home is below /var/lib. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../test/support/portal.ts';
import { addAccount, removeAccount } from '../../test/support/sshd.ts';
import { systemClock } from '../clock/system.ts';
import type { Cluster, ClusterJob } from './cluster.ts';
import { createLocalCluster, type LocalClusterOptions } from './local.ts';
import { never, quickPace, seenAs, stateOf, trial } from './testing/cluster-contract.ts';

const canary = 'CANARIO-DA-ANA';
/** A folder of the machine that is no place of programs. */
const top = mkdtempSync('/var/lib/svc-walls-');
let account: Awaited<ReturnType<typeof addAccount>>;
let cluster: Cluster;

const make = (change: Partial<LocalClusterOptions> = {}): Cluster =>
  createLocalCluster({
    name: 'local',
    folder: '/nowhere',
    hidden: [],
    account: account.name,
    clock: systemClock,
    pace: quickPace,
    ...change,
  });

beforeAll(async () => {
  chmodSync(top, 0o755);
  mkdirSync(path.join(top, 'h'), { mode: 0o755 });
  account = await addAccount(top, undefined);
  cluster = make();
});

afterAll(async () => {
  await removeAccount(account.name);
  rmSync(top, { recursive: true, force: true });
});

/** Runs it to its end. */
async function run(script: string, change: Partial<ClusterJob> = {}, on = cluster) {
  const one = await trial({ account: null }, ['bash', '-c', script], change);
  try {
    await on.submit(one.job, never);
    await until('its end', async () => /^(?:ended|failed)$/.test(await stateOf(on, one.job.name)));
    const seen = await seenAs(on, one.job.name);
    return { code: seen?.exitCode, log: one.portal.log(), outputs: one.portal.outputs() };
  } finally {
    await one.portal.close();
  }
}

describe.concurrent('a confined job', () => {
  test('a job reads nothing of the jobs of others: inputs, variables, command, log, token, outputs', async ({ expect }) => {
    const ana = await trial({ account: null }, ['bash', '-c', `echo ${canary} | tee "$SVC_SAIDA/a"; sleep 300`], {
      env: { SEGREDO: canary },
    });
    ana.portal.input('entrada/a', Buffer.from(canary));
    await cluster.submit(ana.job, never);
    await expect.poll(() => ana.portal.log()).toContain(canary);
    const jobs = path.join(account.home, '.svc-jobs');
    // Its own text of the canary is made at run time.
    const look = [
      `needle=$(printf 'CANARIO-%s' DA-ANA)`,
      `ls -A ${jobs} ${account.home} ${top} /var/lib; find / -xdev -name '${ana.job.name}*' 2>/dev/null`,
      `grep -rls "$needle" ${jobs} ${top} /var /tmp /dev/shm 2>/dev/null`,
      `cat ../header ${jobs}/${ana.job.name}/{header,env,command,log,work/entrada/a,work/saida/a}`,
      `for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done | grep -c "$needle"`,
    ].join('; ');
    const bia = await run(look);
    expect(bia.log.replaceAll(new RegExp(`^cat: .*: No such file or directory\n`, 'gm'), '')).not.toContain(ana.job.name);
    expect(bia.log).not.toContain(canary);
    expect(bia.log).not.toContain(ana.portal.token);
    expect(bia.log.match(/No such file or directory/g)).toHaveLength(7);
    expect(bia.log.trim().split('\n').at(-1)).toBe('0');
    await cluster.cancel(ana.job.name, never);
    await expect.poll(() => stateOf(cluster, ana.job.name)).toBe('cancelled');
    await ana.portal.close();
  });

  /** Homes of people, wherever they are: below /home, beside the account's own, and below a place that is shown. */
  test.for(['/home', top, '/opt', '/usr/local', '/srv'])(
    'a job reads nothing of the home of a person below %s',
    async (above, { expect }) => {
      const dir = mkdtempSync(path.join(above, 'svc-people-'));
      chmodSync(dir, 0o755);
      mkdirSync(path.join(dir, 'h'), { mode: 0o755 });
      const person = await addAccount(dir, undefined);
      // A person who lets others read.
      chmodSync(person.home, 0o755);
      writeFileSync(path.join(person.home, 'nota'), canary);
      try {
        const { log } = await run(`cat ${person.home}/nota; ls -A ${person.home}; touch ${person.home}/novo`);
        expect(log).not.toContain(canary);
        expect(log).not.toContain('nota\n');
        expect(log).toMatch(/(?:Read-only file system|No such file or directory)\n$/);
      } finally {
        await removeAccount(person.name);
        rmSync(dir, { recursive: true, force: true });
      }
    },
  );

  test('a folder that is removed while a job waits for its inputs, or runs, keeps neither the job nor its outputs back', async ({
    expect,
  }) => {
    const removed = [0, 1].map(() => mkdtempSync('/opt/svc-people-'));
    const [before, during] = removed as [string, string];
    const shown = mkdtempSync(path.join(top, 'dados-'));
    const shows = make({ hidden: removed, readable: [shown] });
    const one = await trial({ account: null }, ['bash', '-c', 'echo 42 >"$SVC_SAIDA/soma"; until [ -e vai ]; do sleep 0.1; done']);
    one.portal.input('entrada/a', Buffer.from('a'));
    one.portal.fault = (request) => {
      if (request.includes('/entradas/')) for (const folder of [before, shown]) rmSync(folder, { recursive: true, force: true });
      return null;
    };
    try {
      await shows.submit(one.job, never);
      await expect.poll(() => one.portal.beats).toContain('estado=a-correr');
      rmSync(during, { recursive: true });
      writeFileSync(path.join(account.home, '.svc-jobs', one.job.name, 'work/vai'), '');
      await expect.poll(() => stateOf(shows, one.job.name)).toMatch(/^(?:ended|failed)$/);
      expect([(await seenAs(shows, one.job.name))?.exitCode, one.portal.log(), one.portal.outputs()]).toEqual([
        0,
        '',
        { 'saida/soma': '42\n' },
      ]);
    } finally {
      await one.portal.close();
      for (const folder of removed) rmSync(folder, { recursive: true, force: true });
    }
  });

  test.for([['/tmp'], ['/dev/shm'], ['/var/tmp'], ['/tmp', '/dev/shm']])(
    'the memory of a job bounds what it writes to %s',
    async (folders, { expect }) => {
      const fill = folders.map((folder) => `{ head -c 480M /dev/zero >${folder}/x; echo "$?"; }`).join('; ');
      const sizes = folders.map((folder) => `stat -c %s ${folder}/x`).join('; ');
      const { log } = await run(`set -o pipefail; ${fill}; ${sizes}`, { limits: { cpus: 1, memoryMb: 64, seconds: 60, gpus: 0 } });
      const numbers = [...log.matchAll(/^\d+$/gm)].map(([text]) => Number(text));
      expect(numbers.slice(0, folders.length)).toEqual(folders.map(() => 1));
      const bytes = numbers.slice(folders.length).reduce((sum, one) => sum + one, 0);
      expect(bytes).toBeGreaterThan(16 << 20);
      expect(bytes).toBeLessThanOrEqual(64 << 20);
    },
  );

  test('a job that fills its memory with files ends with the error that its command got', async ({ expect }) => {
    const { code, log } = await run('head -c 480M /dev/zero >/tmp/x && echo coube', {
      limits: { cpus: 1, memoryMb: 64, seconds: 60, gpus: 0 },
    });
    expect([code, log]).toEqual([1, expect.stringContaining('No space left on device')]);
  });

  test('besides its own folder and these two a job writes nowhere, and in its own folder it does', async ({ expect }) => {
    const places = '/ /dev /run /home /root /var /etc /usr /opt /sys /proc /var/lib';
    const script = `for d in ${places}; do { : >$d/svc-x && echo "wrote $d"; } 2>/dev/null; done; for d in /tmp /dev/shm /var/tmp . saida "$HOME"; do : >$d/x && echo "$d"; done; echo a >/dev/null; [ -c /dev/ptmx ] && python3 -c "import os; os.openpty()" && echo pty`;
    const { log, code } = await run(script);
    expect(log.replaceAll(account.home, '~').replaceAll(/svc-[0-9a-f]{12}-j\d+/g, 'JOB')).toBe(
      '/tmp\n/dev/shm\n/var/tmp\n.\nsaida\n~/.svc-jobs/JOB/work\npty\n',
    );
    expect(code).toBe(0);
  });

  test('no socket of the machine is there, and its programs are', async ({ expect }) => {
    const { log } = await run(
      'find / -xdev -type s 2>/dev/null; find /run -type s; python3 -c "print(6 * 7)"; getent hosts localhost >/dev/null && echo nomes; id -u',
    );
    expect(log).toBe(`42\nnomes\n${account.uid}\n`);
  });

  test('what the administrator names is shown, without the homes, the jobs and the state that lie in it', async ({ expect }) => {
    mkdirSync(path.join(top, 'dados/estado'), { recursive: true });
    for (const file of ['dados/a', 'dados/estado/b']) writeFileSync(path.join(top, file), `${file}\n`);
    const shows = make({ readable: [top, '/nao-existe'], hidden: [path.join(top, 'dados/estado')] });
    const { log } = await run(`cat ${top}/dados/a; ls -A ${top}/dados/estado ${account.home}; touch ${top}/dados/c`, {}, shows);
    expect(log).toBe(
      `dados/a\n${top}/dados/estado:\n\n${account.home}:\n.svc-jobs\ntouch: cannot touch '${top}/dados/c': Read-only file system\n`,
    );
  });

  test('folders that are shown already, or hold a place of ours, may be named', async ({ expect, onTestFinished }) => {
    mkdirSync(path.join(top, 'software'));
    symlinkSync('software', path.join(top, 'elo'));
    const inTmp = mkdtempSync(path.join(os.tmpdir(), 'svc-walls-'));
    onTestFinished(() => rmSync(inTmp, { recursive: true, force: true }));
    const shows = make({ readable: ['/var', top, path.join(top, 'elo'), '/usr/share', '/tmp', '/run'], hidden: [inTmp] });
    const { code, log } = await run(
      `ls -d ${top}/elo; ls ${account.home}/.svc-jobs | wc -l; : >/tmp/x; ls /tmp; touch /var/tmp/x`,
      {},
      shows,
    );
    expect([code, log]).toEqual([1, `${top}/elo\n1\nx\ntouch: cannot touch '/var/tmp/x': Read-only file system\n`]);
  });
});

// Changes the PATH of this process.
test('a bubblewrap that can not bound files in memory has them on disk, and confines as before', async () => {
  const bin = mkdtempSync(path.join(os.tmpdir(), 'svc-bwrap-'));
  chmodSync(bin, 0o755);
  const real = execFileSync('bash', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
  const old = `#!/bin/bash\nfor word; do [[ $word == --size ]] && { echo 'bwrap: Unknown option --size' >&2; exit 1; }; done\nexec ${real} "$@"\n`;
  writeFileSync(path.join(bin, 'bwrap'), old, { mode: 0o755 });
  const before = process.env['PATH'];
  process.env['PATH'] = `${bin}:${before}`;
  try {
    const unsized = make();
    const { log } = await run(`for d in /tmp /dev/shm; do stat -f -c %T $d; : >$d/x; done; ls -A ${account.home} /home`, {}, unsized);
    expect(unsized.isolation).toBe('bubblewrap');
    expect(log).not.toContain('tmpfs');
    expect(log).toBe(`${log.split('\n').slice(0, 2).join('\n')}\n/home:\n\n${account.home}:\n.svc-jobs\n`);
  } finally {
    process.env['PATH'] = before;
    rmSync(bin, { recursive: true, force: true });
  }
});
