/**
 * Servers over ssh, on a real loopback sshd with throw-away accounts; needs root. `node bench/ssh.ts [--short]`.
 * Click → ready: the first click of a person (no connection, no supervisor) and the next ones, against the same command started by hand as
 * the same account. Bytes: one big answer through the portal, against OpenSSH's own forward of the same socket. Idle: a portal in a process
 * of its own with a session, a supervisor and a connection for each of many accounts.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appPaths } from '../schema/server-paths.ts';
import type { ObjectView, StartAnswer } from '../schema/wire/http.ts';
import { repository, startPortal, until, type RunningPortal } from '../test/support/portal.ts';
import { startSshd, type TestAccount, type TestSshd } from '../test/support/sshd.ts';
import { cpuMsOf, watchLoad } from './load.ts';
import { signIn } from './person.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { inspect, inspectable } from './inspected.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { sayStep } from './steps.ts';

const bytesOfAnswer = 256 * 1_024 * 1_024;
/** As much of it as one reading gives at most. */
const sent = Buffer.alloc(4 << 20, 'x');

/** Serves one big answer, as fast as a backend can. */
const bigApp = `
import http from 'node:http';
const chunk = Buffer.alloc(1 << 20, 'x');
const server = http.createServer((req, res) => {
  if (req.url !== '/grande') return res.end('ok');
  let left = ${bytesOfAnswer} / chunk.length;
  res.writeHead(200, { 'content-length': left * chunk.length });
  const go = () => { while (left > 0) { left -= 1; if (left === 0) return void res.end(chunk); if (!res.write(chunk)) return void res.once('drain', go); } };
  go();
});
server.listen(process.env.SVC_APP_SOCKET);
`;

interface World {
  readonly sshd: TestSshd;
  readonly folder: string;
  readonly portal: RunningPortal;
  stop(): Promise<void>;
}

