/**
 * A real server for the tests: Debian 12 with systemd, cgroup v2 and sshd in qemu. Slow (software emulation where there is no KVM)
 * and for this project alone: nothing reaches it but its ssh port on loopback, and it reaches nothing. The image comes from the Debian
 * packages of this machine's own apt configuration. It is built once and booted once: both are kept, and each run goes on from a copy of the machine
 * as it was when it had come up. There is no Node in it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.resolve(root, process.env['SVC_TEST_SERVER_DIR'] ?? 'build/test-server');

/** Commands that must be here to build and run the machine. */
const needs: readonly (readonly [command: string, debianPackage: string])[] = [
  ['qemu-system-x86_64', 'qemu-system-x86'],
  ['qemu-img', 'qemu-utils'],
  ['mmdebstrap', 'mmdebstrap'],
  ['mke2fs', 'e2fsprogs'],
  ['ssh', 'openssh-client'],
  ['ssh-keygen', 'openssh-client'],
];

/** Debian packages of the machine: a bare server that people can sign in to, with a proxy, and an authority for certificates. Neither Node nor Python. */
const include =
  'systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,openssh-server,sudo,iproute2,procps,udev,kmod,linux-image-cloud-amd64,initramfs-tools,lz4,ca-certificates,openssl,caddy,pebble';

