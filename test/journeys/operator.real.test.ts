/**
 * An operator puts svc into service from its Debian package: the portal as an account of its own on one machine, three servers, two dozen people
 * with passwords, and a year in short: the kit is upgraded, servers are taken away. Files that others had there before are there after it.
 * @module-tag carries-state
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { amount } from '../support/amount.ts';
import { tellCount } from '../support/counts.ts';
import { openStreet, type Machine, type Street } from './machines.ts';
import { nextBuild, type NextBuild } from './next-build.ts';
import { packMsMax, shippedPackage, shippedTree } from './shipped-tree.ts';
import { until } from './until.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const serverNames = ['sirius', 'vega', 'polar'] as const;
type ServerName = (typeof serverNames)[number];
/** An address has 20 guesses; who is right makes none. */
const people = Array.from({ length: amount(24, 40) }, (_, n) => ({
  name: `p${n + 1}`,
  password: `Senha-${n}-é`,
  server: serverNames[n % 3] ?? 'sirius',
}));
const origin = 'http://svc.localhost:8787';
const app = 'http://notas.svc.localhost:8787';

let street: Street;
let portal: Machine;
let servers: Record<ServerName, Machine>;
let next: NextBuild;
let at: string;
let running: ChildProcess;
let beforePackage: ReadonlyMap<string, string>;
const startMs = performance.now();
/** 150 MB go to three servers at once, and two processors may be all that there is, which do much else. */
const patienceMs = 840_000;
const testMsMax = 1_200_000;

const svc = async (...args: readonly string[]) => await portal.run(['svc', ...args], { as: 'svc', codes: [0, 1, 2] });
interface Seen {
  readonly key: string;
  readonly state: string;
  readonly reason: string;
}
async function objects(kind: string): Promise<readonly Seen[]> {
  const { code, out, err } = await svc('get', kind, '-o', 'json');
  if (code !== 0) throw new Error(`svc get ${kind} ended with ${code}: ${err}`);
  return JSON.parse(out) as readonly Seen[];
}

/** Answer of the portal at its own socket, which no process is started for; null: nothing listens there. */
async function answered(route: string): Promise<string | null> {
  const asked = get({ socketPath: `${portal.root}/var/lib/svc/state/svc.sock`, path: route });
  return await once(asked, 'response').then(
    async (events) => {
      const answer = events[0] as IncomingMessage;
      return answer.statusCode === 200 ? await text(answer) : null;
    },
    () => null,
  );
}

/** Waits by the socket, and then has it from `svc get`. */
async function untilObjects(what: string, kind: 'Server' | 'Person' | 'Package', isSo: (all: readonly Seen[]) => boolean): Promise<void> {
  await until(
    what,
    async () => {
      const all = await answered(`/api/admin/objects?prefix=${kind}/`);
      return all !== null && isSo(JSON.parse(all) as readonly Seen[]);
    },
    patienceMs,
    500,
  );
  expect([what, isSo(await objects(kind))]).toEqual([what, true]);
}

const endings: (() => Promise<void>)[] = [];

let output = '';

async function startPortal(): Promise<void> {
  // As systemd does it, which no namespace has.
  const { out: unit } = await portal.run(['cat', '/usr/lib/systemd/system/svc.service']);
  const command = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '';
  const child = (running = portal.start(command.split(' '), { as: /^User=(.*)$/m.exec(unit)?.[1] ?? '' }));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      output += chunk.toString();
    });
  await until('the portal to listen', () => {
    if (child.exitCode !== null) throw new Error(`svc up ended with ${child.exitCode}:\n${said}`);
    return /listening on|open http/.test(said);
  });
}

const writePeople = async (all: typeof people): Promise<void> =>
  await write(
    'people',
    ...all.map(
      ({ name, server }) =>
        `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: ${server}, account: ${name} }`,
    ),
  );
const writeApps = async (names: readonly ServerName[]): Promise<void> =>
  await write(
    'apps',
    ...names.map((name) => `kind: Package\nmetadata: { name: notas-${name} }\nspec: { app: notas, versao: 1.0.0, server: ${name} }`),
  );

/** The app of these is wanted whether or not a window of it is open: it ends only when something ends it. */
const writePins = async (names: readonly ServerName[]): Promise<void> =>
  await write(
    'pins',
    ...names.map((name) => {
      const person = someone(name);
      return `kind: Backend\nmetadata: { name: ${person}-notas }\nspec: { pessoa: ${person}, app: notas, estado: ligado }`;
    }),
  );

