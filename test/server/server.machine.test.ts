/**
 * A whole server: a bare Debian 12 with systemd becomes one of the portal's, people's apps run there within their ceilings, a server-scope
 * app serves everybody, all of it lives through logouts, a lost service manager and a reboot, and goes without a trace. A single machine
 * and portal for all tests, which build on one another in this order. `npm run test:server`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { serverKit, type ServerKit } from '../../kit/server/made.ts';
import { createServerAdmin } from '../../controller/hosts/server/admin.ts';
import { systemClock } from '../../controller/clock/system.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import type { WhyAnswer } from '../../schema/gateway.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { ceilingsSeen, ceilingsWanted } from './administrator-ceilings.ts';
import { startMachine, type Machine } from './machine.ts';
import { olderKit } from './older-kit.ts';
import { machineRunner } from './runner.ts';
import { signIn } from './visitor.ts';

/** Software emulation on a busy machine: ten times what it takes on a quiet one. */
const slowMs = 300_000;

let machine: Machine;
let portal: RunningPortal;
let dir: string;
let kit: ServerKit;

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'svcm-'));
  kit = await serverKit(repository, 'x86_64');
  machine = await startMachine();
});
afterAll(async () => {
  await portal?.stop();
  await machine?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const svc = (...args: readonly string[]) => runSvc(dir, [...args, '--state', path.join(dir, 'state')]);
const view = async (key: string): Promise<ObjectView | undefined> => {
  const { body } = await portal.admin('GET', `/api/admin/objects?prefix=${encodeURIComponent(key)}`);
  return (body as readonly ObjectView[]).find((object) => object.key === key);
};
const untilView = (key: string, what: string, is: (view: ObjectView) => boolean): Promise<ObjectView> =>
  until(
    `${key} ${what}`,
    async () => {
      const found = await view(key);
      return found !== undefined && is(found) ? found : null;
    },
    slowMs,
  ).catch(async (error: unknown) => {
    throw new Error(`${(error as Error).message}: ${JSON.stringify(await view(key))}`, { cause: error });
  });
const untilState = (key: string, state: string): Promise<ObjectView> => untilView(key, state, (found) => found.state === state);
const runningPid = async (key: string): Promise<number> => {
  const { details } = await untilView(key, 'runs', (found) => found.state === 'running' && (found.details['process'] ?? null) !== null);
  return (details['process'] as NonNullable<AppSnapshot['process']>).pid;
};
/** Asked until it is so: on a slow machine the first answers are `unknown`, and what was just installed is not known yet. */
const started = (backend: string): Promise<boolean> =>
  until(`${backend} started`, async () => (await svc('start', backend)).code === 0, slowMs);
/** Writes a file in the data folder of ana's app, whose content the test apps obey. */
const tell = (app: string, what: string): Promise<string> =>
  machine.ok('root', `runuser -u ana -- touch /home/ana/.svc-apps/${app}/data/${what}`);
const exitOf = async (app: string): Promise<AppSnapshot['lastExit']> =>
  ((await view(`Backend/ana/${app}`))?.details['lastExit'] ?? null) as AppSnapshot['lastExit'];

function writeDesired(documents: readonly string[]): void {
  const file = path.join(dir, 'desired/casa.yaml');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
}

const people = ['ana', 'bia'].map(
  (name) => `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: sirius, account: ${name} }`,
);
const house = (): readonly string[] => [
  `kind: Portal\nmetadata: { name: casa }\nspec: { origins: path, repository: ${JSON.stringify(path.join(dir, 'apps'))} }`,
  `kind: Server\nmetadata: { name: sirius }\nspec: { ssh: { host: 127.0.0.1, port: ${machine.port}, hostKey: "${machine.hostKey}", admin: adm-svc } }`,
  ...people,
];
const packageOf = (app: string): string =>
  `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: 1.0.0, server: sirius, instalacao: sistema }`;
const packages = ['guloso', 'mural'].map(packageOf);

describe('a bare server', () => {
  test('holds an older kit with a supervisor that runs from it', async () => {
    expect((await machine.run('root', 'command -v node; ls /opt/svc')).code).not.toBe(0);
    await machine.ok('root', `mkdir -p /opt/svc/clone /etc/svc && echo mine | tee ${ofOthers}`);
    const admin = createServerAdmin({
      server: 'sirius',
      admin: 'adm-svc',
      runner: machineRunner(machine, 'adm-svc'),
      publicKey: async () => null,
      publicKeyAt: '',
      hurry: () => undefined,
      close: () => undefined,
      scripts: path.join(repository, 'kit/server'),
      clock: systemClock,
    });
    const older = olderKit(kit, path.join(dir, 'older'));
    const steps: string[] = [];
    await admin.install(older, (step) => steps.push(step));
    expect(steps).toEqual(['upload', 'check', 'unpack', 'try', 'place', 'switch', 'links', 'clean', 'done']);
    expect((await admin.facts(['ana', 'ze'])).kit).toBe(older.id);
    await machine.ok('root', 'runuser -u ana -- env HOME=/home/ana sh -c "cd; /opt/svc/bin/svc-app-supervisor --detach"');
  });

  test('the doctor names what is missing, each with the line that mends it', async () => {
    cpSync(path.join(import.meta.dirname, 'apps'), path.join(dir, 'apps'), { recursive: true });
    writeDesired(house());
    mkdirSync(path.join(dir, 'state'), { mode: 0o700 });
    portal = await startPortal({ desired: path.join(dir, 'desired'), state: path.join(dir, 'state') });
    const refused = await svc('doctor', '--server', 'sirius');
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/authorized_keys/);
    const line = readFileSync(path.join(dir, 'state/ssh/id_ed25519.pub'), 'utf8');
    await machine.ok('root', 'cat >>/home/adm-svc/.ssh/authorized_keys', line);
    // The portal may be in the middle of an attempt that began without the key.
    const checks = await until(
      'a look as root',
      async () => {
        const { out } = await svc('doctor', '--server', 'sirius', '-o', 'json');
        // The command gave up waiting: the machine is emulated, and may have much to do.
        if (out === '') return null;
        const told = (JSON.parse(out) as { checks: readonly { name: string; ok: boolean; fix: string | null }[] }).checks;
        return told.some(({ name, ok }) => name === 'sudo' && ok) ? told : null;
      },
      slowMs,
    );
    const fixOf = (name: string): string | null | undefined => checks.find((check) => check.name === name)?.fix;
    expect(fixOf('python3')).toContain('apt-get install -y python3');
  });

  test('svc server add brings it to the kit of the portal, and the older supervisor makes room', async () => {
    const added = await svc('server', 'add', 'sirius');
    expect([added.code, added.err]).toEqual([0, '']);
    await untilState('Server/sirius', 'ready');
    expect(await machine.ok('root', 'readlink /opt/svc/current')).toBe(kit.id);
    expect(await machine.ok('root', 'readlink /opt/svc/previous')).toMatch(/^0\.0\.9-/);
    expect((await svc('server', 'add', 'sirius', '--plan')).code).toBe(0);
    for (const account of ['ana', 'bia']) {
      expect(await machine.ok('root', `loginctl show-user ${account} -p Linger --value`)).toBe('yes');
      await machine.until('root', `test -S /run/user/$(id -u ${account})/systemd/private`);
    }
    // Nobody's own files were touched.
    expect((await machine.run('root', 'ls /home/ana/.ssh/authorized_keys')).code).not.toBe(0);
  });
});

describe('ceilings', () => {
  test('of the manifest hold a person’s app', async () => {
    writeDesired([...house(), ...packages]);
    await untilState('Package/guloso', 'installed');
    await started('ana/guloso');
    const supervisor = await untilState('Supervisor/ana', 'up');
    expect(supervisor.details['version']).not.toBe('0.0.9');
    const pid = await runningPid('Backend/ana/guloso');
    const folder = `/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/${pid}/cgroup)`;
    const read = (file: string): Promise<string> => machine.ok('root', `cat ${folder}/${file}`);
    expect(await machine.ok('root', `sed -n 's/^0:://p' /proc/${pid}/cgroup`)).toMatch(/user@\d+\.service\/.*svc-app-guloso-.*\.scope$/);
    expect(await read('memory.max')).toBe(String(192 * 1_024 * 1_024));
    expect(await read('memory.high')).toBe('max');
    expect(await read('pids.max')).toBe('48');
    expect(await read('cpu.max')).toBe('80000 100000');
    expect((await view('Backend/ana/guloso'))?.details).toMatchObject({ contained: true });
  });

  test('MemoryMax ends the app, and that is told apart from a crash', async () => {
    const before = await runningPid('Backend/ana/guloso');
    await tell('guloso', 'comer');
    await until('another process', async () => ((await exitOf('guloso'))?.reason ?? '') === 'OutOfMemory', slowMs);
    await untilView('Backend/ana/guloso', 'again', ({ state, details }) => state === 'running' && details['pid'] !== before);
    await tell('guloso', 'cair');
    await until('a crash', async () => (await exitOf('guloso'))?.code === 3, slowMs);
    expect(await exitOf('guloso')).toMatchObject({ reason: 'Crashed' });
    await runningPid('Backend/ana/guloso');
  });

  test('TasksMax refuses more processes, and the app lives on', async () => {
    const before = await runningPid('Backend/ana/guloso');
    await tell('guloso', 'filhos');
    const counted = await machine.until('root', 'cat /home/ana/.svc-apps/guloso/data/contados', slowMs);
    expect((JSON.parse(counted) as { recusados: number }).recusados).toBeGreaterThan(0);
    expect(await runningPid('Backend/ana/guloso')).toBe(before);
  });

  test('of the administrator go below those of the manifest, and one slice holds all apps of the person', async () => {
    const [own = '', ...others] = house();
    const write = (document: string): void => writeDesired([document, ...others, ...packages]);
    expect(await ceilingsSeen({ machine, portal: own, write, svc, pid: () => runningPid('Backend/ana/guloso') })).toEqual(ceilingsWanted);
  });

  test('outside their alphabet are dropped one by one for the defaults', async () => {
    // No repository offers such a manifest; on the server itself it can still come to be.
    // The code of guloso under a manifest of its own.
    const torto = ['--transform=s,^guloso/,torto/,', 'torto/svc-app.json', 'guloso/backend'];
    const packed = execFileSync('tar', ['-cz', '-C', path.join(import.meta.dirname, 'apps'), ...torto]).toString('base64');
    await machine.ok(
      'root',
      'mkdir -p /root/apps && base64 -d | tar -xz -C /root/apps && HOME=/root svc-app-install /root/apps/torto',
      packed,
    );
    await started('ana/torto');
    const limits = JSON.parse(await machine.ok('root', 'cat /home/ana/.svc-apps/torto/limits.json')) as { limits: unknown };
    expect(limits.limits).toEqual({ memoryHigh: '96M', memoryMax: '2G', tasksMax: '512', cpuQuota: null });
    const pid = await runningPid('Backend/ana/torto');
    expect(await machine.ok('root', `cat /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/${pid}/cgroup)/memory.max`)).toBe(String(2 * 1_024 ** 3));
    expect((await svc('stop', 'ana/torto')).code).toBe(0);
  });
});

describe('a card', () => {
  /** No card can be had in the machine: its driver's word for one stands on a real PCI device, whose folder in /sys is what is locked. */
  const plant = `set -eu
pci=$(ls /sys/bus/pci/devices | head -n 1)
mkdir -p /run/cartas/nvidia/gpus/$pci
printf 'Model: \t\t Carta\nDevice Minor: \t 0\n' >/run/cartas/nvidia/gpus/$pci/information
mount --bind /run/cartas /proc/driver
mknod -m 666 /dev/nvidia0 c 1 3`;
  const isLeased = async (): Promise<boolean> =>
    (await machine.run('root', 'runuser -u bia -- flock -n -x "$(ls -d /sys/bus/pci/devices/* | head -n 1)/" true')).code !== 0;
  const wish = (verb: string, person: string) => portal.admin('POST', `/api/admin/backends/${person}/forno/${verb}`);

  test('is leased to one app of the whole server, within its ceilings, and goes to the next when it ends', async () => {
    await machine.ok('root', plant);
    writeDesired([...house(), ...packages, packageOf('forno')]);
    await untilState('Package/forno', 'installed');
    await wish('start', 'ana');
    const pid = await runningPid('Backend/ana/forno');
    expect(await machine.ok('root', `sed -n 's/^0:://p' /proc/${pid}/cgroup`)).toMatch(/svc-app-forno-.*\.scope$/);
    const limits = JSON.parse(await machine.ok('root', 'cat /home/ana/.svc-apps/forno/limits.json')) as { gpu: unknown };
    expect(limits.gpu).toMatchObject({ concedida: true, dispositivos: [{ dispositivo: '/dev/nvidia0', fornecedor: 'NVIDIA' }] });
    await wish('start', 'bia');
    const waits = await untilView('Backend/bia/forno', 'waits for the card', ({ reason }) => reason === 'GpuBusy');
    expect(waits.details['failures']).toBe(0);
    // Neither the portal nor the supervisor holds it.
    await machine.ok('root', 'pkill -9 -u ana -f "[s]vc-app-supervisor.cjs"');
    expect(await isLeased()).toBe(true);
    expect(await runningPid('Backend/ana/forno')).toBe(pid);
    await wish('stop', 'ana');
    const next = await runningPid('Backend/bia/forno');
    // However it dies, the kernel ends its lease: it has it again in the next process.
    await machine.ok('root', `kill -9 ${next}`);
    await untilView('Backend/bia/forno', 'again', ({ state, details }) => {
      const now = details['process'] as AppSnapshot['process'];
      return state === 'running' && now !== null && now.pid !== next;
    });
    expect(await isLeased()).toBe(true);
    await wish('stop', 'bia');
    await until('a card that is free', async () => !(await isLeased()), slowMs);
    writeDesired([...house(), ...packages]);
    await machine.until('root', '! test -e /opt/svc-apps/forno && umount /proc/driver && rm /dev/nvidia0', slowMs);
  });
});

describe('a session that ends', () => {
  test('ends no app: lingering keeps the service manager', async () => {
    const pid = await runningPid('Backend/ana/guloso');
    await portal.kill();
    await machine.until('root', '! pgrep -f "[s]shd: ana" >/dev/null');
    expect(await machine.ok('root', 'systemctl is-active user@$(id -u ana).service')).toBe('active');
    await portal.again();
    expect(await runningPid('Backend/ana/guloso')).toBe(pid);
  });

  test('a service manager that goes all the same takes no app away for long, and the reason is told', async () => {
    const before = await runningPid('Backend/ana/guloso');
    const failures = (await view('Backend/ana/guloso'))?.details['failures'];
    await machine.ok('root', 'systemctl stop user@$(id -u ana).service');
    const lost = await untilView(
      'Backend/ana/guloso',
      'runs without ceilings',
      ({ state, details }) => state === 'running' && details['pid'] !== before && details['contained'] === false,
    );
    if (lost.details['failures'] !== failures) console.log((await svc('events', 'Backend/ana/guloso')).out);
    expect(lost.details).toMatchObject({
      failures,
      containedReason: expect.stringMatching(/service manager of this account/) as string,
    });
    const { body } = await portal.admin('GET', '/api/admin/why?key=Backend/ana/guloso');
    expect((body as WhyAnswer).sentence).toMatch(/without ceilings/);
    // The administrator's observation brings it back; the next start is held again.
    await machine.until('root', 'systemctl is-active --quiet user@$(id -u ana).service', slowMs);
    await svc('restart', 'ana/guloso');
    await untilView('Backend/ana/guloso', 'held again', ({ details }) => details['contained'] === true);
  });
});

describe('a server-scope app', () => {
  test('is one process under its own account for every person', async () => {
    await untilState('Service/sirius/mural', 'running');
    const [ana, bia] = [await signIn(portal, 'ana'), await signIn(portal, 'bia')];
    for (const person of ['ana', 'bia']) await untilState(`Backend/${person}/mural`, 'running');
    const first = await ana.json('/proxy/app/mural/api/ficha');
    expect(first).toEqual(await bia.json('/proxy/app/mural/api/ficha'));
    const uid = Number(await machine.ok('root', 'id -u svc-mural'));
    expect(first).toMatchObject({ uid, home: '/var/lib/svc-apps/mural', socket: '/run/svc-apps/mural/app.sock' });
    expect(await ana.json('/proxy/app/mural/api/mais')).toEqual({ n: 1 });
    expect(await bia.json('/proxy/app/mural/api/mais')).toEqual({ n: 2 });
    expect(await machine.ok('root', 'stat -c "%a %U" /var/lib/svc-apps/mural')).toBe('700 svc-mural');
  });

  test('is refused where its account is somebody’s, who keeps it', async () => {
    await machine.ok(
      'root',
      'useradd -m svc-alheio && mkdir -p /root/apps && cp -r /opt/svc-apps/mural/. /root/apps/alheio && sed -i s/mural/alheio/ /root/apps/alheio/svc-app.json',
    );
    const refused = await machine.run('root', 'HOME=/root svc-app-install /root/apps/alheio');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('svc-alheio is not svc') as string]);
    await machine.run('root', 'HOME=/root svc-app-install --remove alheio');
    expect(await machine.ok('root', 'getent passwd svc-alheio | cut -d: -f6; userdel -r svc-alheio 2>/dev/null')).toBe('/home/svc-alheio');
  });

  test('is nobody’s to start or stop', async () => {
    for (const wish of ['stop', 'restart']) {
      const answer = await svc(wish, 'ana/mural');
      expect([answer.code, answer.err]).toEqual([1, expect.stringContaining('SCOPE_REFUSED') as string]);
    }
    expect((await svc('start', 'ana/mural')).code).toBe(0);
  });

  test('is started again by the service manager when it dies', async () => {
    const pid = await machine.ok('root', 'systemctl show -p MainPID --value svc-app-mural');
    await machine.ok('root', `kill -9 ${pid}`);
    await machine.until(
      'root',
      `test "$(systemctl show -p MainPID --value svc-app-mural)" != ${pid} && systemctl is-active --quiet svc-app-mural`,
      slowMs,
    );
    const { reason } = await untilState('Service/sirius/mural', 'running');
    expect(reason).toBe('Healthy');
  });

  test('sees little of the machine', async () => {
    const pid = await machine.ok('root', 'systemctl show -p MainPID --value svc-app-mural');
    const status = await machine.ok('root', `cat /proc/${pid}/status`);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect(await machine.ok('root', `ls /proc/${pid}/root/home | wc -l`)).toBe('0');
  });
});

