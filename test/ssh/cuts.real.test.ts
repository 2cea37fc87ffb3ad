/**
 * The network breaks at every step of what the portal does on a server: at each of its fault points, and after so many bytes of a
 * supervisor's start and of an installation. Afterwards everything is as it was wanted, once, and what ran before runs still.
 * A seed takes every fourth point and every second length; SVC_TEST_LONG=1 takes all.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { watchFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import type { Host } from '../../controller/hosts/host.ts';
import { createSshHost } from '../../controller/hosts/ssh/host.ts';
import { SvcError } from '../../schema/errors.ts';
import { openCutLine, type CutLine } from '../support/cut-line.ts';
import { tellCount } from '../support/counts.ts';
import { until } from '../support/portal.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { createSshWorld, sshHostOptions, type SshWorld } from './world.ts';

/** Two scans of the spec, and what they take more on a slow machine. */
const twoScansMs = 20_000 + 25_000;
const long = process.env['SVC_TEST_LONG'] === '1';
const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Takes every `step`-th of the points, from a place that the seed says. */
const chosen = <Point>(points: readonly Point[], step: number): readonly Point[] =>
  long ? points : points.filter((_, at) => at % step === seed % step);

// The tests of one group mostly wait for a scan, those of the other for processes: each group has a server and a line of its own, and they
// go on beside each other. In a group a test comes after the one before it.
const inTurn = { concurrent: false } as const;
describe.concurrent('a line', () => {
  portalTests();
  byteTests();
});

