/**
 * The portal of the journeys: started by its own command, from the tree that is shipped, in a mount namespace where this checkout is an empty
 * folder. Nothing of the product is imported here.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFront, type Front } from './fronts.ts';
import { run } from './machines.ts';
import { until } from './until.ts';

const checkout = path.resolve(import.meta.dirname, '../..');

/** A start on a machine that does much else. */
const startMsMax = 120_000;

/** Where the product stands for the portal of the journeys, whatever folder it was unpacked into. */
const home = '/usr/lib/svc';

export const exampleApps = ['notas', 'relogio', 'caderno', 'tracos', 'rascunhos', 'leitor', 'dicionario', 'moinho', 'vitrine'] as const;

export interface ShippedPortal {
  /** Where its page is for people. */
  readonly address: string;
  /** The files of the person that the journeys are. */
  readonly files: string;
  /** Link of the last start; works once. */
  readonly link: string;
  output(): string;
  /** SIGKILL to the portal alone. */
  kill(): Promise<void>;
  /** The same command on the same state. */
  again(): Promise<void>;
  /** From now on people come through that proxy, and no other; the first time the portal gets another address, and starts again. */
  behind(front: Front): Promise<void>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = new Promise<boolean>((resolve) => server.once('listening', () => resolve(true)).once('error', () => resolve(false)));
    server.listen(port, '127.0.0.1');
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** An administrator's folder: one server, two people, the example apps from a repository of packages. */
async function writeDesired(folder: string): Promise<string> {
  const desired = path.join(folder, 'desired');
  await mkdir(desired);
  await writePortal(desired, '');
  const packages: string[] = [];
  for (const app of exampleApps) {
    const from = path.join(checkout, 'examples/apps', app);
    await cp(from, path.join(folder, 'apps', app), { recursive: true });
    const { version } = JSON.parse(await readFile(path.join(from, 'svc-app.json'), 'utf8')) as { version: string };
    packages.push(`kind: Package\nmetadata: { name: ${app}-casa }\nspec: { app: ${app}, versao: ${version}, server: casa }`);
  }
  const documents = [
    'kind: Cluster\nmetadata: { name: aqui }\nspec: { scheduler: { local: {} }, emVoo: 2, limites: { cpus: 2, memoriaMb: 2000, segundos: 3600 } }',
    'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa } }',
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa, grupos: [editores] }',
    ...packages,
  ];
  await writeFile(path.join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  return desired;
}

async function writePortal(desired: string, more: string): Promise<void> {
  const spec = `repository: ../apps, fila: { clusters: [aqui] }${more}`;
  await writeFile(path.join(desired, 'portal.yaml'), `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { ${spec} }\n`);
}

/** The checkout is hidden by an empty file system, and the product is at its home; both for this process and its children only. */
const namespace = (tree: string, folder: string): readonly string[] => [
  'unshare',
  '--mount',
  '--propagation=private',
  'sh',
  '-c',
  `own=$(mktemp -d "$1/.lib-XXXXXX") && mkdir "$own/up" "$own/work" &&
   mount -t overlay -o "lowerdir=/usr/lib,upperdir=$own/up,workdir=$own/work" overlay /usr/lib &&
   mkdir -p ${home} && mount --bind "$2" ${home} && mount -t tmpfs none "$3" && cd / && shift 3 && exec "$@"`,
  'sh',
  folder,
  tree,
  checkout,
];

/** `tree`: what was unpacked. */
export async function startShipped(tree: string): Promise<ShippedPortal> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svcj-'));
  const state = path.join(folder, 's');
  const desired = await writeDesired(folder);
  const port = await freePort();
  let address = `http://svc.localhost:${port}/`;
  let endFront: (() => Promise<void>) | null = null;
  let output = '';
  let link = '';
  let child: ChildProcess;
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const start = async (): Promise<void> => {
    let text = '';
    const up = [`${home}/bin/svc`, 'up', desired, '--state', state, '--listen', `127.0.0.1:${port}`];
    const [command = '', ...args] = [...namespace(tree, folder), ...up];
    child = spawn(command, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        output += chunk.toString('utf8');
      });
    const printed = (): string | undefined => {
      if (isOver()) throw new Error(`svc up ended:\n${text}`);
      return /open (https?:\/\/\S+)/.exec(text)?.[1];
    };
    link = await until('the printed link', printed, startMsMax);
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (!isOver()) await once(child, 'exit');
  };
  await start();
  const publicPort = await freePort();
  const behind = async (front: Front): Promise<void> => {
    const place = {
      folder: path.join(folder, 'front'),
      sh: async (script: string, how: { readonly input?: string } = {}) => await run(['sh', '-ec', script], how),
      start: ([command = '', ...args]: readonly string[]) => spawn(command, args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] }),
    };
    if (endFront === null) {
      address = `https://svc.localhost:${publicPort}/`;
      await mkdir(place.folder);
      await kill();
      await writePortal(desired, `, url: '${address}', trustedProxies: ['127.0.0.1']`);
      await start();
    } else await endFront();
    endFront = await openFront(front, place, { host: 'svc.localhost', port: publicPort, portal: port });
  };
  return {
    get address() {
      return address;
    },
    files: path.join(state, 'casa/home/ana'),
    get link() {
      return link;
    },
    output: () => output,
    kill,
    again: start,
    behind,
    stop: async () => {
      await endFront?.();
      await kill();
      await endBelow(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Supervisors and apps outlive the portal: every process with this folder in its environment ends. */
async function endBelow(folder: string): Promise<void> {
  await until('no process of the portal', async () => {
    let left = 0;
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      if (!environment.split('\0').some((each) => each.startsWith('HOME=' + folder) || each.startsWith('SVC_PREFIX=' + folder))) continue;
      left += 1;
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended in between.
      }
    }
    return left === 0;
  });
}
