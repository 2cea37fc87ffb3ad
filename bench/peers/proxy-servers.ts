/** The proxies of the benchmark as processes of their own: the server on CPU 0, backend and load on CPU 1. */
import { spawn, type ChildProcess } from 'node:child_process';
import { access, constants, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { portalEnv, portalFlags } from '../../bin/up/portal-process.ts';

export interface ProxyServer {
  readonly name: string;
  readonly port: number;
  /** Parts of a request that let it in. */
  readonly host: string;
  readonly cookie: string;
  readonly pids: () => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
}

export interface Place {
  readonly folder: string;
  readonly backendSocket: string;
  readonly backendPort: number;
}

export const node = 'node_modules/.bin/node';
export const taskset = '/usr/bin/taskset';

/** Fails with the line that installs what is missing. */
export async function requireTools(): Promise<void> {
  const tools = [
    { path: '/usr/bin/wrk', line: 'apt-get install -y wrk' },
    { path: '/usr/sbin/nginx', line: 'apt-get install -y nginx-light' },
    { path: taskset, line: 'apt-get install -y util-linux' },
    { path: 'node_modules/.bin/configurable-http-proxy', line: 'npm ci' },
  ];
  for (const { path, line } of tools) {
    await access(path, constants.X_OK).catch(() => {
      throw new Error(`bench proxy: ${path} is missing; install it with: ${line}`);
    });
  }
}

/** Starts a process on one CPU and resolves with its first line of output (or at once when `waitFor` is a port). */
export async function startPinned(
  cpu: 0 | 1,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(taskset, ['-c', String(cpu), ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let noise = '';
  child.stderr.on('data', (chunk: Buffer) => (noise = (noise + chunk.toString()).slice(-4_096)));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${argv.join(' ')} ended with ${code}: ${noise}`)));
  });
  return { child, line };
}

export function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 2_000);
  return ended.finally(() => clearTimeout(kill));
}

export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answersOn(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`a peer ended with ${child.exitCode} before it listened`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}

const oneProcess = (name: string, port: number, child: ChildProcess): ProxyServer => ({
  name,
  port,
  host: `127.0.0.1:${port}`,
  cookie: '',
  pids: async () => [child.pid!],
  stop: () => stopChild(child),
});

export async function startPipe({ backendSocket }: Place): Promise<ProxyServer> {
  const port = await freePort();
  const { child } = await startPinned(0, [node, 'bench/peers/node-pipe.ts', String(port), backendSocket], compileCache);
  return oneProcess('node:http pipe', port, child);
}

export async function startProxyAlone({ backendSocket }: Place): Promise<ProxyServer> {
  const port = await freePort();
  const { child } = await startPinned(0, [node, ...ourFlags, 'bench/peers/our-proxy.ts', String(port), backendSocket], ourEnv);
  return oneProcess('svc proxy alone', port, child);
}

/** The same with undici in place of the client of our own. */
export async function startProxyOnUndici({ backendSocket }: Place): Promise<ProxyServer> {
  const port = await freePort();
  const argv = [node, ...ourFlags, 'bench/peers/our-proxy.ts', String(port), backendSocket, 'undici'];
  const { child } = await startPinned(0, argv, ourEnv);
  return oneProcess('svc proxy on undici', port, child);
}

export async function startChp({ backendPort }: Place): Promise<ProxyServer> {
  const port = await freePort();
  const apiPort = await freePort();
  const argv = [taskset, '-c', '0', node, 'node_modules/configurable-http-proxy/bin/configurable-http-proxy'];
  const options = [
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--api-ip',
    '127.0.0.1',
    '--api-port',
    String(apiPort),
    '--log-level',
    'error',
  ];
  const child = spawn(argv[0]!, [...argv.slice(1), ...options, '--default-target', `http://127.0.0.1:${backendPort}`], { stdio: 'ignore' });
  await answersOn(port, child);
  return oneProcess('configurable-http-proxy', port, child);
}

export async function startNginx({ folder, backendSocket }: Place): Promise<ProxyServer> {
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  await writeFile(
    file,
    // Started by root its worker would be somebody else, who may not reach the socket.
    `${process.getuid?.() === 0 ? 'user root; ' : ''}worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.err;
events { worker_connections 2048; }
http {
  access_log off; ${temp}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  upstream app { server unix:${backendSocket}; keepalive 128; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 1000000000;
    location / {
      proxy_pass http://app; proxy_http_version 1.1; proxy_set_header X-Svc-App-Token token;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade; proxy_set_header Host $host;
    }
  }
}
`,
  );
  const child = spawn(taskset, ['-c', '0', '/usr/sbin/nginx', '-c', file], { stdio: 'ignore' });
  await answersOn(port, child);
  const children = async (): Promise<number[]> =>
    (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ').map(Number);
  return { ...oneProcess('nginx', port, child), pids: async () => [child.pid!, ...(await children())] };
}

/** Compiled code is kept, as bin/svc keeps it. */
const compileCache = { NODE_COMPILE_CACHE: 'node_modules/.cache/svc-bench' };

/** Ours are started as bin/svc starts the portal: arguments of node, and what the environment says beside that of the bench. */
export const ourFlags = portalFlags;
export const ourEnv: Readonly<Record<string, string>> = { ...portalEnv, ...compileCache };