function portalTests(): void {
  describe('to a portal is cut', () => {
    let world: SshWorld;
    let line: CutLine;
    let watching: NodeJS.Timeout;
    const worst: Record<string, number> = {};
    beforeAll(async () => {
      world = await createSshWorld({
        apps: ['notas', 'relogio'],
        pinned: ['notas'],
        port: async (sshd) => {
          line = await openCutLine(sshd.port);
          return line.port;
        },
      });
      await world.whenState('Backend/p0/notas', 'running', 60_000);
      await world.whenState('Package/relogio', 'installed', 60_000);
      watching = setInterval(() => {
        for (const app of ['notas', 'relogio']) worst[app] = Math.max(worst[app] ?? 0, world.backends(app).length);
        worst['supervisor'] = Math.max(worst['supervisor'] ?? 0, world.supervisors().length);
      }, 150);
    }, 120_000);
    afterEach(() => watchFaultPoints(null));
    afterAll(async () => {
      tellCount(`cuts: ${[...points, ...installs].join(' ')} of ${startAndStop.length + 2} points, seed ${seed}`);
      clearInterval(watching);
      await world?.stop();
      await line?.close();
    });

    /** Cuts everything the first time that the portal gets there. */
    function cutAt(point: FaultPoint): () => boolean {
      let wasCut = false;
      watchFaultPoints((name) => {
        if (name !== point || wasCut) return;
        wasCut = true;
        line.cut();
      });
      return () => wasCut;
    }

    const startAndStop = [
      'supervisor/before-spawn',
      'supervisor/spawned',
      'supervisor/greeted',
      'start/before-send',
      'start/sent',
      'start/confirmed',
      'probe/before',
      'probe/answered',
      'stop/before-send',
      'stop/sent',
      'stop/confirmed',
    ] as const satisfies readonly FaultPoint[];

    const points = chosen(startAndStop, 4);
    const installs = chosen(['install/before', 'install/done'] as const, 2);

    test.for(points)(
      'at %s: starts and stops once all the same, and stops nothing else',
      { ...inTurn, timeout: 120_000 },
      async (point, { expect }) => {
        const [notas] = world.backends('notas');
        if (point.startsWith('supervisor/')) for (const pid of world.supervisors()) process.kill(pid, 'SIGKILL');
        const wasCut = cutAt(point);
        await world.order('p0', 'start', 'relogio');
        if (wasCut()) await world.pass();
        await world.whenState('Backend/p0/relogio', 'running', twoScansMs);
        expect(world.backends('relogio')).toHaveLength(1);
        await world.order('p0', 'stop', 'relogio');
        if (wasCut()) await world.pass();
        await world.whenState('Backend/p0/relogio', 'stopped', twoScansMs);
        await until('no process of relogio', () => world.backends('relogio').length === 0, twoScansMs);
        expect(wasCut()).toBe(true);
        await world.whenState('Backend/p0/notas', 'running', twoScansMs);
        expect(world.backends('notas')).toEqual([notas]);
        expect(world.supervisors()).toHaveLength(1);
      },
    );

    test.for(installs)('at %s: the package is in place in the end', { ...inTurn, timeout: 120_000 }, async (point, { expect }) => {
      const wasCut = cutAt(point);
      rmSync(`${world.sshd.dir}/opt/svc-apps/relogio`);
      rmSync(`${world.sshd.dir}/opt/svc-apps/.versions/relogio`, { recursive: true });
      // The portal observes a server when its connection breaks.
      line.cut();
      await until('the cut', wasCut, twoScansMs);
      await world.pass();
      await until('relogio in place', () => readdirSync(`${world.sshd.dir}/opt/svc-apps`).includes('relogio'), 60_000);
      await world.whenState('Package/relogio', 'installed', 60_000);
      expect((await world.order('p0', 'start', 'relogio')).ready).toBe(true);
      await world.order('p0', 'stop', 'relogio');
    });

    test(
      'unreachable is unknown, with since and the cause; nothing is stopped, and all is seen again',
      { ...inTurn, timeout: 120_000 },
      async ({ expect }) => {
        const before = world.backends('notas');
        line.refuse(true);
        line.cut();
        const server = await world.whenState('Server/sirius', 'unknown', twoScansMs);
        expect(server).toMatchObject({
          reason: 'ServerUnreachable',
          message: expect.stringMatching(/no ssh connection to root@127\.0\.0\.1:\d+: /) as string,
        });
        expect(server.conditions.find(({ type }) => type === 'Reachable')).toMatchObject({ status: 'False' });
        expect(Date.now() - (server.conditions[0]?.sinceMs ?? 0)).toBeLessThan(60_000);
        const app = await world.whenState('Backend/p0/notas', 'unknown', twoScansMs);
        expect(app).toMatchObject({ reason: 'ServerUnreachable', message: expect.stringContaining('last known: running') as string });
        expect(world.backends('notas')).toEqual(before);
        line.refuse(false);
        await world.whenState('Server/sirius', 'ready', twoScansMs);
        await world.whenState('Backend/p0/notas', 'running', twoScansMs);
        expect(world.backends('notas')).toEqual(before);
      },
    );

    test('a line that goes silent is noticed without a word from TCP', { ...inTurn, timeout: 120_000 }, async ({ expect }) => {
      const before = world.backends('notas');
      line.silence(true);
      await world.whenState('Backend/p0/notas', 'unknown', 60_000);
      line.silence(false);
      await world.pass();
      await world.whenState('Backend/p0/notas', 'running', 60_000);
      expect(world.backends('notas')).toEqual(before);
    });

    test('a WebSocket that ran through the line ends, and the page’s next one works', inTurn, async ({ expect }) => {
      const browser = await world.signedIn('p0');
      const host = world.appHost('relogio');
      expect((await browser.visit(`http://${host}/`)).status).toBe(200);
      const open = () => browser.socket('/ws', { host, origin: `http://${host}` });
      const first = open();
      await new Promise((resolve) => first.once('message', resolve));
      const closed = new Promise((resolve) => first.once('close', resolve));
      line.cut();
      expect(await closed).not.toBe(1000);
      await until(
        'a WebSocket again',
        () =>
          new Promise<boolean>((resolve) => {
            const next = open();
            next.once('message', () => {
              next.close();
              resolve(true);
            });
            next.once('error', () => resolve(false));
          }),
        twoScansMs,
      );
    });

    test('in all of this nothing ran twice', inTurn, ({ expect }) => {
      expect(worst).toEqual({ notas: 1, relogio: 1, supervisor: 1 });
    });
  });
}

