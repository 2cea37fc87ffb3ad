/**
 * Ours as a browser meets it: `svc up`, started by bin/svc, with its controller, a person who is signed in, and an app of theirs that the
 * supervisor started. The app is the backend of the peers (http-backend.ts), on the CPU of theirs. A portal of root runs it as an account of the
 * system, which every Debian has, and reaches it through the process that acts as that account.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { callControlSocket } from '../../test/support/control-socket.ts';
import { processesBelow, repository, until } from '../../test/support/portal.ts';
import { inspect, inspectable, type Inspected } from '../inspected.ts';
import { signIn } from '../person.ts';
import { endPortal } from './end-portal.ts';
import { freePort, taskset, type ProxyServer } from './proxy-servers.ts';

export interface OurPortal extends ProxyServer {
  /** Only of one that was started to be inspected. */
  inspected(): Promise<Inspected>;
}

const app = 'carga';
const person = 'ana';
const account = 'games';

const manifest = {
  id: app,
  name: 'Carga',
  version: '1.0.0',
  description: 'O que mede o proxy.',
  icon: 'icon.svg',
  category: 'Development',
  license: 'Apache-2.0',
  developer: { name: 'svc' },
  backend: { runtime: 'node', entrypoint: 'backend/main.cjs', aoFechar: 'manter' },
  window: { title: 'Carga', width: 400, height: 300 },
};

const documents = (folder: string): readonly string[] => [
  `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(join(folder, 'apps'))} }`,
  `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ${JSON.stringify(join(folder, 'casa'))}, trusted: true } }`,
  `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: ${manifest.version}, server: casa, instalacao: sistema }`,
  `kind: Person\nmetadata: { name: ${person} }\nspec: { nome: Ana, login: ${person}, server: casa, account: ${account} }`,
];

/** Answers with the folder of the documents. */
async function writeDesired(folder: string): Promise<string> {
  const [packageDir, desired] = [join(folder, 'apps', app), join(folder, 'desired')];
  await mkdir(packageDir, { recursive: true });
  await mkdir(desired);
  await build({
    entryPoints: [join(repository, 'bench/peers/http-backend.ts')],
    outfile: join(packageDir, manifest.backend.entrypoint),
    bundle: true,
    platform: 'node',
    external: ['bufferutil', 'utf-8-validate'],
    logLevel: 'error',
  });
  await writeFile(
    join(packageDir, 'icon.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>',
  );
  await writeFile(join(packageDir, 'svc-app.json'), JSON.stringify(manifest));
  await writeFile(
    join(desired, 'casa.yaml'),
    documents(folder)
      .map((text) => `apiVersion: svc/v1\n${text}\n`)
      .join('---\n'),
  );
  return desired;
}

/** `looked`: it can be inspected, by its environment; else it is started as it ships. */
export async function startPortal(looked = false): Promise<OurPortal> {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  await chmod(folder, 0o711);
  const state = join(folder, 's');
  const port = await freePort();
  const desired = await writeDesired(folder);
  const argv = ['-c', '0', join(repository, 'bin/svc'), 'up', desired, '--state', state, '--listen', `127.0.0.1:${port}`];
  const child = spawn(taskset, argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...(looked ? inspectable : {}) } });
  const stop = (): Promise<void> => endPortal(child, folder);
  try {
    let said = '';
    const take = (chunk: Buffer): void => void (said = (said + chunk.toString()).slice(-8_192));
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    await until('a portal that listens', () => {
      if (child.exitCode !== null) throw new Error(`svc up ended with ${child.exitCode}: ${said}`);
      return said.includes('open http://');
    });
    const admin = (method: string, path: string, body?: unknown) => callControlSocket(join(state, 'svc.sock'), method, path, body);
    const host = `${app}.svc.localhost:${port}`;
    const cookie = await openApp(port, admin, host);
    moveBackend(folder);
    let inspected: Promise<Inspected> | null = null;
    return {
      name: 'svc portal',
      port,
      host,
      cookie,
      pids: async () => [child.pid!],
      stop,
      inspected: () => (inspected ??= inspect(child)),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Signs the person in and opens the app as a browser would, which starts it. Answers with the cookie of its origin. */
async function openApp(port: number, admin: Parameters<typeof signIn>[0]['admin'], host: string): Promise<string> {
  const browser = await signIn({ port, admin }, person);
  await until(`an answer of ${app}`, async () => (await browser.visit(`http://${host}/k1`)).text.startsWith('kkkk'));
  const cookie = browser.cookies.get(host);
  if (cookie === undefined) throw new Error('the portal gave no cookie on the app’s origin');
  return cookie;
}

/** The supervisor, and what it starts, is where the portal is; backends of peers are beside the load. */
function moveBackend(folder: string): void {
  const backend = processesBelow(folder).filter((each) => each.app === app);
  if (backend.length === 0) throw new Error(`no process of ${app}`);
  for (const { pid } of backend) execFileSync(taskset, ['-a', '-c', '-p', '1', String(pid)], { stdio: 'ignore' });
}