async function createWorld(accounts: number): Promise<World> {
  const sshd = await startSshd({ accounts, config: ['LogLevel INFO', 'MaxStartups 100'] });
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  try {
    const packages = join(folder, 'p');
    await mkdir(join(packages, 'grande'), { recursive: true });
    const manifest = { id: 'grande', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.mjs' } };
    await writeFile(join(packages, 'grande/svc-app.json'), JSON.stringify(manifest));
    await writeFile(join(packages, 'grande/main.mjs'), bigApp);
    await cp(join(repository, 'examples/apps/notas'), join(packages, 'notas'), { recursive: true });
    await mkdir(join(folder, 'd'));
    await writeFile(join(folder, 'd/all.yaml'), desired(sshd, packages));
    const portal = await startPortal({
      desired: join(folder, 'd'),
      state: join(folder, 's'),
      env: { SVC_LOG_LEVEL: 'error', ...inspectable },
    });
    const stop = async (): Promise<void> => {
      await portal.stop();
      await sshd.stop();
      await rm(folder, { recursive: true, force: true });
    };
    // Waits for the packages of the last person too: then everybody has both.
    const inPlace = async (): Promise<boolean> => (await objects(portal, `Backend/p${accounts - 1}/`)).length === 2;
    await until('the packages in place', inPlace, 120_000);
    return { sshd, folder, portal, stop };
  } catch (error) {
    await sshd.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function desired(sshd: TestSshd, packages: string): string {
  const ssh = { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey, key: { file: sshd.keyFile }, kit: sshd.kit, prefix: sshd.dir };
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)} }`,
    `kind: Server\nmetadata: { name: sirius }\nspec: ${JSON.stringify({ ssh })}`,
    ...sshd.accounts.map(
      ({ name }, index) =>
        `kind: Person\nmetadata: { name: p${index} }\nspec: { nome: P, login: p${index}, server: sirius, account: ${name} }`,
    ),
    ...['notas', 'grande'].map(
      (app) => `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: "1.0.0", server: sirius }`,
    ),
  ];
  return documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n');
}

async function objects(portal: RunningPortal, prefix: string): Promise<readonly ObjectView[]> {
  return (await portal.admin('GET', `/api/admin/objects?prefix=${prefix}`)).body as readonly ObjectView[];
}

/** Milliseconds until the portal says that the app answers. */
async function click(portal: RunningPortal, person: string, app: string): Promise<number> {
  const startedMs = performance.now();
  const answer = (await portal.admin('POST', `/api/admin/backends/${person}/${app}/start`)).body as StartAnswer;
  if (!answer.ready) throw new Error(`${person}/${app} did not become ready: ${JSON.stringify(answer)}`);
  return performance.now() - startedMs;
}

/** The same command by hand, as the account: milliseconds until it answers on its socket. */
async function byHand(sshd: TestSshd, account: TestAccount): Promise<number> {
  const root = join(sshd.dir, 'opt/svc-apps/notas');
  const socket = join(account.home, 'm.sock');
  rmSync(socket, { force: true });
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: account.home,
    LANG: 'C.UTF-8',
    SVC_APP_ID: 'notas-a-mao',
    SVC_APP_SOCKET: socket,
    SVC_APP_DATA: join(account.home, 'dados'),
    PYTHONPATH: join(sshd.kit, 'sdk/python'),
  };
  const startedMs = performance.now();
  const child = spawn('python3', [join(root, 'backend/main.py')], { cwd: root, uid: account.uid, gid: account.uid, env, stdio: 'ignore' });
  let failure: Error | null = null;
  child.once('error', (error) => {
    failure = error;
  });
  try {
    for (;;) {
      if (failure !== null) throw failure as Error;
      if (child.exitCode !== null) throw new Error(`started by hand it ended with ${child.exitCode}`);
      if ((await status(socket)) > 0) return performance.now() - startedMs;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  } finally {
    child.kill('SIGKILL');
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

function status(socketPath: string): Promise<number> {
  return new Promise((resolve) => {
    http
      .get({ socketPath, path: '/' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
      .on('error', () => resolve(0));
  });
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;

async function clickRows(rounds: number): Promise<readonly Row[]> {
  const world = await createWorld(rounds);
  const { portal, sshd } = world;
  const figures = { hand: [] as number[], cold: [] as number[], warm: [] as number[] };
  try {
    for (const [index, account] of sshd.accounts.entries()) {
      figures.hand.push(await byHand(sshd, account));
      // Nobody is there and nothing is wanted: the portal makes no connection before the click.
      sshd.cut(account.name);
      await until('its connection to end', () => sshd.connections(account.name) === 0);
      figures.cold.push(await click(portal, `p${index}`, 'notas'));
      await portal.admin('POST', `/api/admin/backends/p${index}/notas/stop`);
      await until('it stopped', async () => (await objects(portal, `Backend/p${index}/notas`))[0]?.state === 'stopped');
      figures.warm.push(await click(portal, `p${index}`, 'notas'));
      await portal.admin('POST', `/api/admin/backends/p${index}/notas/stop`);
    }
  } finally {
    await world.stop();
  }
  const hand = median(figures.hand);
  const row = (name: string, values: readonly number[], msMax: number | null): Row => {
    const added = median(values) - hand;
    return {
      name,
      ours: percentilesOf(values, ms),
      peer: `by hand: ${percentilesOf(figures.hand, ms)}`,
      ratio: `${added < 0 ? '−' : '+'}${Math.abs(added).toFixed(0)} ms`,
      target: msMax === null ? 'none: a sign-in of sshd is in it' : `p50 ≤ +${msMax} ms`,
      held: msMax === null ? null : added <= msMax,
    };
  };
  return [
    row('click → ready, connection and supervisor there (warm)', figures.warm, 400),
    row('click → ready, neither connection nor supervisor (cold)', figures.cold, null),
  ];
}

/** Megabytes a second of one answer, read as fast as this process can; every byte of it is the one that was sent. */
function fetchBig(options: http.RequestOptions): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const asked = http.get({ ...options, path: '/grande' }, (answer) => {
      let bytes = 0;
      let isSame = true;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        isSame &&= chunk.compare(sent, 0, chunk.length) === 0;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode !== 200 || bytes !== bytesOfAnswer || !isSame) reject(new Error(`${answer.statusCode} with ${bytes} bytes`));
        else resolve(bytes / 1e3 / (performance.now() - startedMs));
      });
    });
    asked.on('error', reject);
  });
}

/** `ssh -L`: what people use to reach a socket of a server. */
async function startForward(
  { sshd, folder }: World,
  account: TestAccount,
  remote: string,
): Promise<{ readonly socket: string; readonly child: ChildProcess }> {
  const socket = join(folder, 'f.sock');
  const argv = ['-N', '-F', 'none', '-i', sshd.keyFile, '-p', String(sshd.port), '-L', `${socket}:${remote}`];
  const trust = [
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-o',
    'LogLevel=ERROR',
    '-o',
    'ExitOnForwardFailure=yes',
  ];
  const child = spawn('ssh', [...argv, ...trust, `${account.name}@127.0.0.1`], { stdio: 'inherit' });
  await until('the forward', async () => (await status(socket)) === 200);
  return { socket, child };
}

async function bytesRows(rounds: number, profiling: Profiling | null): Promise<readonly Row[]> {
  const world = await createWorld(1);
  const { portal, sshd } = world;
  const account = sshd.accounts[0]!;
  const ours: number[] = [];
  const peer: number[] = [];
  const ourCpuMs: number[] = [];
  const peerCpuMs: number[] = [];
  const loads: number[] = [];
  let forward: ChildProcess | null = null;
  try {
    await click(portal, 'p0', 'grande');
    const { socket, child } = await startForward(world, account, appPaths({ home: account.home, prefix: sshd.dir }, 'grande').socket);
    forward = child;
    const cookie = await appCookie(portal, 'grande');
    const through = { host: '127.0.0.1', port: portal.port, headers: { host: `grande.svc.localhost:${portal.port}`, cookie } };
    const inspected = profiling === null ? null : await inspect(portal.child);
    for (let n = -1; n < rounds; n += 1) {
      const load = watchLoad();
      if (inspected !== null) await profiling?.begin(inspected);
      const one = await withCpu(portal.pid, () => fetchBig(through));
      if (inspected !== null) await profiling?.end(inspected);
      const other = await withCpu(child.pid ?? 0, () => fetchBig({ socketPath: socket, headers: { host: 'app' } }));
      // The first round warms both up.
      if (n < 0) continue;
      loads.push(Number.parseFloat(load.share()));
      ours.push(one.result);
      peer.push(other.result);
      ourCpuMs.push(one.cpuMs);
      peerCpuMs.push(other.cpuMs);
    }
    if (profiling !== null) sayStep(`ssh: ${profiling.write('svc portal, answers of 256 MB through a channel of ssh')}`);
  } finally {
    forward?.kill();
    await world.stop();
  }
  const ratio = median(ours) / median(peer);
  const told = (rates: readonly number[]): string =>
    `${median(rates).toFixed(0)} MB/s; ${percentilesOf(
      rates.map((rate) => bytesOfAnswer / 1e3 / rate),
      ms,
    )}`;
  return [
    {
      name: `proxy over the ssh channel, one answer of ${bytesOfAnswer >> 20} MB (load ${median(loads).toFixed(0)} %)`,
      ours: told(ours),
      peer: `ssh -L alone, no proxy: ${told(peer)}`,
      ratio: `${ratio.toFixed(2)}×`,
      target: '≥ 0.8×',
      held: ratio >= 0.8,
    },
    {
      name: '… CPU of the portal for it, and of ssh (says more than the time on a busy machine)',
      ours: `${median(ourCpuMs).toFixed(0)} ms (${percentilesOf(ourCpuMs, ms)})`,
      peer: `${median(peerCpuMs).toFixed(0)} ms (${percentilesOf(peerCpuMs, ms)})`,
      ratio: `${(median(ourCpuMs) / median(peerCpuMs)).toFixed(2)}×`,
      target: 'none: ssh knows no person, host or session',
      held: null,
    },
  ];
}

async function withCpu<Result>(pid: number, work: () => Promise<Result>): Promise<{ readonly result: Result; readonly cpuMs: number }> {
  const before = cpuMsOf(pid);
  const result = await work();
  return { result, cpuMs: cpuMsOf(pid) - before };
}

async function appCookie(portal: RunningPortal, app: string): Promise<string> {
  const host = `svc.localhost:${portal.port}`;
  const browser = await signIn(portal, 'p0');
  await browser.visit(`http://${app}.${host}/`);
  return browser.cookies.get(`${app}.${host}`) ?? '';
}