/** The words that install what is missing; '' when all is there. */
export function missingLine(): string {
  const search = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`.split(':');
  const missing = needs.filter(([command]) => !search.some((dir) => existsSync(path.join(dir, command))));
  if (missing.length > 0) return `apt-get install -y --no-install-recommends ${[...new Set(missing.map(([, name]) => name))].join(' ')}`;
  return process.getuid?.() === 0 ? '' : '(run it as root: the image is built with the rights of root)';
}

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Machine {
  readonly port: number;
  /** Private key that `root` and `adm-svc` (who has sudo) take; `ana` and `bia` take none yet. */
  readonly key: string;
  /** For the ssh command, without the account. */
  readonly sshOptions: readonly string[];
  /** `SHA256:…` of its ed25519 host key. */
  readonly hostKey: string;
  /** Runs a shell command as an account by key; the text goes to its standard input. */
  run(account: string, command: string, input?: string): Promise<Answer>;
  /** The same, rejecting when it fails: the answer is what it printed, trimmed. */
  ok(account: string, command: string, input?: string): Promise<string>;
  /** Looks again until it succeeds; rejects with the last answer after the time. */
  until(account: string, command: string, msMax?: number): Promise<string>;
  /** A file of this machine, as a file of root. */
  send(file: string, target: string): Promise<void>;
  reboot(): Promise<void>;
  /** The last lines of its console, for a failure. */
  console(): string;
  stop(): Promise<void>;
}

/** Goes on from the kept machine; builds and boots it first if need be. */
export async function startMachine(): Promise<Machine> {
  const line = missingLine();
  if (line !== '') throw new Error(`the test server needs more than this machine has; install it with:  ${line}`);
  const image = buildImage();
  const accelerator = (await kvmRuns()) ? 'kvm' : 'tcg,thread=multi,tb-size=512';
  const kept = await keptMachine(image, accelerator);
  return await inRunFolder('run', async (run) => {
    // The file that it continues names the image by its absolute path.
    spawnSync('cp', ['--reflink=auto', '--sparse=always', kept, path.join(run, 'disk.qcow2')], { stdio: 'inherit' });
    const { machine, child } = await boot(image, run, accelerator, ['-loadvm', snapshot]);
    await untilUp(machine, child, run);
    // Its clock stands where it stood when it was kept.
    await machine.ok('root', `date -s @${Math.ceil(Date.now() / 1_000)}`);
    return machine;
  });
}

/** A machine in a folder of its own, which it takes along when it stops; also when it does not come up. */
async function inRunFolder<T>(name: string, act: (run: string) => Promise<T>): Promise<T> {
  const run = path.join(folder, `${name}-${process.pid}`);
  rmSync(run, { recursive: true, force: true });
  mkdirSync(run, { recursive: true });
  try {
    return await act(run);
  } catch (error) {
    const tail = consoleOf(run);
    rmSync(run, { recursive: true, force: true });
    throw new Error(`the test server did not come up: ${(error as Error).message}\n${tail}`, { cause: error });
  }
}

/**
 * Whether KVM runs machines here. A /dev/kvm that opens may still end at the first instruction, so the firmware has to say a word; one of a
 * processor without virtualisation of its own (paravirtual, nested) runs the firmware and stands still in the kernel.
 */
export function kvmRuns(accelerator = 'kvm'): Promise<boolean> {
  const isNative = (): boolean => existsSync('/dev/kvm') && /^flags\s*:.*\b(vmx|svm)\b/m.test(readFileSync('/proc/cpuinfo', 'latin1'));
  if (accelerator === 'kvm' && !isNative()) return Promise.resolve(false);
  const words = ['-chardev', 'stdio,id=words', '-device', 'isa-debugcon,iobase=0x402,chardev=words'];
  const cpu = accelerator === 'kvm' ? 'host' : 'Nehalem';
  const argv = [
    '-M',
    'q35',
    '-accel',
    accelerator,
    '-cpu',
    cpu,
    '-m',
    '128',
    '-nodefaults',
    '-no-user-config',
    '-display',
    'none',
    ...words,
  ];
  return new Promise((resolve) => {
    const child = spawn('qemu-system-x86_64', argv, { stdio: ['ignore', 'pipe', 'ignore'] });
    const end = (): boolean => child.kill('SIGKILL');
    const late = setTimeout(end, 30_000);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
      if (said.includes('SeaBIOS')) end();
    });
    child.once('error', () => resolve(false));
    child.once('close', () => {
      clearTimeout(late);
      resolve(said.includes('SeaBIOS'));
    });
  });
}

const snapshot = 'up';

/** The disk of a machine that has come up, with what was in its memory then. Other qemu, other accelerator: another one. */
async function keptMachine(image: string, accelerator: string): Promise<string> {
  const { stdout } = spawnSync('qemu-system-x86_64', ['--version'], { encoding: 'utf8' });
  const stamp = createHash('sha256')
    .update(`${stdout} ${JSON.stringify(argvOf(image, '', accelerator, 0))}`)
    .digest('hex')
    .slice(0, 12);
  const kept = path.join(image, `up-${stamp}.qcow2`);
  if (existsSync(kept)) return kept;
  process.stderr.write('booting the test server (once)\n');
  await inRunFolder('boot', async (run) => {
    const disk = path.join(run, 'disk.qcow2');
    const made = spawnSync('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', path.join(image, 'base.img'), disk], {
      stdio: 'inherit',
    });
    if (made.status !== 0) throw new Error('qemu-img could not make a disk');
    const { machine, child } = await boot(image, run, accelerator, []);
    await untilUp(machine, child, run);
    const answer = await command(run, `savevm ${snapshot}`);
    const ended = once(child, 'exit');
    await command(run, 'quit').catch(() => undefined);
    await ended;
    if (/error/i.test(answer)) throw new Error(`the machine could not be kept: ${answer}`);
    renameSync(disk, kept);
    rmSync(run, { recursive: true, force: true });
  });
  return kept;
}

/** A line to the monitor of qemu; resolves with what it said when it is ready for the next one. */
function command(run: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path.join(run, 'monitor'));
    let said = '';
    let isAsked = false;
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
      if (!said.endsWith('(qemu) ')) return;
      if (isAsked) {
        socket.end(() => resolve(said));
        return;
      }
      isAsked = true;
      said = '';
      socket.write(`${line}\n`);
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the monitor ended: ${said}`)));
  });
}

function argvOf(image: string, run: string, accelerator: string, port: number): readonly string[] {
  return [
    ['-M', 'q35', '-accel', accelerator, '-cpu', accelerator === 'kvm' ? 'host' : 'Nehalem', '-m', '2048', '-smp', '2'],
    ['-nodefaults', '-no-user-config', '-display', 'none'],
    ['-kernel', path.join(image, 'vmlinuz'), '-initrd', path.join(image, 'initrd')],
    ['-append', 'console=ttyS0 root=/dev/vda rw quiet mitigations=off audit=0 nowatchdog panic=-1'],
    ['-drive', `file=${run}/disk.qcow2,if=virtio,format=qcow2,cache=unsafe`, '-serial', `file:${run}/console`],
    ['-monitor', `unix:${run}/monitor,server=on,wait=off`],
    ['-device', 'virtio-rng-pci', '-netdev', `user,id=n,restrict=on,hostfwd=tcp:127.0.0.1:${port}-:22`],
    ['-device', 'virtio-net-pci,netdev=n,romfile='],
  ].flat();
}