function byteTests(): void {
  describe('ends after so many bytes', () => {
    let sshd: TestSshd;
    let line: CutLine;
    let source: string;
    let host: Host;
    beforeAll(async () => {
      sshd = await startSshd();
      line = await openCutLine(sshd.port);
      source = mkdtempSync(join(tmpdir(), 'svcq-'));
      mkdirSync(join(source, 'backend'));
      writeFileSync(
        join(source, 'backend/main.py'),
        `# ${Array.from({ length: 4_000 }, (_unused, n) => (n * 2_654_435_761) % 4_294_967_296).join(' ')}\n`,
      );
      host = newHost();
    });
    afterAll(async () => {
      await host?.close();
      await line?.close();
      await sshd?.stop();
      rmSync(source, { recursive: true, force: true });
    });

    const newHost = (): Host =>
      createSshHost(sshHostOptions(sshd, { target: { host: '127.0.0.1', port: line.port, hostKey: sshd.hostKey } }));
    const writeVersion = (version: string): void =>
      writeFileSync(
        join(source, 'svc-app.json'),
        JSON.stringify({ id: 'ola', version, backend: { runtime: 'python3', entrypoint: 'backend/main.py' } }),
      );
    const installers = (): number =>
      readdirSync('/proc').filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${sshd.kit}/build/kit/svc-app-install`);
        } catch {
          return false;
        }
      }).length;

    /** Tries with ever longer lines until one is long enough; answers how many were cut, and with which codes. */
    async function cutEverywhere(
      step: number,
      act: (host: Host) => Promise<unknown>,
      look: () => Promise<void>,
    ): Promise<{ cuts: number; codes: Set<string> }> {
      const codes = new Set<string>();
      const stride = long ? step : 2 * step;
      const first = long || seed % 2 === 0 ? 1 : 1 + step;
      for (let cuts = 0, bytes = first; ; cuts += 1, bytes += stride) {
        line.cutAfter(bytes);
        const trial = newHost();
        const error = await act(trial).then(
          () => null,
          (reason: unknown) => reason,
        );
        await trial.close();
        line.cutAfter(null);
        if (error === null) return { cuts, codes };
        codes.add(error instanceof SvcError ? error.code : (error as Error).message);
        await look();
      }
    }

    test(
      'starting a supervisor: 0 orphans, never two, and the next attempt succeeds',
      { ...inTurn, timeout: 280_000 },
      async ({ expect }) => {
        const account = sshd.accounts[0]!;
        const supervisors = (): readonly number[] =>
          sshd
            .processes()
            .flatMap(({ pid, argv }) =>
              argv.some((word) => word.endsWith('svc-app-supervisor.cjs')) && argv[0]?.endsWith('flock') !== true ? [pid] : [],
            );
        const { cuts, codes } = await cutEverywhere(
          331,
          (trial) => trial.startSupervisor(account.name),
          async () => expect(supervisors().length).toBeLessThanOrEqual(1),
        );
        tellCount(`cuts: starting a supervisor, ${cuts} lengths, told as ${[...codes].join(' ')}, seed ${seed}`);
        expect(cuts).toBeGreaterThan(long ? 10 : 5);
        expect([...codes].filter((code) => !['SERVER_UNREACHABLE', 'SUPERVISOR_FAILED'].includes(code))).toEqual([]);
        await host.startSupervisor(account.name);
        await until('one supervisor and no shell that waits for it', () => supervisors().length === 1 && sshd.processes().length === 1);
      },
    );

    test(
      'installing: the version before or the new one is whole at every moment, and nothing is left over',
      { ...inTurn, timeout: 280_000 },
      async ({ expect }) => {
        writeVersion('1.0.0');
        const first = await host.install({ kind: 'folder', path: source }, 'sistema', null);
        writeVersion('2.0.0');
        const { cuts, codes } = await cutEverywhere(
          997,
          (trial) => trial.install({ kind: 'folder', path: source }, 'sistema', null),
          async () => {
            const [found] = await host.installed(null);
            const whole = found?.version === '1.0.0' ? first : { ...found, version: '2.0.0', delivered: found?.hash };
            expect(found).toEqual(whole);
          },
        );
        tellCount(`cuts: installing, ${cuts} lengths, told as ${[...codes].join(' ')}, seed ${seed}`);
        expect(cuts).toBeGreaterThan(long ? 20 : 10);
        expect([...codes].filter((code) => code !== 'SERVER_UNREACHABLE')).toEqual([]);
        await until('no installer that waits', () => installers() === 0);
        writeVersion('3.0.0');
        expect(await host.install({ kind: 'folder', path: source }, 'sistema', null)).toMatchObject({ version: '3.0.0' });
        const left = readdirSync(join(sshd.dir, 'opt/svc-apps')).filter((name) => name !== 'ola' && name !== '.versions');
        expect(left).toEqual([]);
      },
    );

    test('half an answer is never passed off as a whole one', inTurn, async ({ expect }) => {
      const account = sshd.accounts[0]!;
      const file = join(account.home, 'meio');
      const sockets: net.Socket[] = [];
      const server = net.createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.write(Buffer.alloc(300_000, 'x'));
      });
      await new Promise<void>((resolve) => server.listen(file, resolve));
      chmodSync(file, 0o777);
      for (const isRead of [true, false]) {
        const stream = await host.dial(account.name, file);
        let bytes = 0;
        let ended = false;
        stream.on('end', () => {
          ended = true;
        });
        const over = new Promise<Error>((resolve) => stream.once('error', resolve));
        if (isRead) {
          stream.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          await until('the bytes', () => bytes === 300_000);
        }
        line.cut();
        expect(await over).toMatchObject({ code: 'SERVER_UNREACHABLE' });
        expect(ended).toBe(false);
      }
      for (const socket of sockets) socket.destroy();
      server.close();
    });
  });
}
