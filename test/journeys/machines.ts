/**
 * Machines for journeys: each has the files of this machine under a layer of its own, which is gone with it, its own processes, network and
 * accounts, and no checkout. They are namespaces of this kernel (root is needed); on all of them the kernel and the clock are one.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
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

export interface Machine {
  readonly address: string;
  /** Rejects with what was printed when the code is another one than expected. */
  run(argv: readonly string[], how?: How): Promise<Ran>;
  /** A script of sh. */
  sh(script: string, how?: How): Promise<Ran>;
  start(argv: readonly string[], how?: Pick<How, 'as'>): ChildProcess;
  /**
   * Differences from this machine, by path, except /tmp and /run: kind, owner, mode, where a link leads or the sum of the content. A
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

/** $1 an empty folder, $2 the checkout, then pairs of a folder and where the machine has it, read-only: the root of the machine, where it stays until it is killed. */
const machineScript = `
mount -t tmpfs -o mode=755 machine "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" overlay "$1/root"
cd "$1/root"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
for folder in tmp run ".$2"; do mkdir -p "$folder"; mount -t tmpfs tmpfs "$folder"; done
chmod 1777 tmp
mkdir run/lock run/sshd
# A server has none of the shell files that this machine's root keeps.
rm -rf root/.bash* root/.profile etc/ssh/ssh_host_* etc/ssh/sshd_config.d/*
shift 2
while [ $# -gt 0 ]; do
  mkdir -p ".$2"
  mount --bind "$1" ".$2"
  mount -o remount,bind,ro ".$2"
  shift 2
done
exec chroot . sh -c 'cd /; echo open; exec cat'
`;

export async function openStreet(): Promise<Street> {
  const street = spawn('unshare', ['--net', 'sh', '-c', 'echo open; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await opened(street);
  const within = ['nsenter', `--target=${street.pid}`, '--net', '--'];
  await run(
    [
      ...within,
      'sh',
      '-ec',
      `ip link set lo up; ip link add street type bridge; ip addr add ${address(1)}/24 dev street; ip link set street up`,
    ],
    {},
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'svcm-'));
  const machines: Machine[] = [];
  let hosts = 1;
  return {
    machine: async (folders = {}) => {
      hosts += 1;
      const host = hosts;
      const pairs = Object.entries(folders).flatMap(([place, from]) => [from, place]);
      const machine = await openMachine(within, [await mkdtemp(path.join(folder, 'm-')), checkout, ...pairs], host);
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

async function openMachine(within: readonly string[], words: readonly string[], host: number): Promise<Machine> {
  const [program = '', ...args] = [
    ...within,
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
    ...words,
  ];
  const outer = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await opened(outer);
  const inner = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
  const inside = ['nsenter', `--target=${inner}`, '--net', '--mount', '--pid', '--uts', '--ipc', '--root', '--'];
  await run([...within, 'ip', 'link', 'add', `m${host}`, 'master', 'street', 'type', 'veth', 'peer', 'name', 'net', 'netns', inner], {});
  await run([...within, 'ip', 'link', 'set', `m${host}`, 'up'], {});
  await run([...inside, 'sh', '-ec', `ip link set lo up; ip addr add ${address(host)}/24 dev net; ip link set net up`], {});
  const command = (argv: readonly string[], as: string | undefined): readonly string[] => [
    ...inside,
    ...(as === undefined ? [] : ['setpriv', `--reuid=${as}`, `--regid=${as}`, '--init-groups', '--']),
    'env',
    '--chdir=/',
    'sh',
    '-c',
    'export HOME=$(getent passwd "$(id -u)" | cut -d: -f6); exec "$@"',
    'sh',
    ...argv,
  ];
  return {
    address: address(host),
    run: (argv, how = {}) => run(command(argv, how.as), how),
    sh: (script, how = {}) => run(command(['sh', '-ec', script], how.as), how),
    start: (argv, how = {}) => {
      const [first = '', ...rest] = command(argv, how.as);
      return spawn(first, rest, { env: plainEnv, stdio: ['ignore', 'pipe', 'pipe'] });
    },
    changes: () => changesIn(['nsenter', `--target=${inner}`, '--mount', '--'], `${words[0]}/up`),
    end: () => ended(outer),
  };
}

async function changesIn(within: readonly string[], layer: string): Promise<ReadonlyMap<string, string>> {
  const script = `cd "$1" && find . -printf '%P\\t%y %U:%G %m %l\\n' && find . -type f -exec sha256sum {} + | sed 's/^\\(\\S*\\)  ..\\(.*\\)/\\2\\t \\1/'`;
  const { out } = await run([...within, 'sh', '-ec', script, 'sh', layer], {});
  const found = new Map<string, string>();
  for (const line of out.split('\n')) {
    const [name = '', said = ''] = line.split('\t');
    if (name !== '') found.set(`/${name}`, `${found.get(`/${name}`) ?? ''}${said}`);
  }
  return found;
}

const plainEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

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

export async function run([program = '', ...args]: readonly string[], { input, codes = [0] }: Omit<How, 'as'>): Promise<Ran> {
  const child = spawn(program, args, { env: plainEnv, stdio: ['pipe', 'pipe', 'pipe'] });
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