async function boot(
  image: string,
  run: string,
  accelerator: string,
  more: readonly string[],
): Promise<{ readonly machine: Machine; readonly child: ChildProcess }> {
  const port = await freePort();
  const child = spawn('qemu-system-x86_64', [...argvOf(image, run, accelerator, port), ...more], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, machine: machineOf(child, image, run, port) };
}

const consoleOf = (run: string): string => (existsSync(`${run}/console`) ? readFileSync(`${run}/console`, 'latin1').slice(-4_096) : '');

function machineOf(child: ChildProcess, image: string, run: string, port: number): Machine {
  const key = path.join(image, 'id');
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'ConnectTimeout=180', 'LogLevel=ERROR'];
  const argv = [...options.flatMap((option) => ['-o', option]), '-i', key, '-p', String(port)];
  const runIt: Machine['run'] = (account, command, input = '') => exec('ssh', [...argv, `${account}@127.0.0.1`, command], input);
  const ok: Machine['ok'] = async (account, command, input) => {
    const answer = await runIt(account, command, input);
    if (answer.code !== 0) throw new Error(`${account}: ${command}\nexit code ${answer.code}\n${answer.out}${answer.err}`);
    return answer.out.trim();
  };
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const machine: Machine = {
    port,
    key,
    sshOptions: argv,
    hostKey: readFileSync(path.join(image, 'hostkey'), 'utf8').trim(),
    run: runIt,
    ok,
    until: async (account, command, msMax = 120_000) => {
      const endMs = performance.now() + msMax;
      for (;;) {
        const answer = await runIt(account, command);
        if (answer.code === 0) return answer.out.trim();
        if (performance.now() > endMs) throw new Error(`${account}: still not: ${command}\n${answer.out}${answer.err}`);
        await sleep(500);
      }
    },
    send: async (file, target) => {
      const said = await exec('sh', ['-c', 'exec ssh "$@" <"$0"', file, ...argv, 'root@127.0.0.1', `cat >${target}`], '');
      if (said.code !== 0) throw new Error(`${target}: ${said.err}`);
    },
    reboot: async () => {
      const before = await ok('root', 'cat /proc/sys/kernel/random/boot_id');
      await runIt('root', 'systemctl reboot');
      await untilUp(machine, child, run, before);
    },
    console: () => consoleOf(run),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(run, { recursive: true, force: true });
    },
  };
  return machine;
}

/** Up is: root gets in, in another boot than the one before, and systemd has come to rest. */
async function untilUp(machine: Machine, child: ChildProcess, run: string, bootBefore = ''): Promise<void> {
  const endMs = performance.now() + 300_000;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`qemu ended with ${child.exitCode ?? child.signalCode}`);
    const answer = await machine.run('root', 'cat /proc/sys/kernel/random/boot_id; systemctl is-system-running --wait');
    const [bootId = '', state = ''] = answer.out.trim().split('\n');
    if (bootId !== '' && bootId !== bootBefore && (state === 'running' || state === 'degraded')) return;
    if (performance.now() > endMs) {
      const tail = consoleOf(run);
      await machine.stop();
      throw new Error(`no ssh after 300 s: ${answer.err.trim()}\n${tail}`);
    }
    await sleep(500);
  }
}

function exec(command: string, argv: readonly string[], input: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 255, out, err }));
    child.stdin.end(input);
  });
}

