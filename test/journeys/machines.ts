/**
 * Machines for journeys: each has the files of this machine under a layer of its own, which is gone with it, its own processes, network and
 * accounts, and no checkout. They are namespaces of this kernel (root is needed); on all of them the kernel and the clock are one.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { appendFile, chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './until.ts';

const checkout = path.resolve(import.meta.dirname, '../..');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface How {
  /** An account of the machine, in place of root. */
  readonly as?: string;
  readonly input?: string;
  /** Codes that are no failure; 0 unless said. */
  readonly codes?: readonly number[];
}

export interface Account {
  readonly name: string;
  readonly password: string;
}

export interface Machine {
  readonly address: string;
  /** Its root folder by a path of this machine: what is read there costs no process. Links in it lead to this machine. */
  readonly root: string;
  /** Rejects with what was printed when the code is another one than expected. */
  run(argv: readonly string[], how?: How): Promise<Ran>;
  /** A script of sh. */
  sh(script: string, how?: How): Promise<Ran>;
  start(argv: readonly string[], how?: Pick<How, 'as'>): ChildProcess;
  /** Puts a file of root's there, with the folders above it; no process is started. */
  put(file: string, content: string, mode?: number): Promise<void>;
  /** Accounts with a password, a group and a home of their own. */
  accounts(all: readonly Account[]): Promise<void>;
  /**
   * Differences from this machine, by path, except /tmp and /run: kind and mode, owner, where a link leads or the sum of the content. A
   * deleted file is a device.
   */
  changes(): Promise<ReadonlyMap<string, string>>;
  /** Power off: nothing of it answers or is there any more. */
  end(): Promise<void>;
}

export interface Street {
  /** `folders`: by where they are on it, those of this machine that it reads. */
  machine(folders?: Readonly<Record<string, string>>): Promise<Machine>;
  /** Words before a command that runs there. */
  readonly within: readonly string[];
  /** Runs beside all machines, which it reaches from one address. */
  run(argv: readonly string[], how?: Omit<How, 'as'>): Promise<Ran>;
  /** With all of its machines. */
  end(): Promise<void>;
}

/** Addresses for documentation (RFC 5737): nobody else has them. */
const address = (host: number): string => `198.51.100.${host}`;

/**
 * $1 an empty folder, $2 a table of file systems: the root of the machine, where it stays until it is killed. A single `mount` reads the table: a start of a
 * process takes a tenth of a second where much else is done.
 */
const machineScript = `
mount -t tmpfs -o mode=755 machine "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount --all --fstab "$2"
cd "$1/root"
mkdir run/lock run/sshd
# A server has none of the shell files that this machine's root keeps, and greets nobody: each sign-in would start four programs.
rm -rf root/.bash* root/.profile etc/ssh/ssh_host_* etc/ssh/sshd_config.d/* etc/update-motd.d
exec chroot . sh -c 'cd /; echo open; exec cat'
`;