describe('the portal credential of a server-scope app', () => {
  const written = `sed -n 's/^SVC_PORTAL_TOKEN=//p' /etc/svc-kit/portal/mural.env`;
  const pidOf = 'systemctl show -p MainPID --value svc-app-mural';
  const isInUse = `tr '\\0' '\\n' </proc/$(${pidOf})/environ | grep -qxF "SVC_PORTAL_TOKEN=$(${written})"`;

  test('is in the environment of what runs, and in a file that neither people nor the app can read', async () => {
    await machine.until('root', isInUse, slowMs);
    expect(await machine.ok('root', 'stat -c "%a %U" /etc/svc-kit/portal /etc/svc-kit/portal/mural.env')).toBe('700 root\n600 root');
    for (const account of ['ana', 'svc-mural'])
      expect((await machine.run('root', `setpriv --reuid ${account} --clear-groups cat /etc/svc-kit/portal/mural.env`)).code).toBe(1);
  });

  test('outlives a crash, ends with a stop, and the next start has another', async () => {
    const first = await machine.ok('root', written);
    await machine.ok('root', `kill -9 $(${pidOf})`);
    await machine.until('root', isInUse, slowMs);
    expect(await machine.ok('root', written)).toBe(first);
    await machine.ok('root', 'systemctl stop svc-app-mural');
    await machine.until('root', `test "$(${written})" != ${first}`, slowMs);
    await machine.ok('root', 'systemctl start svc-app-mural');
    await machine.until('root', isInUse, slowMs);
    await untilState('Service/sirius/mural', 'running');
  });
});

