/**
 * Files of a person over ssh, beside OpenSSH's own `sftp` to the same sshd: a folder of 10,000 entries, also beside Cockpit's bridge on the same
 * account, and bytes up and down, by curl through a portal. Needs root, since an sshd becomes other people.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { query } from '../test/files/support/files-world.ts';
import { startPortal, type RunningPortal } from '../test/support/portal.ts';
import { startSshd, type TestSshd } from '../test/support/sshd.ts';
import { startCockpitBridge } from './peers/cockpit-bridge.ts';
import { inspect, inspectable, type Inspected } from './inspected.ts';
import { cpuMsOf, watchLoad } from './load.ts';
import { signIn } from './person.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const entries = 10_000;

interface Bench {
  readonly sshd: TestSshd;
  readonly portal: RunningPortal;
  readonly cookie: string;
  readonly home: string;
  readonly account: string;
  readonly look: { readonly profiling: Profiling; readonly inspected: Inspected } | null;
}

/** Seconds of a command that has to succeed. */
async function timed(command: string, args: readonly string[], input = ''): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${said}`);
  return (performance.now() - startedMs) / 1_000;
}

const sshOptions = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'Compression=no'];

function sftp({ sshd, account }: Bench, batch: string): Promise<number> {
  const words = sshOptions.flatMap((option) => ['-o', option]);
  const { keyFile, port } = sshd;
  return timed('sftp', ['-q', ...words, '-i', keyFile, '-P', String(port), '-b', '-', `${account}@127.0.0.1`], `${batch}\n`);
}

const headersOf = ({ portal, cookie }: Bench): Readonly<Record<string, string>> => {
  const host = `svc.localhost:${portal.port}`;
  return { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
};

function curl(bench: Bench, path: string, more: readonly string[] = []): Promise<number> {
  const { port } = bench.portal;
  const headers = Object.entries(headersOf(bench)).map(([name, value]) => `${name}: ${value}`);
  const words = [...headers, 'expect:'].flatMap((header) => ['-H', header]);
  return timed('curl', ['-sS', '-f', ...words, ...more, `http://127.0.0.1:${port}${path}`]);
}

const memoryMb = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Seconds of each turn, and what the load itself took of a CPU meanwhile: the clients of both, sftp as a whole. */
interface Side {
  readonly seconds: readonly number[];
  readonly load: string;
  readonly cpuMs: number;
}

