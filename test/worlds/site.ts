/**
 * A site to be broken: a portal from its tarball as an account of its own, with a server that is its own machine, and servers over ssh with
 * accounts, all of them machines of their own (../journeys/machines.ts). Nothing of the product is imported: what is read is what an operator
 * reads. Needs root.
 */
import type { ChildProcess } from 'node:child_process';
import { openStreet, type Machine, type Street } from '../journeys/machines.ts';
import { shippedTree } from '../journeys/shipped-tree.ts';
import { until } from '../journeys/until.ts';
import { createVisitor, type Visitor } from '../journeys/visitor.ts';

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

export interface Plan {
  /** The exit code. */
  readonly code: number;
  readonly changes: readonly { readonly key: string; readonly action: string; readonly detail: string }[];
  readonly blocked: readonly { readonly key: string; readonly reason: string; readonly message: string; readonly waits: boolean }[];
  readonly errors: readonly string[];
  readonly pendingPrune: readonly string[];
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Site {
  readonly portal: Machine;
  server(name: string): Machine;
  /** A command of `svc` as the account of the portal, on its state. */
  svc(...args: readonly string[]): Promise<Ran>;
  objects(): Promise<ReadonlyMap<string, Said>>;
  why(key: string): Promise<Why>;
  plan(): Promise<Plan>;
  doctor(server?: string): Promise<readonly Row[]>;
  /** The rows of a person's task panel: state and reason by app. */
  panel(person: string): Promise<ReadonlyMap<string, Said>>;
  /** Writes a file of the desired state; no documents: it is removed. */
  write(file: string, ...documents: readonly string[]): Promise<void>;
  /** As it stands, one that is no YAML as well. */
  writeText(file: string, text: string): Promise<void>;
  /** An app in the folder of the repository: its manifest beside an id and a backend in Python, and its files. */
  app(id: string, manifest?: object, files?: Readonly<Record<string, string>>): Promise<void>;
  /** The rows of the administrators' panel: state, reason and message by key. */
  adminPanel(): Promise<ReadonlyMap<string, Said>>;
  /** The log of the portal. */
  log(): string;
  /** Ends the portal by its pid and starts it again; with `fault` it ends itself at that point (controller/faults.ts). */
  restart(fault?: string): Promise<void>;
  stop(): Promise<void>;
  end(): Promise<void>;
}

export const folder = '/etc/svc-portal';
export const state = '/var/lib/svc/state';
export const apps = '/srv/apps';

export const goodBackend = `import sys
from svc import servidor
class Pedido(servidor.Pedido):
    def atender(self, metodo):
        self.responder_json(200, {'ok': True})
sys.exit(servidor.escutar(Pedido, sys.argv[1:]))
`;

/** Its sshd goes on until it is killed by the number in its pid file. */
export async function startSshd(machine: Machine): Promise<void> {
  const child = machine.start(['/usr/sbin/sshd', '-D', '-e']);
  // An sshd whose log nobody reads stands still once the pipe is full.
  for (const stream of [child.stdout, child.stderr]) stream?.resume();
  await until('sshd', async () => (await machine.run(['test', '-s', '/run/sshd.pid'], { codes: [0, 1] })).code === 0);
}

export const stopSshd = (machine: Machine): Promise<unknown> => machine.sh('kill "$(cat /run/sshd.pid)"; rm -f /run/sshd.pid');

/** Deadline of a portal's start, on a machine that does much else. */
const startMsMax = 120_000;

/** `servers`: with the accounts of each. */
export async function openSite(servers: Readonly<Record<string, readonly string[]>>): Promise<Site> {
  const [tree, street] = await Promise.all([shippedTree(), openStreet()]);
  const portal = await street.machine({ '/srv/svc': tree });
  await portal.sh(`
    mkdir -p /usr/lib/svc ${folder} ${apps} && mount --bind /srv/svc /usr/lib/svc
    ln -s /usr/lib/svc/bin/svc /usr/local/bin/svc
    useradd --system --home-dir /var/lib/svc --create-home --shell /usr/sbin/nologin svc`);
  const machines = new Map<string, Machine>();
  for (const [name, accounts] of Object.entries(servers)) machines.set(name, await openServer(street, accounts));
  const process = portalProcess(portal);
  return {
    portal,
    server: (name) => machines.get(name) as Machine,
    ...commandsOf(portal),
    ...panelsOf(street, portal),
    ...filesOf(portal),
    ...process,
    end: () => street.end(),
  };
}

async function openServer(street: Street, accounts: readonly string[]): Promise<Machine> {
  const machine = await street.machine();
  // Other tests end all processes of the accounts that they made: by number, on every machine of this kernel.
  const uids = 20_000 + 100 * Math.floor(Math.random() * 300);
  await machine.sh(
    `ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
     mkdir -p /root/.ssh && chmod 700 /root/.ssh && rm -f /root/.ssh/*
     for name in ${accounts.join(' ')}; do useradd -m -K HOME_MODE=0700 -K UID_MIN=${uids} -s /bin/bash -p '*' "$name"; done`,
  );
  await startSshd(machine);
  return machine;
}

function portalProcess(portal: Machine): Pick<Site, 'log' | 'restart' | 'stop'> {
  let output = '';
  let running: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    await portal.sh(`kill -KILL "$(cat ${state}/pid)"`, { codes: [0, 1] });
    const child = running;
    if (child !== null) await until('the portal to end', () => child.exitCode !== null || child.signalCode !== null);
    running = null;
  };
  return {
    log: () => output,
    stop,
    restart: async (fault) => {
      if (running !== null) await stop();
      const from = output.length;
      const child = (running = portal.start(
        [...(fault === undefined ? [] : ['env', `SVC_FAULT_POINT=${fault}`]), 'svc', 'up', folder, '--state', state, '--no-link'],
        { as: 'svc' },
      ));
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await until(
        'the portal',
        async () => {
          if (child.exitCode !== null) throw new Error(`svc up ended with ${child.exitCode}:\n${output.slice(from)}`);
          return (await portal.run(['svc', 'get', 'portal', '--state', state], { as: 'svc', codes: [0, 1] })).code === 0;
        },
        startMsMax,
      );
    },
  };
}