/** The checkout is an empty folder; `pairs` are folders of this machine and where the new one reads them. */
function fileSystems(folder: string, pairs: readonly (readonly [from: string, place: string])[]): string {
  const root = `${folder}/root`;
  const rows: readonly (readonly string[])[] = [
    ['overlay', root, 'overlay', `lowerdir=/,upperdir=${folder}/up,workdir=${folder}/work`],
    ['proc', `${root}/proc`, 'proc', 'defaults'],
    ...['/dev', '/sys'].map((each) => [each, root + each, 'none', 'rbind']),
    ...['/tmp', '/run', checkout].map((each) => ['tmpfs', root + each, 'tmpfs', `mode=${each === '/tmp' ? 1777 : 755},X-mount.mkdir`]),
    ...pairs.map(([from, place]) => [from, root + place, 'none', 'bind,ro,X-mount.mkdir']),
  ];
  const word = (text: string): string => text.replaceAll(/[\s\\]/g, (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return rows.map((row) => `${row.map(word).join(' ')} 0 0\n`).join('');
}

export async function openStreet(): Promise<Street> {
  const street = spawn('unshare', ['--net', 'sh', '-c', 'echo open; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await opened(street);
  const within = ['nsenter', `--target=${street.pid}`, '--net', '--'];
  await network(within, ['link set lo up', 'link add street type bridge', `addr add ${address(1)}/24 dev street`, 'link set street up']);
  const folder = await mkdtemp(path.join(tmpdir(), 'svcm-'));
  const machines: Machine[] = [];
  let hosts = 1;
  return {
    machine: async (folders = {}) => {
      hosts += 1;
      const host = hosts;
      const pairs = Object.entries(folders).map(([place, from]) => [from, place] as const);
      const own = await mkdtemp(path.join(folder, 'm-'));
      await writeFile(`${own}.fstab`, fileSystems(own, pairs));
      const machine = await openMachine(within, own, host);
      machines.push(machine);
      return machine;
    },
    within,
    run: (argv, how = {}) => run([...within, ...argv], how),
    end: async () => {
      await Promise.all(machines.map((machine) => machine.end()));
      await ended(street);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A line for each change of the network, in one process. */
const network = async (within: readonly string[], lines: readonly string[]): Promise<unknown> =>
  await run([...within, 'ip', '-batch', '-'], { input: lines.map((line) => `${line}\n`).join('') });

/** Homes of the accounts of a machine, read without a process. */
function homeOf(root: string, account: string): string {
  const line = readFileSync(`${root}/etc/passwd`, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${account}:`));
  return line?.split(':')[5] ?? '/';
}

async function openMachine(within: readonly string[], folder: string, host: number): Promise<Machine> {
  const args = [
    ...within.slice(1),
    'unshare',
    '--net',
    '--mount',
    '--pid',
    '--uts',
    '--ipc',
    '--fork',
    '--kill-child',
    '--propagation=private',
    'sh',
    '-euc',
    machineScript,
    'sh',
    folder,
    `${folder}.fstab`,
  ];
  const outer = spawn(within[0] ?? '', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await opened(outer);
  const inner = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
  const inside = ['nsenter', `--target=${inner}`, '--net', '--mount', '--pid', '--uts', '--ipc', '--root', '--wdns=/', '--'];
  await network(within, [`link add m${host} master street type veth peer name net netns ${inner}`, `link set m${host} up`]);
  await network(inside, ['link set lo up', `addr add ${address(host)}/24 dev net`, 'link set net up']);
  const root = `/proc/${inner}/root`;
  // Its folder is / already.
  const command = (argv: readonly string[], as: string | undefined): readonly string[] =>
    as === undefined ? [...inside, ...argv] : [...inside, 'setpriv', `--reuid=${as}`, `--regid=${as}`, '--init-groups', '--', ...argv];
  const env = (as = 'root'): NodeJS.ProcessEnv => ({ ...plainEnv, HOME: homeOf(root, as) });
  return {
    address: address(host),
    root,
    run: (argv, how = {}) => run(command(argv, how.as), how, env(how.as)),
    sh: (script, how = {}) => run(command(['sh', '-ec', script], how.as), how, env(how.as)),
    start: (argv, how = {}) => {
      const [first = '', ...rest] = command(argv, how.as);
      return spawn(first, rest, { env: env(how.as), stdio: ['ignore', 'pipe', 'pipe'] });
    },
    put: async (file, content, mode = 0o644) => {
      await mkdir(path.dirname(root + file), { recursive: true });
      await writeFile(root + file, content);
      await chmod(root + file, mode);
    },
    accounts: (all) => addAccounts(root, all),
    changes: () => changesIn(`/proc/${outer.pid}/root${folder}/up`),
    end: () => ended(outer),
  };
}

/** First number of an account and its group. */
const uidMin = 3_000;

/** By lines in the files of accounts, as newusers writes them, which takes half a second of a processor for each. */
async function addAccounts(root: string, all: readonly Account[]): Promise<void> {
  const { out } = await run(['openssl', 'passwd', '-6', '-stdin'], { input: all.map(({ password }) => `${password}\n`).join('') });
  const hashes = out.trim().split('\n');
  const add = async (file: string, line: (account: Account, at: number) => string): Promise<void> =>
    await appendFile(root + file, all.map((account, at) => `${line(account, at)}\n`).join(''));
  await add('/etc/group', ({ name }, at) => `${name}:x:${uidMin + at}:`);
  await add('/etc/passwd', ({ name }, at) => `${name}:x:${uidMin + at}:${uidMin + at}:${name}:/home/${name}:/bin/bash`);
  await add('/etc/shadow', ({ name }, at) => `${name}:${hashes[at]}:20000:0:99999:7:::`);
  for (const [at, { name }] of all.entries()) {
    await mkdir(`${root}/home/${name}`, { mode: 0o755 });
    await chown(`${root}/home/${name}`, uidMin + at, uidMin + at);
  }
}

/** Read without a process: a machine has a few thousand files of its own at most. */
async function changesIn(layer: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of ['', ...(await readdir(layer, { recursive: true }))]) {
    const file = path.join(layer, name);
    const stat = await lstat(file);
    const said = `${(stat.mode >>> 0).toString(8)} ${stat.uid}:${stat.gid}`;
    if (stat.isSymbolicLink()) found.set(`/${name}`, `${said} ${await readlink(file)}`);
    else if (stat.isFile()) found.set(`/${name}`, `${said} ${hash('sha256', await readFile(file))}`);
    else found.set(`/${name}`, said);
  }
  return found;
}

const plainEnv: NodeJS.ProcessEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

async function opened(child: ChildProcess): Promise<void> {
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('a namespace', () => {
    if (child.exitCode !== null) throw new Error(`a namespace could not be made (code ${child.exitCode}): this test needs root`);
    return said !== '';
  });
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

export async function run(
  [program = '', ...args]: readonly string[],
  { input, codes = [0] }: Omit<How, 'as'>,
  env = plainEnv,
): Promise<Ran> {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  const ran = { code: code ?? -1, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
  if (!codes.includes(ran.code)) throw new Error(`${args.slice(-6).join(' ').slice(-300)}: code ${ran.code}\n${ran.out}\n${ran.err}`);
  return ran;
}
