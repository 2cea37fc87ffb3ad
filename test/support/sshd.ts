/**
 * A real sshd for tests: on a free loopback port, with a folder, host keys, throw-away accounts and a copy of the server kit of its
 * own. Needs root, since an sshd becomes other people; everything that it made is gone after `stop`, also what an earlier run left
 * behind when it was killed.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { chmod, copyFile, cp, link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unmountBelow } from './mounts.ts';
import { freePort, repository, until } from './portal.ts';

const sshdProgram = '/usr/sbin/sshd';
const mark = 'svc-test of pid';

const keyTypes = ['ed25519', 'ecdsa', 'rsa'] as const;
/** rsa where it was asked for. */
type KeyType = (typeof keyTypes)[number];

export interface TestAccount {
  readonly name: string;
  readonly home: string;
  readonly uid: number;
}

export interface SshdOptions {
  /** How many, or what they are called (`addAccount`). */
  readonly accounts?: number | readonly string[];
  /** Every account gets it, and sshd asks for it. */
  readonly password?: string;
  /** Further lines of sshd_config; they win. */
  readonly config?: readonly string[];
  /** A host key of type rsa as well: making one takes half a second. */
  readonly rsa?: boolean;
}

export interface SshdBeside {
  readonly port: number;
  log(): string;
  halt(): Promise<void>;
}

export interface TestSshd {
  readonly dir: string;
  readonly port: number;
  /** Fingerprint of its ed25519 key. */
  readonly hostKey: string;
  readonly fingerprints: Readonly<Record<KeyType, string>>;
  readonly accounts: readonly TestAccount[];
  /** Signs in as each account, and as root. */
  readonly keyFile: string;
  /** Folder like /opt/svc, which the accounts can read. */
  readonly kit: string;
  log(): string;
  /** Lets another public key in as well. */
  authorize(publicLine: string): Promise<void>;
  /** Kills what serves the connections of the account, or of all; the listener stays. */
  cut(account?: string): void;
  /** Connections that are signed in, or on their way; with an account: what serves its connections. */
  connections(account?: string): number;
  /** No sshd at all from here on. */
  halt(): Promise<void>;
  /** On the same port again, with other lines of configuration if any are given. */
  resume(config?: readonly string[]): Promise<void>;
  /**
   * Another listener with the same keys and accounts and lines of its own: tests of several configurations go on at the same time. `homes`: another machine, whose
   * accounts have their homes, by the same paths, in that folder.
   */
  beside(config: readonly string[], homes?: string): Promise<SshdBeside>;
  /** Living processes of the accounts, sshd's own left out. */
  processes(): readonly {
    readonly pid: number;
    readonly parent: number;
    readonly uid: number;
    readonly argv: readonly string[];
    readonly app: string | null;
  }[];
  stop(): Promise<void>;
}

const call = promisify(execFile);

