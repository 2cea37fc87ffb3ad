/**
 * Files of a person over ssh, beside OpenSSH's own `sftp` to the same sshd: a folder of 10,000 entries, also beside Cockpit's bridge on the same
 * account, and bytes up and down, by curl through a portal. Needs root, since an sshd becomes other people.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { query } from '../test/files/support/files-world.ts';
import { startPortal, type RunningPortal } from '../test/support/portal.ts';
import { startSshd, type TestSshd } from '../test/support/sshd.ts';
import { startCockpitBridge } from './peers/cockpit-bridge.ts';
import { signIn } from './person.ts';
import { median, type Area, type Row } from './rows.ts';

const entries = 10_000;

interface Bench {
  readonly sshd: TestSshd;
  readonly portal: RunningPortal;
  readonly cookie: string;
  readonly home: string;
  readonly account: string;
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

/** Turn by turn; the first turn warms both. */
async function pairs(rounds: number, ours: () => Promise<number>, theirs: () => Promise<number>): Promise<readonly [number, number]> {
  const [own, peer]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await theirs(), await ours()] as const;
    if (round === 0) continue;
    peer.push(pair[0]);
    own.push(pair[1]);
  }
  return [median(own), median(peer)];
}

async function listing(bench: Bench, rounds: number): Promise<Row> {
  const folder = `${bench.home}/muitos`;
  mkdirSync(folder);
  for (let n = 0; n < entries; n += 1) writeFileSync(`${folder}/arquivo-${n}.txt`, '');
  const path = `/api/arquivos/lista?${query(folder, { limite: '500' })}`;
  const [ours, peer] = await pairs(
    rounds,
    () => curl(bench, path),
    () => sftp(bench, `ls -l ${folder}`),
  );
  return {
    name: `list ${entries} entries, sorted, first page of 500; \`sftp ls -l\` with its sign-in`,
    ours: `${(ours * 1_000).toFixed(0)} ms`,
    peer: `${(peer * 1_000).toFixed(0)} ms`,
    ratio: (ours / peer).toFixed(2),
    target: '≤ 1.5×',
    held: ours / peer <= 1.5,
  };
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
    const row = (name: string, [own, peer]: readonly [number, number]): Row => ({
      name,
      ours: `${(own * 1_000).toFixed(0)} ms`,
      peer: `Cockpit: ${(peer * 1_000).toFixed(0)} ms`,
      ratio: (own / peer).toFixed(2),
      target: '≤ 1×',
      held: own <= peer,
    });
    const warm = (): Promise<number> => seconds(() => bridge.list(folder));
    return [
      row('… the same; Cockpit: all of them by `fslist1`, its bridge is up', await pairs(rounds, () => curl(bench, path), warm)),
      row('… all pages, sorted; the same', await pairs(rounds, () => seconds(() => allNames(bench, folder)), warm)),
      row(
        '… the first page; Cockpit with its sign-in and a bridge that starts',
        await pairs(
          rounds,
          () => curl(bench, path),
          () => seconds(cold),
        ),
      ),
    ];
  } finally {
    bridge.end();
  }
}

async function transfers(bench: Bench, bytes: number, rounds: number): Promise<readonly Row[]> {
  const local = join(bench.sshd.dir, 'grande');
  const file = openSync(local, 'w');
  const piece = Buffer.alloc(1_024 * 1_024, 'x');
  for (let at = 0; at < bytes; at += piece.length) writeSync(file, piece);
  closeSync(file);
  execFileSync('cp', [local, `${bench.home}/baixar`]);
  const { pid } = bench.portal;
  const before = memoryMb(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, memoryMb(pid))), 20);
  const uploaded = `/api/arquivos/conteudo?${query(`${bench.home}/subir`)}`;
  const body = ['-T', local, '-H', 'content-type: application/octet-stream', '-o', '/dev/null'];
  const up = await pairs(
    rounds,
    () => curl(bench, uploaded, body),
    () => sftp(bench, `put -f ${local} ${bench.home}/subir-sftp`),
  );
  const down = await pairs(
    rounds,
    () => curl(bench, `/api/arquivos/conteudo?${query(`${bench.home}/baixar`)}`, ['-o', '/dev/null']),
    () => sftp(bench, `get ${bench.home}/baixar /dev/null`),
  );
  clearInterval(watch);
  rmSync(local);
  const mb = bytes / 1e6;
  const row = (name: string, [ours, peer]: readonly [number, number]): Row => ({
    name: `${(mb / 1_000).toFixed(2)} GB ${name}`,
    ours: `${(mb / ours).toFixed(0)} MB/s`,
    peer: `sftp: ${(mb / peer).toFixed(0)} MB/s`,
    ratio: (peer / ours).toFixed(2),
    target: '≥ 0.8×',
    held: peer / ours >= 0.8,
  });
  const grown = most - before;
  return [
    row('up, on the disk (fsync) on both sides', up),
    row('down', down),
    {
      name: 'memory of the portal during these, above what it had before',
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
    const portal = await startPortal({ desired: join(folder, 'd'), state: join(folder, 's'), env: { SVC_LOG_LEVEL: 'error' } });
    try {
      const cookie = (await signIn(portal, 'ana')).cookies.get(`svc.localhost:${portal.port}`) ?? '';
      const bench: Bench = { sshd, portal, cookie, home: account.home, account: account.name };
      const listed = await listing(bench, short ? 2 : 5);
      const beside = await besideCockpit(bench, short ? 2 : 5);
      return [listed, ...beside, ...(await transfers(bench, (short ? 256 : 1_024) * 1_024 * 1_024, short ? 1 : 5))];
    } finally {
      await portal.stop();
    }
  } finally {
    await sshd.stop();
  }
};