describe('a reboot', () => {
  test('brings back the server-scope app by itself, and the wanted apps of people', async () => {
    const before = await runningPid('Backend/ana/guloso');
    await machine.reboot();
    await machine.until('root', 'systemctl is-active --quiet svc-app-mural', slowMs);
    await untilState('Service/sirius/mural', 'running');
    await untilView('Backend/ana/guloso', 'again', ({ state, details }) => state === 'running' && details['pid'] !== before);
    const ana = await signIn(portal, 'ana');
    const said = await ana.json('/proxy/app/mural/api/mais').catch(async (error: unknown) => {
      const states = [await view('Service/sirius/mural'), await view('Backend/ana/mural')];
      const journal = await machine.run('root', 'journalctl -b -u svc-app-mural --no-pager -o short-precise | tail -n 40; date');
      throw new Error(`${(error as Error).message}: ${JSON.stringify(states)}\n${journal.out}`, { cause: error });
    });
    expect(said).toEqual({ n: 3 });
  });
});

describe('the way back', () => {
  test('svc server rollback returns to the kit before and holds it; add goes forward again', async () => {
    const back = await svc('server', 'rollback', 'sirius');
    expect([back.code, back.err, back.out]).toEqual([0, '', expect.stringContaining('is back at the server kit 0.0.9-') as string]);
    expect(await machine.ok('root', 'readlink /opt/svc/current')).toMatch(/^0\.0\.9-/);
    await untilView('Server/sirius', 'holds it', ({ message }) => message.includes('is held at'));
    expect((await svc('server', 'add', 'sirius')).code).toBe(0);
    expect(await machine.ok('root', 'readlink /opt/svc/current')).toBe(kit.id);
  });

  test('removing the package removes account, unit and process, and leaves the data to root', async () => {
    writeDesired([...house(), packages[0] ?? '']);
    await machine.until('root', '! test -e /opt/svc-apps/mural', slowMs);
    await machine.until(
      'root',
      '! test -e /etc/svc-kit/portal/mural.env && ! getent passwd svc-mural && ! test -e /etc/systemd/system/svc-app-mural.service && ! test -e /run/svc-apps/mural',
      slowMs,
    );
    expect(await machine.ok('root', 'stat -c "%a %U" /var/lib/svc-apps/mural; cat /var/lib/svc-apps/mural/n')).toBe('700 root\n3');
    // Files in the folder keep the number of the account that is gone; an account that gets this number later does not get in.
    expect(
      (await machine.run('root', 'setpriv --reuid "$(stat -c %u /var/lib/svc-apps/mural/n)" --clear-groups cat /var/lib/svc-apps/mural/n'))
        .code,
    ).toBe(1);
    await untilView('Server/sirius', 'without it', () => true);
    await until('no object of it', async () => (await view('Service/sirius/mural')) === undefined, slowMs);
  });

  test('svc server remove refuses while somebody needs it, and takes everything off when it is told so', async () => {
    await runningPid('Backend/ana/guloso');
    const refused = await svc('server', 'remove', 'sirius');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('KIT_IN_USE') as string]);
    const done = await svc('server', 'remove', 'sirius', '--force');
    expect([done.code, done.err]).toEqual([0, '']);
    const left = await machine.ok(
      'root',
      'find /opt/svc /etc/svc /etc/svc-kit /usr/local/bin /etc/ssh/sshd_config.d -name test.conf -o -type f -print -o -type l -print 2>/dev/null; pgrep -af [s]vc-app; pgrep -af [g]uloso; ls /var/lib/systemd/linger; true',
    );
    expect(left.split('\n').toSorted()).toEqual(ofOthers.split(' ').toSorted());
    expect(await machine.ok('root', 'ls /opt/svc-apps; ls /home/ana/.svc-apps/guloso/data >/dev/null && echo data')).toBe(
      'guloso\ntorto\ndata',
    );
    await untilState('Server/sirius', 'removed');
  });
});

/** In the folders of the kit, and in that of kits of before. */
const ofOthers = '/opt/svc/clone/notes /etc/svc/casa.yaml /usr/local/bin/svc-mine /etc/ssh/sshd_config.d/50-mine.conf.off';