export async function startSshd(options: SshdOptions = {}): Promise<TestSshd> {
  if (!existsSync(sshdProgram))
    throw new Error('no sshd here; install it with:  apt-get install -y --no-install-recommends openssh-server');
  if (process.getuid?.() !== 0) throw new Error('tests of servers over ssh need root: run them with sudo');
  await sweep();
  const dir = await mkdtemp(join(tmpdir(), 'svcs-'));
  const made: TestAccount[] = [];
  let server: ChildProcess | null = null;
  const others: ChildProcess[] = [];
  const removeAll = async (): Promise<void> => {
    for (const one of [server, ...others]) if (one) await end(one);
    for (const account of made) await removeAccount(account.name);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await chmod(dir, 0o755);
    for (const folder of ['h', 'keys']) await mkdir(join(dir, folder), { mode: 0o755 });
    await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
    const types = keyTypes.filter((type) => type !== 'rsa' || options.rsa === true);
    const fingerprints = await makeKeys(dir, types);
    for (const form of formsOf(options.accounts ?? 1)) made.push(await addAccount(dir, options.password, form));
    const publicLine = await readFile(join(dir, 'id.pub'), 'utf8');
    const keyFiles = [...made.map(({ name }) => name), 'root'].map((name) => join(dir, 'keys', name));
    for (const file of keyFiles) await writeFile(file, publicLine, { mode: 0o644 });
    await makeKit(join(dir, 'kit'));
    const port = await freePort();
    const common = commonLines(dir, types, made, options.password !== undefined);
    const listenAt: Listen = (files, at, config, homes) =>
      listen(files, at, [...config, ...common], homes === undefined ? [] : elsewhere(homes, join(dir, 'h')));
    const begin = async (config: readonly string[]): Promise<void> => {
      server = await listenAt({ config: join(dir, 'sshd_config'), log: join(dir, 'log') }, port, config);
    };
    await begin(options.config ?? []);
    const uids = new Set(made.map(({ uid }) => uid));
    return {
      dir,
      port,
      hostKey: fingerprints.ed25519,
      fingerprints,
      accounts: made,
      keyFile: join(dir, 'id'),
      kit: join(dir, 'kit'),
      log: () => readFileSync(join(dir, 'log'), 'utf8'),
      authorize: async (line) => {
        for (const file of keyFiles) await writeFile(file, `${publicLine}${line}\n`, { mode: 0o644 });
      },
      cut: (account) => {
        for (const { pid, title } of server ? serving(server) : []) if (account === undefined || title.includes(` ${account}`)) kill(pid);
      },
      connections: (account) => {
        if (!server) return 0;
        if (account !== undefined) return serving(server).filter(({ title }) => title.includes(` ${account}`)).length;
        return processTable().filter(({ pid, parent }) => parent === server?.pid && isSshd(pid)).length;
      },
      halt: async () => {
        const children = server ? serving(server) : [];
        if (server) await end(server);
        server = null;
        for (const { pid } of children) kill(pid);
      },
      resume: (config) => begin(config ?? options.config ?? []),
      beside: (config, homes) => beside(dir, listenAt, others, config, homes),
      processes: () => processesOf(uids),
      stop: removeAll,
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}

async function makeKeys(dir: string, types: readonly KeyType[]): Promise<TestSshd['fingerprints']> {
  const found: Record<KeyType, string> = { ed25519: '', ecdsa: '', rsa: '' };
  for (const type of types) {
    const file = join(dir, `host-${type}`);
    await call('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', file]);
    const { stdout } = await call('ssh-keygen', ['-lf', `${file}.pub`]);
    found[type] = stdout.split(' ')[1] ?? '';
  }
  await call('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, 'id')]);
  return found;
}

/** useradd, usermod and chage hold a lock on /etc/passwd: another test may be at it. */
export async function passwd(program: string, args: readonly string[]): Promise<void> {
  await until(`${program} ${args.at(-1)}`, async () => {
    try {
      await call(program, [...args]);
      return true;
    } catch (error) {
      if (/lock|try again/i.test(String((error as { stderr?: string }).stderr))) return false;
      throw error;
    }
  });
}

/** `form`: the name, with `*` for what is random. Unless given it is one that a directory may have and Linux lets nobody make by hand. */
export async function addAccount(dir: string, password: string | undefined, form = 'svct*.b'): Promise<TestAccount> {
  const name = form.replace('*', randomBytes(3).toString('hex'));
  const home = join(dir, 'h', name);
  // '*' and not '!': sshd without PAM refuses accounts that are locked.
  await passwd('useradd', [
    '--badname',
    '-m',
    '-K',
    'HOME_MODE=0700',
    '-d',
    home,
    '-c',
    `${mark} ${process.pid}`,
    '-s',
    '/bin/bash',
    '-p',
    '*',
    name,
  ]);
  if (password !== undefined) {
    const child = spawn('chpasswd', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.end(`${name}:${password}\n`);
    await once(child, 'exit');
  }
  const { stdout } = await call('id', ['-u', name]);
  return { name, home, uid: Number(stdout) };
}

export async function removeAccount(name: string): Promise<void> {
  const uid = Number((await call('id', ['-u', name]).catch(() => ({ stdout: 'NaN' }))).stdout);
  if (!Number.isInteger(uid) || uid < 1_000) return;
  await until(`the end of all processes of ${name}`, () => {
    const left = processesOf(new Set([uid]), true);
    for (const { pid } of left) kill(pid);
    return left.length === 0;
  });
  await passwd('userdel', ['-f', '-r', name]).catch(() => undefined);
}

/** Accounts of runs that were killed. */
export async function sweep(): Promise<void> {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , , , comment = '', home = ''] = line.split(':');
    if (!comment.startsWith(mark) || existsSync(`/proc/${comment.slice(mark.length + 1)}`)) continue;
    const folder = /\/svcs-[^/]+\/h\//.test(home) ? join(home, '../..') : null;
    if (folder !== null) await unmountBelow(folder);
    await removeAccount(name);
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
  for (const { pid, title } of processTable()) {
    const folder = / -f (\S+\/svcs-[^/]+)\/sshd_config\S* /.exec(title)?.[1];
    if (folder !== undefined && !existsSync(folder) && isSshd(pid)) kill(pid);
  }
}

/** Makes an installed kit: commands, their bundles, the sdk and a Node; readable for everybody, wherever this clone lies. */
async function makeKit(kit: string): Promise<void> {
  await mkdir(join(kit, 'node/bin'), { recursive: true, mode: 0o755 });
  const bundles = join(repository, 'build/kit');
  if (!existsSync(bundles)) throw new Error('no bundles of the kit: run node setup/build.ts first');
  await cp(bundles, join(kit, 'build/kit'), { recursive: true });
  await cp(join(repository, 'kit/job'), join(kit, 'kit/job'), { recursive: true });
  await cp(join(repository, 'sdk'), join(kit, 'sdk'), { recursive: true, filter: (from) => !from.endsWith('.test.ts') });
  await mkdir(join(kit, 'bin'));
  for (const name of readdirSync(join(repository, 'bin')).filter((one) => /^svc-[a-z-]+$/.test(one))) {
    await copyFile(join(repository, 'bin', name), join(kit, 'bin', name));
  }
  const node = join(kit, 'node/bin/node');
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  await call('chmod', ['-R', 'a+rX', kit]);
}

const formsOf = (accounts: number | readonly string[]): readonly (string | undefined)[] =>
  typeof accounts === 'number' ? Array.from({ length: accounts }, () => undefined) : accounts;

const commonLines = (dir: string, types: readonly KeyType[], accounts: readonly TestAccount[], password: boolean): readonly string[] => [
  ...types.map((type) => `HostKey ${dir}/host-${type}`),
  `AuthorizedKeysFile ${dir}/keys/%u`,
  `PasswordAuthentication ${password ? 'yes' : 'no'}`,
  // Behind an @ would be the host that somebody comes from.
  `AllowUsers root ${accounts.map(({ name }) => name.replaceAll('@', '?')).join(' ')}`,
];

interface SshdFiles {
  readonly config: string;
  readonly log: string;
}

type Listen = (files: SshdFiles, port: number, config: readonly string[], homes?: string) => Promise<ChildProcess>;

/** Words before a command that lets it, and nobody else, see another folder at `place`. */
const elsewhere = (folder: string, place: string): readonly string[] => [
  'unshare',
  '-m',
  'sh',
  '-c',
  'mount --bind "$1" "$2" && shift 2 && exec "$@"',
  'sh',
  folder,
  place,
];

async function beside(
  dir: string,
  listenAt: Listen,
  made: ChildProcess[],
  config: readonly string[],
  homes: string | undefined,
): Promise<SshdBeside> {
  const port = await freePort();
  const files = { config: join(dir, `sshd_config-${port}`), log: join(dir, `log-${port}`) };
  const child = await listenAt(files, port, config, homes);
  made.push(child);
  return { port, log: () => readFileSync(files.log, 'utf8'), halt: () => end(child) };
}

/** The first setting in a sshd_config wins. */
async function listen(files: SshdFiles, port: number, config: readonly string[], before: readonly string[]): Promise<ChildProcess> {
  const lines = [
    ...config,
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    'PidFile none',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    'AllowStreamLocalForwarding yes',
    // "no" would refuse sockets too (OpenSSH 9.2).
    'AllowTcpForwarding local',
    'StrictModes no',
    'LogLevel VERBOSE',
    // The shell of this machine's root does not run what its owner keeps in ~/.bashrc: bash does under sshd, at the first level alone.
    'Match User root',
    'SetEnv SHLVL=2',
  ];
  await writeFile(files.config, `${lines.join('\n')}\n`);
  const argv = [...before, sshdProgram, '-D', '-f', files.config, '-E', files.log];
  const child = spawn(argv[0] ?? sshdProgram, argv.slice(1), { stdio: 'ignore' });
  await until('sshd to listen', async () => {
    if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${readFileSync(files.log, 'utf8').slice(-2_000)}`);
    const socket = net.connect({ host: '127.0.0.1', port });
    return await once(socket, 'connect')
      .then(
        () => true,
        () => false,
      )
      .finally(() => socket.destroy());
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly uid: number;
  readonly title: string;
}

const processTable = (): readonly Seen[] => readdirSync('/proc').flatMap(rowOf);

/** [] for what is no process, or none any more. */
function rowOf(name: string): readonly Seen[] {
  if (!/^\d+$/.test(name)) return [];
  try {
    const status = readFileSync(`/proc/${name}/status`, 'utf8');
    if (/^State:\s+Z/m.test(status)) return [];
    const title = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const field = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return [{ pid: Number(name), parent: field('PPid'), uid: field('Uid'), title }];
  } catch {
    return [];
  }
}

/** Children and grandchildren of the listener that are sshd themselves: what they started for people is not theirs any more. */
function serving(server: ChildProcess): readonly Seen[] {
  const table = processTable().filter(({ pid }) => isSshd(pid));
  const found = table.filter(({ parent }) => parent === server.pid);
  return [...found, ...table.filter(({ parent }) => found.some(({ pid }) => pid === parent))];
}

function isSshd(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).startsWith(sshdProgram);
  } catch {
    return false;
  }
}

function processesOf(uids: ReadonlySet<number>, withSshd = false): ReturnType<TestSshd['processes']> {
  const mine = readdirSync('/proc').filter((name) => isOf(name, uids));
  return mine.flatMap(rowOf).flatMap(({ pid, parent, uid }) => {
    if (!uids.has(uid) || (!withSshd && isSshd(pid))) return [];
    try {
      const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const app = environ.find((entry) => entry.startsWith('SVC_APP_ID='))?.slice('SVC_APP_ID='.length) ?? null;
      return [{ pid, parent, uid, argv, app }];
    } catch {
      return [];
    }
  });
}

/** By the owner of its folder: tests read them several times a second, and most processes of the machine are not theirs. */
function isOf(name: string, uids: ReadonlySet<number>): boolean {
  const seen = /^\d+$/.test(name) ? statSync(`/proc/${name}`, { throwIfNoEntry: false }) : undefined;
  return seen !== undefined && uids.has(seen.uid) && pidNamespace(name) === pidNamespace('self');
}

/** Machines of other tests are pid namespaces here, with an /etc/passwd of their own: their accounts have the same numbers. */
function pidNamespace(name: string): string | null {
  try {
    return readlinkSync(`/proc/${name}/ns/pid`);
  } catch {
    return null;
  }
}
