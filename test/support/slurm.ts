/**
 * A real Slurm of one node for tests: munged, slurmctld and slurmd on free loopback ports, with a folder, a key and a socket of their own, all in a
 * pid namespace that ends with this process, however that ends. Needs root: its node runs jobs as other accounts.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort, until } from './portal.ts';

const call = promisify(execFile);

export interface TestSlurm {
  /** slurm.conf, for SLURM_CONF. */
  readonly conf: string;
  /** Output of one of its commands, as root. */
  ask(program: 'squeue' | 'scontrol' | 'scancel' | 'sinfo' | 'sbatch', ...args: readonly string[]): Promise<string>;
  /** The node is gone, with everything that runs on it. */
  killNode(): Promise<void>;
  startNode(): Promise<void>;
  /** The controller alone, once what it knows of jobs is on its disk: it writes that up to five seconds later, and would have lost them. */
  killController(): Promise<void>;
  startController(): Promise<void>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Slurm takes the environment of a job from a login shell of its account: what root keeps in its own profile on this machine is empty in there.
 * Orders come as lines: `up NAME` starts a daemon, `down ctld` kills the controller, `down node` all but controller and munged.
 */
const keeper = `
set -u
dir=$1 host=$2
ctld=0 node=0
: >"$dir/empty"
for own in ~root/.profile ~root/.bash_profile ~root/.bash_login ~root/.bashrc; do [[ ! -e $own ]] || mount --bind "$dir/empty" "$own"; done
munged --foreground --force --socket="$dir/munge.sock" --key-file="$dir/munge.key" --pid-file="$dir/munge.pid" --log-file="$dir/munge.log" --seed-file="$dir/munge.seed" >>"$dir/said" 2>&1 &
munge=$!
while read -r what which; do
  case $what-$which in
    up-ctld) slurmctld -D -f "$dir/slurm.conf" >>"$dir/said" 2>&1 & ctld=$! ;;
    up-node) slurmd -D -f "$dir/slurm.conf" -N "$host" >>"$dir/said" 2>&1 & node=$! ;;
    down-ctld) kill -9 "$ctld"; wait "$ctld" 2>/dev/null; ctld=0 ;;
    down-node)
      kill -9 "$node"; wait "$node" 2>/dev/null; node=0
      for one in /proc/[0-9]*; do
        pid=\${one#/proc/}
        parent=0; { read -r _ _ _ parent _ <"$one/stat"; } 2>/dev/null
        name=$(cat "$one/comm" 2>/dev/null)
        [[ $pid == 1 || $pid == $$ || $pid == "$munge" || $pid == "$ctld" || $name == slurmctld || $name == munged || $name == slurmscriptd ]] || kill -9 "$pid" 2>/dev/null
      done ;;
  esac
  echo done >"$dir/done"
done
`;

/** A controller that missed the node's start, as it was busy, asks it for its state only minutes later: the node is started once more. */
const nodeMsMax = 40_000;
const nodeStartsMax = 3;

/** `patient`: nothing is killed in it, and a node that starts many jobs on a slow machine is not taken for one that is gone. */
export async function startSlurm({ patient = false }: { readonly patient?: boolean } = {}): Promise<TestSlurm> {
  if (!existsSync('/usr/sbin/slurmctld')) {
    throw new Error('no Slurm here; install it with:  apt-get install -y --no-install-recommends slurm-wlm slurm-wlm-basic-plugins munge');
  }
  if (process.getuid?.() !== 0) throw new Error('tests of Slurm need root: run them with sudo');
  const dir = await newFolder();
  const conf = path.join(dir, 'slurm.conf');
  const host = hostname().split('.')[0] ?? 'localhost';
  await writeFile(conf, await configuration(dir, host, patient), { mode: 0o644 });
  // With this process gone its child is killed, and with that one the whole namespace.
  const argv = [
    '--pdeathsig',
    'KILL',
    '--',
    'unshare',
    '--pid',
    '--fork',
    '--kill-child=KILL',
    '--mount-proc',
    'bash',
    // With a socket as its input it would read ~/.bashrc, as under rshd.
    '--norc',
    '-c',
    keeper,
    'keeper',
    dir,
    host,
  ];
  const child = spawn('setpriv', argv, { stdio: ['pipe', 'ignore', 'inherit'], cwd: '/' });
  const ask: TestSlurm['ask'] = async (program, ...args) =>
    (await call(program, [...args], { env: { PATH: '/usr/bin:/bin', SLURM_CONF: conf } })).stdout;
  const order = async (line: string): Promise<void> => {
    await rm(path.join(dir, 'done'), { force: true });
    child.stdin?.write(`${line}\n`);
    await until(line, () => existsSync(path.join(dir, 'done')));
  };
  const states = async (): Promise<string> => (await ask('sinfo', '--noheader', '--format', '%t').catch(() => '')).trim();
  const slurm: TestSlurm = {
    conf,
    ask,
    killNode: () => order('down node'),
    startNode: async () => {
      const isUp = async (): Promise<boolean> => /^(idle|mix|alloc)$/.test(await states());
      await startedNode(order, isUp).catch(async (error: unknown) => {
        throw new Error(`${String(error)}: ${await ask('scontrol', '--oneliner', 'show', 'node')}\n${await slurm.log()}`, { cause: error });
      });
    },
    killController: () => saveState(dir, ask).then(() => order('down ctld')),
    startController: async () => {
      await order('up ctld');
      await until('the controller of Slurm', async () => (await states()) !== '');
    },
    log: async () =>
      (await Promise.all(['said', 'ctld.log', 'slurmd.log', 'munge.log'].map((name) => tail(path.join(dir, name))))).join('\n'),
    stop: async () => {
      await end(child);
      await rm(dir, { recursive: true, force: true });
    },
  };
  try {
    await until('munged', () => existsSync(path.join(dir, 'munge.sock')));
    await slurm.startController();
    await slurm.startNode();
    return slurm;
  } catch (error) {
    const log = await slurm.log();
    await slurm.stop();
    throw new Error(`Slurm did not start: ${(error as Error).message}\n${log}`, { cause: error });
  }
}

