/**
 * A site to be broken: a portal from its tarball as an account of its own, and servers with accounts, all of them machines of their own
 * (../journeys/machines.ts). Nothing of the product is imported: what is read is what an operator reads. Needs root.
 */
import type { ChildProcess } from 'node:child_process';
import { openStreet, type Machine, type Street } from '../journeys/machines.ts';
import { shippedTree } from '../journeys/shipped-tree.ts';
import { until } from '../journeys/until.ts';

export interface Said {
  readonly key: string;
  readonly state: string;
  readonly reason: string;
  readonly message: string;
}

export interface Why {
  readonly sentence: string;
  readonly waitsFor: string | null;
  readonly fix: string | null;
}

export interface Row {
  readonly name: string;
  readonly ok: boolean;
  readonly warning: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

export interface Site {
  readonly street: Street;
  readonly portal: Machine;
  readonly servers: ReadonlyMap<string, Machine>;
  /** A command of `svc` as the account of the portal, on its state. */
  svc(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  objects(): Promise<ReadonlyMap<string, Said>>;
  why(key: string): Promise<Why>;
  doctor(server?: string): Promise<readonly Row[]>;
  /** One file of the desired state; no documents: it is removed. */
  write(file: string, ...documents: readonly string[]): Promise<void>;
  /** An app of the repository: its manifest beside an id and a backend in Python, and its files. */
  app(id: string, manifest: object, files: Readonly<Record<string, string>>): Promise<void>;
  /** The log of the portal. */
  log(): string;
  restart(): Promise<void>;
  end(): Promise<void>;
}

export function startSshd(machine: Machine): void {
  const child = machine.start(['/usr/sbin/sshd', '-D', '-e']);
  // One whose log nobody reads stands still once the pipe is full.
  for (const stream of [child.stdout, child.stderr]) stream?.resume();
}

const folder = '/etc/svc-portal';
const state = '/var/lib/svc/state';

/** `servers`: with the accounts of each. */
export async function openSite(servers: Readonly<Record<string, readonly string[]>>): Promise<Site> {
  const [tree, street] = await Promise.all([shippedTree(), openStreet()]);
  const portal = await street.machine({ '/srv/svc': tree });
  await portal.sh(`
    mkdir -p /usr/lib/svc ${folder} /srv/apps && mount --bind /srv/svc /usr/lib/svc
    ln -s /usr/lib/svc/bin/svc /usr/local/bin/svc
    useradd --system --home-dir /var/lib/svc --create-home --shell /usr/sbin/nologin svc`);
  const machines = new Map<string, Machine>();
  // Other tests end all processes of the accounts that they made: by number, on every machine of this kernel.
  const uids = 20_000 + 100 * Math.floor(Math.random() * 300);
  for (const [name, accounts] of Object.entries(servers)) {
    const machine = await street.machine();
    await machine.sh(
      `ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
       mkdir -p /root/.ssh && chmod 700 /root/.ssh && rm -f /root/.ssh/*
       for name in ${accounts.join(' ')}; do useradd -m -K HOME_MODE=0700 -K UID_MIN=${uids} -s /bin/bash -p '*' "$name"; done`,
    );
    startSshd(machine);
    machines.set(name, machine);
  }
  let output = '';
  let running: ChildProcess | null = null;
  const svc: Site['svc'] = (...args) =>
    portal.run(['svc', ...args, ...(args[0] === 'validate' || args[1] === 'trust' ? [] : ['--state', state])], {
      as: 'svc',
      codes: [0, 1, 2],
    });
  const json = async <Answer>(...args: readonly string[]): Promise<Answer> => {
    const { out, err } = await svc(...args, '-o', 'json');
    try {
      return JSON.parse(out) as Answer;
    } catch {
      throw new Error(`svc ${args.join(' ')}: ${out}${err}`);
    }
  };
  const start = async (): Promise<void> => {
    const from = output.length;
    const child = (running = portal.start(['svc', 'up', folder, '--state', state, '--no-link'], { as: 'svc' }));
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until('the portal', async () => {
      if (child.exitCode !== null) throw new Error(`svc up ended with ${child.exitCode}:\n${output.slice(from)}`);
      return (await svc('get', 'portal')).code === 0;
    });
  };
  const write: Site['write'] = async (file, ...documents) => {
    const text = documents.map((each) => `apiVersion: svc/v1\n${each}\n`).join('---\n');
    await portal.sh(
      documents.length === 0 ? `rm -f ${folder}/${file}.yaml` : `cat >${folder}/.new && mv ${folder}/.new ${folder}/${file}.yaml`,
      {
        input: text,
      },
    );
  };
  return {
    street,
    portal,
    servers: machines,
    svc,
    objects: async () => new Map((await json<readonly Said[]>('get')).map((each) => [each.key, each])),
    why: (key) => json<Why>('why', key),
    doctor: async (server) =>
      (await json<{ checks: readonly Row[] }>('doctor', ...(server === undefined ? [] : ['--server', server]))).checks,
    write,
    app: async (id, manifest, files) => {
      const all: Record<string, string> = {
        'svc-app.json': JSON.stringify({
          id,
          name: id,
          version: '1.0.0',
          backend: { runtime: 'python3', entrypoint: 'main.py', aoFechar: 'manter' },
          ...manifest,
        }),
        ...files,
      };
      for (const [file, text] of Object.entries(all))
        await portal.sh(`mkdir -p "$(dirname /srv/apps/${id}/${file})" && cat >/srv/apps/${id}/${file}`, { input: text });
    },
    log: () => output,
    restart: async () => {
      running?.kill('SIGKILL');
      await portal.sh("pkill -KILL -u svc -f 'svc[.]mjs up' || true");
      await start();
    },
    end: async () => {
      await street.end();
    },
  };
}