async function pssMb(pid: number): Promise<number> {
  return Number(/^Pss:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1_024;
}

/** A number alone: nobody offers the same, so there is no peer to compare with. */
async function idleRows(accounts: number, seconds: number): Promise<readonly Row[]> {
  const world = await createWorld(accounts);
  const { portal, sshd } = world;
  try {
    const startedMs = performance.now();
    const people = sshd.accounts.map((_account, index) => `p${index}`);
    for (const person of people) await signIn(portal, person);
    const up = async (): Promise<boolean> =>
      (await objects(portal, 'Supervisor/')).filter(({ state }) => state === 'up').length === accounts;
    await until('a supervisor for each session', up, 900_000);
    const upMs = performance.now() - startedMs;
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    sayStep(`ssh: ${accounts} accounts are there`);
    const [before, load] = [cpuMsOf(portal.pid), watchLoad()];
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const cpu = (cpuMsOf(portal.pid) - before) / (seconds * 10);
    const share = load.share();
    const asked: number[] = [];
    for (let n = 0; n < 100; n += 1) {
      const fromMs = performance.now();
      const seen = await objects(portal, `Supervisor/p${n % accounts}`);
      asked.push(performance.now() - fromMs);
      if (seen[0]?.state !== 'up') throw new Error(`the supervisor of p${n % accounts} is not up at the end`);
    }
    const memory = await pssMb(portal.pid);
    const connected = readFileSync(join(sshd.dir, 'log'), 'utf8').split('Accepted publickey').length - 1;
    const alone = (name: string, ours: string): Row => ({
      name,
      ours,
      peer: '—',
      ratio: '—',
      target: 'none: nobody offers the same',
      held: null,
    });
    return [
      alone(
        `portal, ${accounts} accounts with a session, supervisor and connection each: CPU over ${seconds} s (load ${share})`,
        `${cpu.toFixed(1)} % of a core; one question then ${percentilesOf(asked, (value) => `${value.toFixed(1)} ms`)}`,
      ),
      alone('… its memory (PSS)', `${memory.toFixed(0)} MB`),
      alone('… from the first sign-in to the last supervisor up', `${(upMs / 1_000).toFixed(0)} s, ${connected} connections made`),
    ];
  } finally {
    await world.stop();
  }
}

export const sshArea: Area = async ({ short }) => {
  const [profiling, rounds] = [profilingOf(), short ? 3 : 7];
  if (profiling !== null) return await bytesRows(rounds, profiling);
  return [
    ...(await clickRows(rounds)),
    ...(await bytesRows(rounds, null)),
    // SVC_BENCH_ACCOUNTS: fewer where the memory for that many supervisors is missing (about 15 MB each).
    ...(await idleRows(short ? 10 : Number(process.env['SVC_BENCH_ACCOUNTS'] ?? 500), short ? 10 : 30)),
  ];
};