/** How often the controller has worked on an object. */
async function rounds(): Promise<number> {
  const metrics = (await answered('/metrics')) ?? '';
  const counts = [...metrics.matchAll(/^svc_reconcile_duration_seconds_count\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  expect(counts).not.toEqual([]);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** YAML of an operator, one file for each thing. */
const write = async (name: string, ...documents: readonly string[]): Promise<void> => {
  await writeFile(`${portal.root}/etc/svc-portal/${name}.yaml`, documents.map((each) => `apiVersion: svc/v1\n${each}\n`).join('---\n'));
};

const files: readonly (readonly [file: string, content: string, mode?: number])[] = [
  ['/etc/svc/desired/portal.yaml', 'kind: Portal\n'],
  ['/etc/svc/store-password', 'segredo\n', 0o600],
  ['/opt/svc/estado/dados.db', '1\n'],
  ['/opt/svc/LEIA', 'x\n'],
  ['/opt/outro/z', 'y\n'],
  ['/usr/local/bin/svc-meu', '#!/bin/sh\n', 0o755],
  ['/etc/ssh/sshd_config.d/10-own.conf', 'MaxAuthTries 5\n'],
];
const before = new Map<ServerName, ReadonlyMap<string, string>>();

async function openServer(name: ServerName): Promise<Machine> {
  const machine = await street.machine();
  const key = machine.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', '/etc/ssh/ssh_host_ed25519_key']);
  await machine.accounts(people.filter(({ server }) => server === name));
  await rm(`${machine.root}/root/.ssh`, { recursive: true, force: true });
  await mkdir(`${machine.root}/root/.ssh`, { mode: 0o700 });
  // Files of others, at the places that svc has for its own.
  for (const [file, content, mode] of files) await machine.put(file, content, mode);
  await symlink('/opt/outro', `${machine.root}/opt/svc/outro`);
  await key;
  before.set(name, await machine.changes());
  machine.start(['/usr/sbin/sshd', '-D', '-e']);
  return machine;
}

beforeAll(async () => {
  const [deb, tree, opened] = await Promise.all([shippedPackage(), shippedTree(), openStreet()]);
  street = opened;
  endings.push(street.end);
  next = await nextBuild(tree);
  endings.push(next.remove);
  portal = await street.machine({ '/srv/package': path.dirname(deb), '/srv/next': next.tree });
  at = `${portal.address}:8787`;
  const [sirius, vega, polar] = await Promise.all([openServer('sirius'), openServer('vega'), openServer('polar')]);
  servers = { sirius, vega, polar };
  beforePackage = await portal.changes();
  // Pages of the manual are indexed by a trigger of another package, for five seconds of a processor.
  await portal.sh(`dpkg --no-triggers --install /srv/package/${path.basename(deb)}`, { input: '' });
}, packMsMax);

afterAll(async () => {
  for (const end of endings.toReversed()) await end();
  tellCount(`journey operator: ${Math.round((performance.now() - startMs) / 1_000)} s`);
});

test('the portal starts from its package as an account that can write nowhere in it', async () => {
  expect((await svc('--version')).out).toMatch(/^\d+\.\d+\.\d+ \([0-9a-f]{8}\)\n$/);
  expect(Number((await portal.run(['dpkg-query', '-W', '-f', '${Installed-Size}', 'svc'])).out)).toBeLessThan(145_000);
  expect((await portal.run(['find', '/usr/lib/svc', '/usr/bin/svc', '-not', '-user', 'root'])).out).toBe('');
  const spec = 'spec: { listen: "0.0.0.0:8787", signIn: { ssh: {} }, repository: /usr/lib/svc/examples/apps }';
  await write('portal', `kind: Portal\nmetadata: { name: casa }\n${spec}`);
  await Promise.all(
    serverNames.map(async (name) => {
      const { address } = servers[name];
      const hostKey = /hostKey: (".*")/.exec((await svc('server', 'trust', address)).out)?.[1];
      await write(name, `kind: Server\nmetadata: { name: ${name} }\nspec: { ssh: { host: ${address}, hostKey: ${hostKey} } }`);
    }),
  );
  await startPortal();
  const key = '/var/lib/svc/state/ssh/id_ed25519.pub';
  const line = await until('the key of the portal', async () => await readFile(portal.root + key, 'utf8').catch(() => null));
  for (const name of serverNames) await writeFile(`${servers[name].root}/root/.ssh/authorized_keys`, line);
});

test('a kit is put on each server', { timeout: testMsMax }, async () => {
  const ran = await Promise.all(serverNames.map((name) => svc('server', 'add', name)));
  expect(ran.map(({ code, err }) => [code, err])).toEqual(serverNames.map(() => [0, '']));
  // Packages and people come next; a server's faults would be reported as its state.
  await untilObjects('the servers', 'Server', (all) => all.every(({ state }) => state === 'ready'));
});

const visitors = new Map<string, Visitor>();

test(
  'more people behind one address than it has guesses sign in with the passwords of their accounts',
  { timeout: testMsMax },
  async () => {
    await writePeople(people);
    await writeApps(serverNames);
    await svc('apply');
    await untilObjects('the people', 'Person', (all) => all.length === people.length);
    const waiting = [...people];
    const answers: string[] = [];
    const signIn = async (): Promise<void> => {
      for (let person = waiting.shift(); person !== undefined; person = waiting.shift()) {
        const visitor = createVisitor(street, at);
        visitors.set(person.name, visitor);
        const { status, body } = await visitor.ask('POST', `${origin}/api/sessao`, { login: person.name, senha: person.password });
        answers.push(`${status} ${status === 200 ? '' : body}`);
      }
    };
    await Promise.all([signIn(), signIn(), signIn(), signIn()]);
    expect(answers).toEqual(people.map(() => '200 '));
    const wrong = await createVisitor(street, at).ask('POST', `${origin}/api/sessao`, { login: 'p1', senha: 'outra' });
    expect([wrong.status, JSON.parse(wrong.body).code]).toEqual([401, 'CREDENTIALS_REFUSED']);
  },
);

/** Process ids of the app, by server. */
const pids = new Map<ServerName, string>();
const someone = (name: ServerName): string => people.find(({ server }) => server === name)!.name;
const pidOf = async (name: ServerName): Promise<string> =>
  (await servers[name].run(['pgrep', '-u', someone(name), '-f', 'backend/main.py'], { codes: [0, 1] })).out.trim();

test('an app starts on each server from the kit, as its person', { timeout: testMsMax }, async () => {
  await untilObjects('the packages', 'Package', (all) => all.every(({ state }) => state === 'installed'));
  const starts = serverNames.map(async (name) => {
    const visitor = visitors.get(someone(name))!;
    // A navigation is held for 20 s; a page of a browser asks again by itself.
    const page = await until(
      `the page of the app on ${name}`,
      async () => {
        const found = await visitor.open(`${app}/`);
        return found.status !== 503 && found;
      },
      patienceMs,
    );
    expect([page.status, page.body.includes('<title>')]).toEqual([200, true]);
    const made = await visitor.ask('POST', `${app}/api/notas`, { titulo: name, texto: 'olá' });
    expect(made.status).toBe(201);
    pids.set(name, await pidOf(name));
    expect(pids.get(name)).toMatch(/^\d+$/);
  });
  await Promise.all(starts);
  await writePins(serverNames);
  const applied = await svc('apply');
  expect(applied.code, `${applied.out}${applied.err}`).toBe(0);
});

async function startAgain(between = async (): Promise<void> => undefined): Promise<void> {
  await portal.sh("pkill -TERM -u svc -f 'svc[.]mjs up'");
  if (running.exitCode === null && running.signalCode === null) await once(running, 'exit');
  await between();
  await startPortal();
}

const kitOf = async (name: ServerName): Promise<string> => await readlink(`${servers[name].root}/opt/svc/current`);
const others = ['sirius', 'vega'] as const;
/** By what the portal sees now, not by what the one before wrote. */
const whenStopped = async (): Promise<void> => {
  await until(
    'the roll-out to be stopped',
    async () => /^svc_server_kit_stopped\{server="polar"\} 1$/m.test((await answered('/metrics')) ?? ''),
    patienceMs,
  );
  await untilObjects(
    'the others to be told of the failure',
    'Server',
    (all) => all.filter(({ reason }) => reason === 'KitStopped').length === others.length,
  );
};

test('the kit of the next build fails where it comes first: the others keep theirs and go on', { timeout: testMsMax }, async () => {
  const plan = await portal.run(['/srv/next/bin/svc', 'upgrade', '--plan', '--state', '/var/lib/svc/state'], { as: 'svc', codes: [2] });
  expect(plan.out).toMatch(new RegExp(`^kits {5}polar: \\S+ to .*${next.kit}.*, first of all; 1 app`, 'm'));
  const before = await kitOf('vega');
  await servers.polar.sh('mount --bind /opt/svc /opt/svc && mount -o remount,ro,bind /opt/svc');
  await startAgain(async () => void (await portal.sh('mount --bind /srv/next /usr/lib/svc')));
  await whenStopped();
  // Another start of the portal knows it, too.
  await startAgain();
  await whenStopped();
  expect(await Promise.all(serverNames.map(kitOf))).toEqual([before, before, before]);
  const told = async (...args: readonly string[]): Promise<string> => (await svc(...args)).out.replaceAll(/\s+/g, ' ');
  expect(await told('why', 'Server/vega')).toMatch(/failed on polar: .*Read-only file system.*svc server add polar/);
  expect(await told('events', 'Server/vega')).toContain('KitStopped');
  expect(await told('doctor')).toMatch(/go on with the kit they have: sirius, vega \(.*failed on polar/);
  expect(await told('plan')).toContain('blocked Server/vega KitStopped');
  for (const name of others) expect(await pidOf(name)).toBe(pids.get(name));
  expect((await svc('start', `${people.findLast(({ server }) => server === 'vega')!.name}/notas`)).code).toBe(0);
});

test('it is mended there: the kit comes under the running apps of one server, then of the others', { timeout: testMsMax }, async () => {
  await servers.polar.sh('mount -o remount,rw,bind /opt/svc');
  const added = await svc('server', 'add', 'polar');
  expect([added.code, added.err]).toEqual([0, '']);
  expect(await Promise.all(others.map(kitOf))).not.toContain(next.kit);
  for (const name of serverNames) {
    await until(`the kit of ${name}`, async () => (await kitOf(name)) === next.kit, patienceMs);
    const visitor = visitors.get(someone(name))!;
    await until('the app', async () => (await visitor.ask('GET', `${app}/api/notas`)).body.includes(name));
    expect(await pidOf(name)).toBe(pids.get(name));
  }
});

test('a server is taken away, and nothing of others went with it', { timeout: testMsMax }, async () => {
  for (const name of others) {
    const { code, err } = await svc('server', 'remove', name, '--force');
    expect([code, err]).toEqual([0, '']);
    const after = await servers[name].changes();
    const missing = [...(before.get(name) ?? [])].filter(([file, said]) => after.get(file) !== said);
    expect(missing.map(([file, said]) => `${file}:${said} is now${after.get(file) ?? ' gone'}`)).toEqual([]);
  }
});

test('a machine dies for good: its people are taken away, and it is given up', { timeout: testMsMax }, async () => {
  // Nothing listens there any more: each try fails at once.
  await servers.polar.run(['pkill', 'sshd']);
  const wanted = await svc('server', 'forget', 'polar', '--yes');
  expect([wanted.code, wanted.err.includes('Server/polar is wanted')]).toEqual([1, true]);
  const saidBefore = output.length;
  await portal.run(['rm', '/etc/svc-portal/polar.yaml']);
  await writePeople(people.filter(({ server }) => server !== 'polar'));
  await writeApps(['sirius', 'vega']);
  await writePins(['sirius', 'vega']);
  expect((await svc('apply', '--prune')).code).toBe(0);
  const left = async (): Promise<readonly string[]> => {
    const all = await Promise.all(['servers', 'people', 'packages'].map((kind) => objects(kind)));
    const gone = new Set([
      'Server/polar',
      'Package/notas-polar',
      ...people.filter(({ server }) => server === 'polar').map(({ name }) => `Person/${name}`),
    ]);
    return all.flat().flatMap(({ key }) => (gone.has(key) ? [key] : []));
  };
  const before = await left();
  expect(before).toContain('Server/polar');
  // Somebody leaves a machine that is away: it is observed as seldom as everything else.
  const [roundsBefore, beganMs] = [await rounds(), performance.now()];
  await pause(3_000);
  expect(((await rounds()) - roundsBefore) / (performance.now() - beganMs)).toBeLessThan(0.2);
  await servers.polar.end();
  const said = await svc('server', 'forget', 'polar');
  expect([said.code, said.out.split('\n').filter((line) => line.startsWith('will')).length]).toEqual([2, expect.any(Number)]);
  for (const key of before) expect(said.out).toContain(key);
  expect((await left()).length).toBe(before.length);
  const done = await svc('server', 'forget', 'polar', '--yes');
  expect([done.code, done.err]).toEqual([0, '']);
  expect(await left()).toEqual([]);
  // A machine that is away makes the portal say so, not write without end.
  expect(output.length - saidBefore).toBeLessThan(200_000);
});

test('the package is purged: the state and the desired folder stay unless they are given up, and nothing of others went', async () => {
  await portal.sh("pkill -TERM -u svc -f 'svc[.]mjs up'");
  if (running.exitCode === null && running.signalCode === null) await once(running, 'exit');
  await portal.sh('umount --lazy /usr/lib/svc');
  const { err } = await portal.sh('dpkg --no-triggers --purge svc');
  expect(err).toContain('svc: /var/lib/svc stays\nsvc: /etc/svc-portal stays\n');
  const after = await portal.changes();
  const left = [...after.keys()].filter((file) => !beforePackage.has(file) && !/^\/(?:etc\/svc-portal|var\/lib\/svc)(?:\/|$)/.test(file));
  // Files that dpkg, useradd and systemctl keep for themselves, and their folders.
  expect(left.filter((file) => /svc/.test(file))).toEqual([]);
  expect([...beforePackage].filter(([file]) => !after.has(file))).toEqual([]);
});