/** Worlds that ask while somebody's question is under way share the next one: what is answered was seen after each of them asked. */
function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Answer> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const asked = ask();
      running = asked.catch(() => undefined);
      return asked;
    });
    return next;
  };
}

function commandsOf(portal: Machine): Pick<Site, 'svc' | 'objects' | 'why' | 'plan' | 'doctor'> {
  const svc: Site['svc'] = (...args) =>
    // A command that goes on is no refusal.
    portal.run(
      [
        ...(args[0] === 'up' ? ['timeout', '90'] : []),
        'svc',
        ...args,
        ...(args[0] === 'validate' || args[1] === 'trust' || args.includes('--state') ? [] : ['--state', state]),
      ],
      {
        as: 'svc',
        codes: [0, 1, 2, 124],
      },
    );
  const json = async <Answer>(...args: readonly string[]): Promise<Answer> => (await told(...args)).answer as Answer;
  const told = async (...args: readonly string[]): Promise<{ readonly code: number; readonly answer: unknown }> => {
    const { code, out, err } = await svc(...args, '-o', 'json');
    try {
      return { code, answer: JSON.parse(out) as unknown };
    } catch {
      throw new Error(`svc ${args.join(' ')}: ${out}${err}`);
    }
  };
  const doctors = new Map<string, () => Promise<{ checks: readonly Row[] }>>();
  return {
    svc,
    objects: shared(async () => new Map((await json<readonly Said[]>('get')).map((each) => [each.key, each]))),
    why: (key) => json<Why>('why', key),
    plan: shared(async () => {
      const { code, answer } = await told('plan');
      return { ...(answer as Omit<Plan, 'code'>), code };
    }),
    doctor: (server = '') => {
      const ask =
        doctors.get(server) ?? shared(() => json<{ checks: readonly Row[] }>('doctor', ...(server === '' ? [] : ['--server', server])));
      doctors.set(server, ask);
      return ask().then(({ checks }) => checks);
    },
  };
}

function panelsOf(street: Street, portal: Machine): Pick<Site, 'panel' | 'adminPanel'> {
  const visitors = new Map<string, Promise<Visitor>>();
  const signIn = async (...words: readonly string[]): Promise<Visitor> => {
    const { out } = await portal.run(['svc', 'link', ...words, '--state', state], { as: 'svc' });
    const visitor = createVisitor(street, `${portal.address}:8787`);
    await visitor.open(out.trim());
    return visitor;
  };
  const read = async <Answer>(path: string, ...words: readonly string[]): Promise<Answer> => {
    const who = words.join(' ');
    const visitor = visitors.get(who) ?? signIn(...words);
    visitors.set(who, visitor);
    const { status, body } = await (await visitor).ask('GET', `http://svc.localhost:8787${path}`);
    if (status !== 200) throw new Error(`${path} for ${who}: ${status} ${body}`);
    return JSON.parse(body) as Answer;
  };
  return {
    panel: async (person) => {
      type Row = Omit<Said, 'key' | 'state'> & { readonly id: string; readonly status: string };
      const { apps: rows } = await read<{ readonly apps: readonly Row[] }>('/api/apps?uso=1', person);
      return new Map(rows.map((row) => [row.id, { ...row, state: row.status, key: `Backend/${person}/${row.id}` }]));
    },
    adminPanel: async () => {
      type Server = { readonly packages: readonly Said[] };
      const { servers } = await read<{ readonly servers: readonly Server[] }>('/api/admin/pacotes', 'lia', '--admin');
      return new Map(servers.flatMap(({ packages }) => packages.map((row) => [row.key, row])));
    },
  };
}

function filesOf(portal: Machine): Pick<Site, 'write' | 'writeText' | 'app'> {
  const writeText: Site['writeText'] = async (file, text) => {
    await portal.sh(`cat >${folder}/.${file} && mv ${folder}/.${file} ${folder}/${file}.yaml`, { input: text });
  };
  return {
    writeText,
    write: async (file, ...documents) => {
      const text = documents.map((each) => `apiVersion: svc/v1\n${each}\n`).join('---\n');
      if (documents.length === 0) await portal.sh(`rm -f ${folder}/${file}.yaml`);
      else await writeText(file, text);
    },
    app: async (id, manifest = {}, files = {}) => {
      const backend = { runtime: 'python3', entrypoint: 'main.py', aoFechar: 'manter' };
      const { backend: over = {}, ...rest } = manifest as { readonly backend?: object };
      const all: Record<string, string> = {
        'main.py': goodBackend,
        ...files,
        'svc-app.json': JSON.stringify({ id, name: id, version: '1.0.0', backend: { ...backend, ...over }, ...rest }),
      };
      // The folder comes whole: a portal that reads it meanwhile would find half of it.
      const put = Object.keys(all).map(
        (file) =>
          `mkdir -p "$(dirname '.new-${id}/${file}')"; head -c ${Buffer.byteLength(all[file] ?? '')} >'.new-${id}/${file}'; chmod 755 '.new-${id}/${file}'`,
      );
      await portal.sh(`cd ${apps}; rm -rf .new-${id}; mkdir .new-${id}\n${put.join('\n')}\nrm -rf ${id}; mv .new-${id} ${id}`, {
        input: Object.values(all).join(''),
      });
    },
  };
}