/** Turn by turn; the first turn warms both. */
async function pairs(bench: Bench, rounds: number, ours: () => Promise<number>, theirs: () => Promise<number>): Promise<[Side, Side]> {
  const { look, portal } = bench;
  const turn = async (work: () => Promise<number>) => {
    const [load, before] = [watchLoad(), cpuMsOf(portal.pid)];
    return { seconds: await work(), load: load.share(), cpuMs: cpuMsOf(portal.pid) - before };
  };
  const both: [Awaited<ReturnType<typeof turn>>[], Awaited<ReturnType<typeof turn>>[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const peer = await turn(theirs);
    if (round > 0) await look?.profiling.begin(look.inspected);
    const own = await turn(ours);
    if (round === 0) continue;
    await look?.profiling.end(look.inspected);
    both[0].push(own);
    both[1].push(peer);
  }
  const side = (turns: (typeof both)[number]): Side => ({
    seconds: turns.map((one) => one.seconds),
    load: `${median(turns.map(({ load }) => Number.parseFloat(load))).toFixed(0)} %`,
    cpuMs: median(turns.map((one) => one.cpuMs)),
  });
  return [side(both[0]), side(both[1])];
}

const timesOf = ({ seconds: all }: Side): string => percentilesOf(all, (one) => `${(one * 1_000).toFixed(0)} ms`);
const loadsOf = ([ours, peer]: readonly [Side, Side]): string => `(load ${ours.load} · ${peer.load})`;

interface Compared {
  readonly name: string;
  readonly peer: string;
  readonly ratioMax: number;
}

function timeRow(sides: readonly [Side, Side], { name, peer, ratioMax }: Compared): Row {
  const ratio = median(sides[0].seconds) / median(sides[1].seconds);
  return {
    name: `${name} ${loadsOf(sides)}`,
    ours: timesOf(sides[0]),
    peer: `${peer}: ${timesOf(sides[1])}`,
    ratio: ratio.toFixed(2),
    target: `≤ ${ratioMax}×`,
    held: ratio <= ratioMax,
  };
}

async function listing(bench: Bench, rounds: number): Promise<Row> {
  const folder = `${bench.home}/muitos`;
  mkdirSync(folder);
  for (let n = 0; n < entries; n += 1) writeFileSync(`${folder}/arquivo-${n}.txt`, '');
  const path = `/api/arquivos/lista?${query(folder, { limite: '500' })}`;
  const sides = await pairs(
    bench,
    rounds,
    () => curl(bench, path),
    () => sftp(bench, `ls -l ${folder}`),
  );
  const name = `list ${entries} entries, sorted, first page of 500; \`sftp ls -l\` with its sign-in`;
  return timeRow(sides, { name, peer: 'sftp', ratioMax: 1.5 });
}

/** All entries by pages of 5,000, as a page of the shell that scrolls to the end asks for them. */
async function allNames(bench: Bench, folder: string): Promise<readonly string[]> {
  const { port } = bench.portal;
  const headers = headersOf(bench);
  const names: string[] = [];
  let version: string | null = null;
  for (;;) {
    const more: Record<string, string> = version === null ? {} : { versao: version };
    const path = `/api/arquivos/lista?${query(folder, { limite: '5000', desde: String(names.length), ...more })}`;
    const text = await new Promise<string>((resolve, reject) => {
      const req = http.get({ host: '127.0.0.1', port, path, headers }, (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('end', () => resolve(Buffer.concat(parts).toString()));
      });
      req.on('error', reject);
    });
    const page = JSON.parse(text) as {
      readonly total: number;
      readonly versao: string;
      readonly itens: readonly { readonly nome: string }[];
    };
    names.push(...page.itens.map(({ nome }) => nome));
    version = page.versao;
    if (names.length >= page.total || page.itens.length === 0) return names;
  }
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
};

/** Cockpit tells a folder in one go and in no order, and its page sorts it: ours is there sorted, the first page of it at once. */
async function besideCockpit(bench: Bench, rounds: number): Promise<readonly Row[]> {
  const folder = `${bench.home}/muitos`;
  const { keyFile, port } = bench.sshd;
  const options = sshOptions.flatMap((option) => ['-o', option]);
  const words = [...options, '-i', keyFile, '-p', String(port), `${bench.account}@127.0.0.1`, 'cockpit-bridge'];
  const bridge = await startCockpitBridge('ssh', words);
  const cold = async (): Promise<void> => {
    const once = await startCockpitBridge('ssh', words);
    await once.list(folder);
    once.end();
  };
  try {
    const [ours, theirs] = [await allNames(bench, folder), await bridge.list(folder)];
    if (ours.length !== entries || ours.toSorted().join('/') !== theirs.toSorted().join('/'))
      throw new Error('the names differ from those of Cockpit');
    const path = `/api/arquivos/lista?${query(folder, { limite: '500' })}`;
    const row = (name: string, sides: readonly [Side, Side]): Row => timeRow(sides, { name, peer: 'Cockpit', ratioMax: 1 });
    const warm = (): Promise<number> => seconds(() => bridge.list(folder));
    const fresh = (): Promise<number> => seconds(cold);
    const page = (): Promise<number> => curl(bench, path);
    const whole = (): Promise<number> => seconds(() => allNames(bench, folder));
    return [
      row('… the same; Cockpit: all of them', await pairs(bench, rounds, page, warm)),
      row('… all pages, sorted; the same', await pairs(bench, rounds, whole, warm)),
      row('… the first page; Cockpit with its sign-in', await pairs(bench, rounds, page, fresh)),
    ];
  } finally {
    bridge.end();
  }
}

/** Writes random bytes, which do not compress and repeat nowhere. */
function writeRandom(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  const piece = Buffer.alloc(1_024 * 1_024);
  for (let at = 0; at < bytes; at += piece.length) writeSync(file, randomFillSync(piece));
  closeSync(file);
}

async function transfers(bench: Bench, bytes: number, rounds: number): Promise<readonly Row[]> {
  const { home } = bench;
  const [local, back] = [join(bench.sshd.dir, 'grande'), join(bench.sshd.dir, 'volta')];
  writeRandom(local, bytes);
  execFileSync('cp', [local, `${home}/baixar`]);
  const { pid } = bench.portal;
  const before = memoryMb(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, memoryMb(pid))), 20);
  const uploaded = `/api/arquivos/conteudo?${query(`${home}/subir`)}`;
  const downloaded = `/api/arquivos/conteudo?${query(`${home}/baixar`)}`;
  const body = ['-T', local, '-H', 'content-type: application/octet-stream', '-o', '/dev/null'];
  sayStep('files: up');
  const up = await pairs(
    bench,
    rounds,
    () => curl(bench, uploaded, body),
    () => sftp(bench, `put -f ${local} ${home}/subir-sftp`),
  );
  sayStep('files: down');
  const down = await pairs(
    bench,
    rounds,
    () => curl(bench, downloaded, ['-o', '/dev/null']),
    () => sftp(bench, `get ${home}/baixar /dev/null`),
  );
  clearInterval(watch);
  await curl(bench, downloaded, ['-o', back]);
  for (const other of [`${home}/subir`, `${home}/subir-sftp`, back]) execFileSync('cmp', [local, other]);
  rmSync(local);
  const mb = bytes / 1e6;
  const rate = ({ seconds: all }: Side): string => `${(mb / median(all)).toFixed(0)} MB/s`;
  const row = (name: string, sides: readonly [Side, Side]): readonly Row[] => {
    const [ours, peer] = sides;
    const ratio = median(peer.seconds) / median(ours.seconds);
    return [
      {
        name: `${mb.toFixed(0)} MB ${name} ${loadsOf(sides)}`,
        ours: `${rate(ours)}; ${timesOf(ours)}`,
        peer: `sftp: ${rate(peer)}; ${timesOf(peer)}`,
        ratio: ratio.toFixed(2),
        target: '≥ 0.8×',
        held: ratio >= 0.8,
      },
      {
        name: '… CPU of the portal for it',
        ours: `${ours.cpuMs.toFixed(0)} ms`,
        peer: '–',
        ratio: '–',
        target: 'none: sftp has no portal between',
        held: null,
      },
    ];
  };
  const grown = most - before;
  return [
    ...row('up, with fsync', up),
    ...row('down', down),
    {
      name: 'memory of the portal during these',
      ours: `${grown.toFixed(0)} MB (at most ${most.toFixed(0)} MB in all)`,
      peer: '-',
      ratio: '-',
      target: '< 128 MB',
      held: grown < 128,
    },
  ];
}