/** Folder with base.img, vmlinuz, initrd, the key and the host key; made anew when what it is made from changed. */
function buildImage(): string {
  const stamp = createHash('sha256').update(include).update(setup).digest('hex').slice(0, 12);
  const image = path.join(folder, `image-${stamp}`);
  if (existsSync(path.join(image, 'base.img'))) return image;
  process.stderr.write('building the image of the test server (once; a minute or two)\n');
  const work = path.join(folder, `make-${process.pid}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(path.join(work, 'root'), { recursive: true });
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(work, 'id')]],
    ['sh', ['-c', `sh "$1/setup.sh" "$1" >"$1/setup.log" 2>&1 || { cat "$1/setup.log"; exit 1; }`, 'sh', work]],
  ];
  for (const [name, text] of Object.entries(debianSources())) if (text !== '') writeFileSync(path.join(work, name), text);
  writeFileSync(path.join(work, 'inside.sh'), setup);
  writeFileSync(path.join(work, 'setup.sh'), make);
  for (const [command, argv] of steps) {
    const { status, error } = spawnSync(command, argv, { stdio: 'inherit' });
    if (status !== 0)
      throw new Error(`the image of the test server could not be built: ${command}: ${error?.message ?? `exit code ${status}`}`);
  }
  rmSync(image, { recursive: true, force: true });
  renameSync(work, image);
  return image;
}

/** Outside: packages into a folder, the folder into a file system. $1 is the work folder. */
const make = `set -eu
cd "$1"
set --
for f in debian.sources debian.list; do if [ -s "$f" ]; then set -- "$@" "$f"; fi; done
mmdebstrap -q --variant=minbase --mode=root --include=${include} \\
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \\
  --customize-hook='sh inside.sh "$1" id.pub' bookworm root.tar "$@"
tar -C root -xf root.tar
rm root.tar
cp root/boot/vmlinuz-* vmlinuz
cp root/boot/initrd.img-* initrd
ssh-keygen -lf root/etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2 >hostkey
truncate -s 4G base.img.t
mke2fs -q -t ext4 -d root base.img.t
rm -rf root
mv base.img.t base.img
`;

/** Inside: accounts, network, boot. $1 is the root of the new system, $2 the public key. */
const setup = `set -eu
r=$1
for u in ana bia; do chroot "$r" useradd -m -s /bin/bash -p '*' "$u"; done
chroot "$r" useradd -m -s /bin/bash -p '*' adm-svc
printf 'adm-svc ALL=(ALL) NOPASSWD: ALL\\n' >"$r/etc/sudoers.d/adm-svc"
chmod 440 "$r/etc/sudoers.d/adm-svc"
for h in /root /home/adm-svc; do install -d -m 700 "$r$h/.ssh"; cp "$2" "$r$h/.ssh/authorized_keys"; done
chroot "$r" chown -R adm-svc:adm-svc /home/adm-svc
printf 'server\\n' >"$r/etc/hostname"
printf '127.0.0.1 localhost\\n127.0.1.1 server\\n' >"$r/etc/hosts"
printf '/dev/vda / ext4 rw,noatime 0 1\\n' >"$r/etc/fstab"
printf '[Match]\\nName=e*\\n[Network]\\nAddress=10.0.2.15/24\\nGateway=10.0.2.2\\n' >"$r/etc/systemd/network/10.network"
chroot "$r" systemctl enable -q systemd-networkd ssh
chroot "$r" systemctl mask -q getty@tty1 serial-getty@ttyS0 apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap \\
  systemd-timesyncd systemd-networkd-wait-online dpkg-db-backup.timer systemd-update-utmp-runlevel fstrim.timer || true
printf 'blacklist kvm_amd\\nblacklist kvm_intel\\nblacklist kvm\\nblacklist powernow_k8\\nblacklist psmouse\\nblacklist acpi_cpufreq\\n' >"$r/etc/modprobe.d/vm.conf"
printf 'MODULES=list\\nCOMPRESS=lz4\\n' >"$r/etc/initramfs-tools/conf.d/vm"
printf 'virtio_pci\\nvirtio_mmio\\nvirtio_blk\\nvirtio_net\\next4\\n' >>"$r/etc/initramfs-tools/modules"
printf 'UseDNS no\\n' >"$r/etc/ssh/sshd_config.d/test.conf"
chroot "$r" update-initramfs -u
`;

/** Debian's own sources of this machine, in both formats: other repositories have no place in a bare server. */
function debianSources(): Readonly<Record<string, string>> {
  const isDebian = (text: string): boolean => /\bbookworm\b/.test(text) && /debian(-security)?\/?(\s|$)/m.test(text);
  const read = (pattern: string, between: RegExp): readonly string[] =>
    globSync(pattern)
      .toSorted()
      .flatMap((file) => readFileSync(file, 'utf8').split(between))
      .filter((text) => isDebian(text) && !text.startsWith('#'));
  return {
    'debian.sources': read('/etc/apt/sources.list.d/*.sources', /\n\s*\n/)
      .map((text) => `${text.trim()}\n`)
      .join('\n'),
    'debian.list': read('/etc/apt/{sources.list,sources.list.d/*.list}', /\n/)
      .map((text) => `${text}\n`)
      .join(''),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