/** Resolves when the controller wrote down what it knows of jobs: by a mark on one of them, which it writes with the others. */
async function saveState(dir: string, ask: TestSlurm['ask']): Promise<void> {
  const [id = ''] = (await ask('squeue', '--noheader', '--format', '%i')).trim().split('\n');
  if (id === '') return;
  const mark = `saved-${randomBytes(6).toString('hex')}`;
  const state = (): Promise<string> => readFile(path.join(dir, 'state/job_state'), 'latin1').catch(() => '');
  await ask('scontrol', 'update', `JobId=${id}`, `Comment=${mark}`);
  await until('the state of the controller on its disk', async () => (await state()).includes(mark));
}

async function startedNode(order: (line: string) => Promise<void>, isUp: () => Promise<boolean>, left = nodeStartsMax): Promise<void> {
  await order('up node');
  await until('the node of Slurm', isUp, nodeMsMax).catch(async (error: unknown) => {
    if (left === 1) throw error;
    await order('down node');
    await startedNode(order, isUp, left - 1);
  });
}

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-slurm-'));
  await chmod(dir, 0o755);
  await writeFile(path.join(dir, 'munge.key'), randomBytes(128), { mode: 0o400 });
  for (const folder of ['state', 'spool']) await mkdir(path.join(dir, folder));
  return dir;
}

const tail = async (file: string): Promise<string> => (await readFile(file, 'utf8').catch(() => '')).slice(-3_000);

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function configuration(dir: string, host: string, patient: boolean): Promise<string> {
  const [controller, node] = [await freePort(), await freePort()];
  const lines = {
    ClusterName: 'teste',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmctldPort: controller,
    SlurmdPort: node,
    AuthType: 'auth/munge',
    CredType: 'cred/munge',
    AuthInfo: `socket=${dir}/munge.sock`,
    MpiDefault: 'none',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_Core_Memory',
    // Applies to batch jobs, too: else each waits up to three seconds for its turn.
    SchedulerParameters: 'batch_sched_delay=0,sched_min_interval=100000,sched_interval=2',
    // More than the machine has: jobs of a test need not wait for each other.
    SlurmdParameters: 'config_overrides',
    ReturnToService: 2,
    SlurmctldPidFile: `${dir}/slurmctld.pid`,
    SlurmdPidFile: `${dir}/slurmd.pid`,
    StateSaveLocation: `${dir}/state`,
    SlurmdSpoolDir: `${dir}/spool`,
    SlurmUser: 'root',
    SlurmctldLogFile: `${dir}/ctld.log`,
    SlurmdLogFile: `${dir}/slurmd.log`,
    SlurmdTimeout: patient ? 120 : 5,
    MessageTimeout: patient ? 60 : 5,
    KillWait: 5,
    // A job that its node does not have is lost so much later.
    BatchStartTimeout: patient ? 60 : 1,
    // A test sees what squeue forgets: the least that Slurm takes.
    MinJobAge: 2,
    NodeName: `${host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=8000 State=UNKNOWN`,
    PartitionName: `teste Nodes=${host} Default=YES MaxTime=60 State=UP`,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