function desired(sshd: TestSshd): string {
  const ssh = { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey, key: { file: sshd.keyFile }, kit: sshd.kit, prefix: sshd.dir };
  const person = { nome: 'Ana', login: 'ana', server: 'sirius', account: sshd.accounts[0]?.name };
  const documents = [
    { kind: 'Portal', metadata: { name: 'casa' }, spec: {} },
    { kind: 'Server', metadata: { name: 'sirius' }, spec: { ssh } },
    { kind: 'Person', metadata: { name: 'ana' }, spec: person },
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'svc/v1', ...one })).join('\n---\n');
}

export const filesArea: Area = async ({ short }) => {
  if (spawnSync('sftp', ['-V']).error || spawnSync('curl', ['-V']).error) throw new Error('sftp (openssh-client) and curl are needed');
  const sshd = await startSshd({ accounts: 1, config: ['Subsystem sftp internal-sftp', 'LogLevel ERROR'] });
  const folder = join(sshd.dir, 'portal');
  try {
    const [account] = sshd.accounts;
    if (account === undefined) throw new Error('no account');
    chownSync(account.home, account.uid, account.uid);
    mkdirSync(join(folder, 'd'), { recursive: true });
    writeFileSync(join(folder, 'd/all.yaml'), desired(sshd));
    const profiling = profilingOf();
    const env = { SVC_LOG_LEVEL: 'error', ...(profiling === null ? {} : inspectable) };
    const portal = await startPortal({ desired: join(folder, 'd'), state: join(folder, 's'), env });
    try {
      const cookie = (await signIn(portal, 'ana')).cookies.get(`svc.localhost:${portal.port}`) ?? '';
      const look = profiling === null ? null : { profiling, inspected: await inspect(portal.child) };
      const bench: Bench = { sshd, portal, cookie, home: account.home, account: account.name, look: null };
      const rounds = short ? 2 : 5;
      const megabytes = short ? 128 : 512;
      sayStep('files: a folder of many');
      const listed = look === null ? [await listing(bench, rounds), ...(await besideCockpit(bench, rounds))] : [];
      const moved = await transfers({ ...bench, look }, megabytes * 1_024 * 1_024, rounds);
      look?.profiling.write(`The portal while files of ${megabytes} MB go up and down`);
      return [...listed, ...moved];
    } finally {
      await portal.stop();
    }
  } finally {
    await sshd.stop();
  }
};
